"""Running a tune file: from its present state to its end, or looking at it without playing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from attrs import define, evolve, frozen

from arena import UserError
from arena.host import check_partners, split_folder_parameters
from arena.rules import compute_beaten_share, derive_seed, find_sides
from arena.sandbox import Sandbox, check_unreadable
from arena.tournament.bots.copies import CopyFolder
from arena.tournament.bots.seatable_entrants import build_entrant
from arena.tournament.bots.versions import BotVersions, comes_with_game
from arena.tournament.entries import ReadyEntry
from arena.tournament.kept_transcripts import KeptTranscripts
from arena.tournament.match_record import MatchRecord
from arena.tournament.workers.dispatcher import Dispatcher, choose_concurrency
from arena.tournament.workers.leftovers import RunMark
from arena.tournament.workers.local_executors import LocalExecutors
from arena.tournament.workers.match_batch import BatchSettings, PlannedMatch
from arena.tournament.workers.run_workers import RunWorkers
from arena.wires import converter, dump, read
from arena_tune.match_store import CandidateMatch, MatchStore
from arena_tune.parameters import Settings, format_settings
from arena_tune.staged_search import (
    POINTS,
    WIN,
    Generation,
    GenerationResults,
    IncompleteError,
    Pairing,
    RunDescription,
    StagedSearch,
    Step,
    TuningTerms,
)
from arena_tune.tune_file import TuneSpec

CANDIDATE = "candidate-"  # the name of one, before its place; no bot has such a name
DESCRIPTION = "description"  # the fact that is read to look at a run
SETTINGS = "settings"

LIBRARIES = ("cmaes", "numpy", "scipy")
"""The libraries on whose versions the candidates depend."""


@frozen
class RunState:
    """A run as far as it has come."""

    search: StagedSearch
    verdicts: Mapping[str, int]  #: of candidates, by kind
    void: int  #: matches that do not count
    seconds: float  #: of all matches together


class TuningMonitor(Protocol):
    """Sees a run."""

    def on_generation(self, generation: Generation, done: int) -> None:
        """See how many matches of a generation are done."""

    def on_step(self, search: StagedSearch, step: Step) -> None:
        """See a generation that is complete."""


def run(
    spec: TuneSpec, monitor: TuningMonitor, workers: int | None, sandbox: Sandbox | None
) -> RunState:
    """Begin a run, or continue it, to its end; raise UserError where it is another one."""
    with MatchStore.open(str(spec.database), write=True) as store:
        spec = _continue_budgets(store, spec)
        cast = prepare_cast(spec, sandbox)
        _check_facts(store, spec, _collect_facts(spec, cast))
        store.drop_void_matches()
        with open_player(cast, workers) as player:
            play = partial(_play_missing, store, player, monitor)
            return _follow(spec.terms, store, play, monitor.on_step)


def _continue_budgets(store: MatchStore, spec: TuneSpec) -> TuneSpec:
    """Return a file with the budgets that its run has spent; a raised one is stored.

    Raises UserError where the budget is raised in the middle of a run: what was planned before
    would change its meaning.
    """
    run = _read_description(store)
    if run is None:
        return spec
    old = run.terms
    if spec.terms.matches <= old.matches:
        return evolve(spec, terms=evolve(spec.terms, earlier=old.earlier))
    same = evolve(spec.terms, matches=old.matches, earlier=old.earlier)
    if evolve(spec.description, terms=same) != run:
        return spec  # something else has changed, too, which is reported
    if _read_run(store, old).search.conclusion is None:
        raise UserError(
            f"{spec.database.name}: the run has not finished; finish it with matches ="
            f" {old.matches}, and raise them then"
        )
    spec = evolve(spec, terms=evolve(spec.terms, earlier=(*old.earlier, old.matches)))
    store.replace_facts(
        {DESCRIPTION: converter.unstructure(spec.description), SETTINGS: spec.fixed_settings}
    )
    return spec


def _check_facts(store: MatchStore, spec: TuneSpec, now: Mapping[str, Any]) -> None:
    """Store the facts of a new run; raise UserError where those of an old one differ."""
    stored = store.read_facts()
    if stored:
        _check_changes(stored, spec, now)
    else:
        store.add_facts(now)


def _check_changes(stored: Mapping[str, str], spec: TuneSpec, now: Mapping[str, Any]) -> None:
    changed = [
        name
        for name, value in now.items()
        if stored.get(name) != dump(value) and name != DESCRIPTION  # which follows from the others
    ]
    if changed:
        raise UserError(
            f"{spec.database.name}: changed since this run began: {', '.join(changed)}; restore"
            f" that, or move {spec.database.name} away to begin anew"
        )


def _collect_facts(spec: TuneSpec, cast: Cast) -> dict[str, Any]:
    return {
        DESCRIPTION: converter.unstructure(spec.description),
        SETTINGS: spec.fixed_settings,
        "bot": cast.bot.entry.version,
        "opponents": {
            name: opponent.entry.version
            for name, opponent in zip(spec.opponents, cast.opponents, strict=True)
        },
        "libraries": {name: version(name) for name in LIBRARIES},
    }


def _play_missing(
    store: MatchStore, player: MatchPlayer, monitor: TuningMonitor, generation: Generation
) -> GenerationResults:
    """Play the matches that are not stored, store them, and return the results of all."""
    store.check_generation(generation, write=True)
    found = store.read_matches(generation.number)
    done = {(trial.candidate, trial.pairing) for trial in found}
    monitor.on_generation(generation, len(done))
    if len(done) < generation.matches:
        for played in player.play(generation, done):
            store.add_matches(played)
            found += played
            monitor.on_generation(generation, len(found))
    return tabulate_results(generation, found)


def read_stored_run(database: Path) -> tuple[RunDescription, RunState]:
    """Read a run from its database alone, without its file or its bots; raise UserError.

    No bot's code is run for it, and none is needed.
    """
    with MatchStore.open(str(database), write=False) as store:
        run = _read_description(store)
        if run is None:
            raise UserError(f"{database.name}: the run has not begun, or by an older version")
        return run, _read_run(store, run.terms)


def _read_run(store: MatchStore, terms: TuningTerms) -> RunState:
    return _follow(terms, store, partial(_read_complete, store), lambda _, __: None)


def _read_complete(store: MatchStore, generation: Generation) -> GenerationResults:
    """Return the results of a generation; raise IncompleteError where matches are missing."""
    if not store.check_generation(generation, write=False):
        raise IncompleteError
    found = store.read_matches(generation.number)
    if len(found) < generation.matches:
        raise IncompleteError
    return tabulate_results(generation, found)


def _read_description(store: MatchStore) -> RunDescription | None:
    stored = store.read_facts().get(DESCRIPTION)
    return None if stored is None else read(json.loads(stored), RunDescription)


def _follow(
    terms: TuningTerms,
    store: MatchStore,
    play: Callable[[Generation], GenerationResults],
    on_step: Callable[[StagedSearch, Step], None],
) -> RunState:
    search = StagedSearch(terms, play, lambda step: on_step(search, step))
    search.run()
    return RunState(search, store.count_verdicts(), store.count_void(), store.sum_seconds())


def tabulate_results(generation: Generation, found: Iterable[CandidateMatch]) -> GenerationResults:
    """Return the results of matches that were played."""
    shape = (len(generation.candidates), len(generation.pairings))
    scores, margins = np.full(shape, np.nan), np.full(shape, np.nan)
    for trial in found:
        place = trial.candidate, trial.pairing
        if trial.score is None:
            continue
        scores[place] = trial.score
        points = [] if trial.points is None or trial.verdict else json.loads(trial.points)
        if len(points) == 2:  # noqa: PLR2004  # a margin is one between two
            seat = generation.pairings[trial.pairing].rotation
            margins[place] = points[seat] - points[1 - seat]
    return GenerationResults(scores, margins)


@frozen
class Cast:
    """The bots of a run, ready for the workers."""

    spec: TuneSpec
    bot: ReadyEntry
    opponents: tuple[ReadyEntry, ...]

    def build_candidate(self, place: int, settings: Settings) -> ReadyEntry:
        """Return the entrant of a generation's candidate."""
        entry = self.bot.entry
        bot = entry.bot
        is_folder = CopyFolder(self.spec.data_folder / "bots").find(entry.version) is not None
        if is_folder and (own := split_folder_parameters(bot)[1]):
            bot = bot.removesuffix(f":{own}")
        text = f"{bot}:{format_settings(settings, quote=not is_folder)}"
        return evolve(self.bot, entry=evolve(entry, name=f"{CANDIDATE}{place}", bot=text))


