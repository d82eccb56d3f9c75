"""Playing the missing matches of a generation on worker processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from math import inf

from attrs import define, evolve, frozen

from arena.rules import derive_seed
from arena.sandbox import Sandbox, check_unreadable
from arena.tournament.dispatcher import Dispatcher, choose_concurrency
from arena.tournament.models import MatchResult
from arena.tournament.roster import Roster, comes_with_game
from arena.tournament.workers import (
    Contestant,
    Job,
    LocalWorkers,
    Task,
    build_entrant,
    clean_up_around,
)
from arena.tuning.declarations import format_settings
from arena.tuning.parameters import Settings
from arena.tuning.plan import POINTS, WIN, Generation, Pairing
from arena.tuning.trial_store import CandidateMatch
from arena.tuning.tune_file import TuneSpec

POLL_SECONDS = 0.25
MARK_LENGTH = 16  # digits
CANDIDATE = "candidate-"  # the id of one, before its place in the generation


@frozen
class Cast:
    """The bots of a run, ready for the workers."""

    spec: TuneSpec
    bot: Contestant
    version: str
    opponents: tuple[Contestant, ...]
    versions: tuple[str, ...]  # of the opponents

    def build_candidate(self, place: int, settings: Settings) -> Contestant:
        """Return the contestant of a generation's candidate."""
        if self.bot.folder is not None:
            given = format_settings(settings)
            return evolve(self.bot, id=f"{CANDIDATE}{place}", given=given)
        text = f"{self.bot.bot}:{format_settings(settings, quote=True)}"
        return evolve(self.bot, id=f"{CANDIDATE}{place}", bot=text)


def prepare_cast(spec: TuneSpec, sandbox: Sandbox | None) -> Cast:
    """Read, copy and build all bots; raise UserError where one cannot play."""
    folder = spec.data_folder / "bots"
    folder.mkdir(parents=True, exist_ok=True)
    roster = Roster(spec.game, spec.home, folder)
    bots = (spec.file.bot, *spec.opponents)
    if sandbox and not all(comes_with_game(spec.game, bot) for bot in bots):
        check_unreadable(folder, "the folder of copies", "move the tune file elsewhere")
    entries = [roster.read_entry(bot) for bot in bots]
    contestants = [
        evolve(roster.build_contestant(entry, sandbox), id=f"{number}")
        for number, entry in enumerate(entries)
    ]
    versions = [entry.version for entry in entries]
    cast = Cast(spec, contestants[0], versions[0], tuple(contestants[1:]), tuple(versions[1:]))
    default = {parameter.name: parameter.default for parameter in spec.parameters}
    for contestant in (cast.build_candidate(0, default), *cast.opponents):
        entrant = build_entrant(spec.game.name, contestant, spec.home, folder)
        entrant.check_support(spec.variant, spec.terms.seats)
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
        jobs = self._generate_jobs(generation, done)
        more = True
        while more or not self.dispatcher.idle:
            while more and self.dispatcher.needs_jobs():
                job = next(jobs, None)
                more = job is not None
                if job:
                    self.dispatcher.add(job)
            results = [*self.dispatcher.collect(POLL_SECONDS)]
            if results:
                objective = self.cast.spec.terms.objective
                yield [
                    build_trial(generation.number, places[found.deal, found.rotation], found,
                                objective)
                    for found in results
                ]  # fmt: skip

    def _generate_jobs(self, generation: Generation, done: set[tuple[int, int]]) -> Iterator[Job]:
        candidates = [
            self.cast.build_candidate(place, settings)
            for place, settings in enumerate(generation.candidates)
        ]
        for number, pairing in enumerate(generation.pairings):
            for place, candidate in enumerate(candidates):
                if (place, number) not in done:
                    seats = self._seat(candidate, pairing)
                    yield Job(pairing.deal, pairing.rotation, seats)

    def _seat(self, candidate: Contestant, pairing: Pairing) -> tuple[Contestant, ...]:
        """Seat the candidate, and its opponents behind it, each with a name of its own."""
        table = [candidate]
        for number in pairing.opponents:
            opponent = self.cast.opponents[number]
            taken = {contestant.name for contestant in table}
            if opponent.name in taken:
                opponent = evolve(opponent, name=f"{opponent.name[:28]}_{len(table) + 1}")
            table.append(opponent)
        first = len(table) - pairing.rotation
        return tuple(table[first:] + table[:first])


@contextmanager
def open_player(cast: Cast, workers: int | None) -> Iterator[MatchPlayer]:
    """Start workers for a block; in the end they are killed in the middle of their matches."""
    spec = cast.spec
    mark = derive_seed(spec.file.seed, "mark", str(spec.database))[:MARK_LENGTH]
    table = (cast.bot, *cast.opponents)
    count = workers or choose_concurrency(spec.game, table, spec.terms.seats)
    bots = spec.data_folder / "bots"
    task: Callable[[tuple[Job, ...]], Task] = partial(
        Task,
        game=spec.game.name,
        variant=spec.game.write_variant(spec.variant),
        secret=derive_seed(spec.file.seed, "secret"),
        limits=spec.file.time,
        transcripts="none",
        home=spec.home,
        bots=bots,
        folders=spec.data_folder,
    )
    with clean_up_around(mark):
        start = partial(LocalWorkers().open, bots=bots, mark=mark)
        dispatcher = Dispatcher(start, task, count, mark)
        try:
            yield MatchPlayer(cast, dispatcher)
        finally:
            dispatcher.abandon()


def build_trial(
    generation: int, pairing: int, result: MatchResult, objective: str
) -> CandidateMatch:
    """Return a match as it is stored."""
    seat = next(seat for seat, label in enumerate(result.seats) if label.startswith(CANDIDATE))
    verdicts = {place: str(verdict["kind"]) for place, verdict in result.verdicts.items()}
    mine = verdicts.pop(seat, None)
    return CandidateMatch(
        generation,
        int(result.seats[seat].removeprefix(CANDIDATE)),
        pairing,
        str(result.end),
        compute_score(result, seat, mine, bool(verdicts), objective),
        None if result.scores is None else json.dumps(result.scores),
        mine,
        ", ".join(verdicts.values()) or None,
        result.detail,
        result.seconds,
    )


def compute_score(
    result: MatchResult,
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
    places = result.places
    if places is None or opponent_failed:
        return None
    if objective == POINTS:
        assert result.scores is not None
        return float(result.scores[seat])
    same = sum(place == places[seat] for place in places) - 1
    if objective == WIN:
        return 1 / (same + 1) if places[seat] == 1 else 0.0
    behind = sum(place > places[seat] for place in places)
    return (behind + same / 2) / (len(places) - 1)