def prepare_cast(spec: TuneSpec, sandbox: Sandbox | None) -> Cast:
    """Read, copy and build all bots; raise UserError where one cannot play."""
    folder = spec.data_folder / "bots"
    folder.mkdir(parents=True, exist_ok=True)
    versions = BotVersions(spec.game, spec.home, folder)
    bots = (spec.file.bot, *spec.opponents)
    if sandbox and not all(comes_with_game(spec.game, bot) for bot in bots):
        check_unreadable(folder, "the folder of copies", "move the tune file elsewhere")
    entries = [versions.read_entry(bot) for bot in bots]  # all, before any is built
    own, *opponents = (versions.prepare(entry, sandbox) for entry in entries)
    cast = Cast(spec, own, tuple(opponents))
    default = {parameter.name: parameter.default for parameter in spec.parameters}
    for ready in (cast.build_candidate(0, default), *cast.opponents):
        entrant = build_entrant(spec.game.name, ready, spec.home, folder)
        entrant.check_support(spec.variant, spec.table)
        check_partners([entrant], find_sides(spec.variant, spec.table))
    return cast


@define
class MatchPlayer:
    """Plays generations."""

    cast: Cast
    dispatcher: Dispatcher

    def play(
        self, generation: Generation, done: set[tuple[int, int]]
    ) -> Iterator[list[CandidateMatch]]:
        """Play the matches that are not done, and yield them as they end."""
        places = {
            (pairing.deal, pairing.rotation): number
            for number, pairing in enumerate(generation.pairings)
        }
        objective = self.cast.spec.terms.objective
        for records in self.dispatcher.play(self._generate_matches(generation, done)):
            if records:
                yield [
                    build_trial(generation.number, places[record.deal, record.rotation], record,
                                objective)
                    for record in records
                ]  # fmt: skip

    def _generate_matches(
        self, generation: Generation, done: set[tuple[int, int]]
    ) -> Iterator[PlannedMatch]:
        candidates = [
            self.cast.build_candidate(place, settings)
            for place, settings in enumerate(generation.candidates)
        ]
        for place, candidate in enumerate(candidates):  # one by one: so few programs wait at a time
            for number, pairing in enumerate(generation.pairings):
                if (place, number) not in done:
                    seats = self._seat(candidate, pairing)
                    yield PlannedMatch(pairing.deal, pairing.rotation, seats)

    def _seat(self, candidate: ReadyEntry, pairing: Pairing) -> tuple[ReadyEntry, ...]:
        """Seat the candidate, and its opponents behind it, each with a name of its own."""
        table = [candidate]
        for number in pairing.opponents:
            opponent = self.cast.opponents[number]
            name = opponent.entry.name
            if name in {ready.entry.name for ready in table}:
                entry = evolve(opponent.entry, name=f"{name[:28]}_{len(table) + 1}")
                opponent = evolve(opponent, entry=entry)
            table.append(opponent)
        first = len(table) - pairing.rotation
        return tuple(table[first:] + table[:first])


@contextmanager
def open_player(cast: Cast, workers: int | None) -> Iterator[MatchPlayer]:
    """Start workers for a block; in the end they are killed in the middle of their matches."""
    spec = cast.spec
    mark = RunMark.shorten(derive_seed(spec.file.seed, "mark", str(spec.database)))
    table = (cast.bot, *cast.opponents)
    count = workers or choose_concurrency(spec.game, table, spec.table)
    settings = BatchSettings(
        game=spec.game.name,
        variant=spec.game.write_variant(spec.variant),
        secret=derive_seed(spec.file.seed, "secret"),
        limits=spec.file.time,
        transcripts=KeptTranscripts.NONE,
        home=spec.home,
        bots=spec.data_folder / "bots",
        kept_folders=spec.data_folder,
        table=spec.table,
        programs=spec.table * len(table),  # no program plays a deal in a second seat
    )
    with mark.clean_up_around():
        run_workers = RunWorkers.of(LocalExecutors(), settings.bots, mark)
        try:
            yield MatchPlayer(cast, Dispatcher(run_workers, settings, count))
        finally:
            run_workers.abandon()


def build_trial(
    generation: int, pairing: int, result: MatchRecord, objective: str
) -> CandidateMatch:
    """Return a match as it is stored."""
    seat = next(at for at, seat in enumerate(result.seats) if seat.name.startswith(CANDIDATE))
    verdicts = {at: str(seat.verdict) for at, seat in enumerate(result.seats) if seat.verdict}
    mine = verdicts.pop(seat, None)
    scores = [seat.score for seat in result.seats]
    return CandidateMatch(
        generation,
        int(result.seats[seat].name.removeprefix(CANDIDATE)),
        pairing,
        str(result.end),
        compute_score(result, seat, mine, bool(verdicts), objective),
        None if result.is_void else json.dumps(scores),
        mine,
        ", ".join(verdicts.values()) or None,
        result.detail,
        result.seconds,
    )


def compute_score(
    result: MatchRecord,
    seat: int,
    verdict: str | None,
    opponent_failed: bool,
    objective: str,
) -> float | None:
    """Return the score of a candidate, from 0 to 1; None where the match does not count.

    For the objective `points` it is what the game counts, and is scaled later. A candidate that
    fails has the least that there is: 0, or minus infinity points. Where only an opponent fails
    nothing is gained: the match is void. Else, `win` shares 1 among the winners, and `place` is the
    share of the others that are behind, with half of those at the same place.
    """
    if verdict is not None:
        return -inf if objective == POINTS else 0.0
    places, score = result.rank(), result.seats[seat].score
    if places is None or opponent_failed:
        return None
    if objective == POINTS:
        assert score is not None
        return float(score)
    if objective == WIN:
        return 1 / places.count(1) if places[seat] == 1 else 0.0
    return compute_beaten_share(places, seat)
