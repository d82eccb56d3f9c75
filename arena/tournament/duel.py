"""A duel of two bots: each deal is played twice, with the seats swapped.

In a game of teams each bot plays all seats of a team. In a cooperative game, each plays the
deal alone, in all seats.

The pairs are stored and yielded in the order of their deals, not of completion, so that a
sequential test stops at the same pair when it is repeated. The database is that of a tournament
of two, and has the first pairs, each as a whole, and nothing else. So an interrupted duel goes on
behind the last pair, and ends as if it had not been interrupted.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Any

from attrs import asdict, evolve, frozen

from arena.host import (
    AnyBot,
    Limits,
    check_arguments,
    check_seat_count,
    check_whole_number,
    split_bot_name,
    split_team,
    temporary_folder,
)
from arena.plugins import Game, build_variant, get_plugins
from arena.records import SUFFIX
from arena.rules import (
    Seed,
    UserError,
    Variant,
    abbreviate,
    find_sides,
    generate_seed,
    is_cooperative,
    read_seed,
)
from arena.sandbox import TRUSTED, Sandbox, find_sandbox
from arena.tournament.deals import Deal, Key
from arena.tournament.duel_score import AnyDuelScore, CooperativeScore, DealPair, DuelScore
from arena.tournament.entries import Entry, ReadyEntry
from arena.tournament.file.reader import build_file_values, parse_tournament
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.kept_transcripts import KeptTranscripts
from arena.tournament.match_record import ReportedMatch
from arena.tournament.ratings import Sprt
from arena.tournament.run.entrant_gate import EntrantGate
from arena.tournament.run.run_setup import build_dispatcher, create_store
from arena.tournament.store import Store, StoredSettings
from arena.tournament.workers.dispatcher import Dispatcher
from arena.tournament.workers.leftovers import RunMark
from arena.tournament.workers.match_batch import BatchSettings, PlannedMatch

SIDES = 2
DEFAULT_PAIRS = 100
DEFAULT_TEST_PAIRS = 50_000  # of a sequential test, which seldom needs as many


def play_duel(
    game: str,
    first: AnyBot,
    second: AnyBot,
    *,
    sprt: Sprt | None = None,
    pairs: int | None = None,
    database: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    table: int | None = None,
    seed: Seed | None = None,
    workers: int | None = None,
    sandbox: str = TRUSTED,
    transcripts: Path | None = None,
    progress: Callable[[AnyDuelScore], object] | None = None,
) -> AnyDuelScore:
    """Play two bots against each other, every deal twice with the seats swapped.

    Args:
        game: the name of the game.
        first: the tested bot, as a tournament takes it.
        second: the other one.
        sprt: the sequential test, which ends the duel when it is decided.
        pairs: the maximum number of deals; None: 100, or 50000 with a test.
        database: the path of a file that keeps what was played, or the address of a server's
            database. A duel that is in it continues. None: nothing is kept.
        options: parameters of the game.
        limits: the time limits of players, in seconds.
        table: the seats of a match; None: the fewest that fit.
        seed: the seed of all deals; None: a random one.
        workers: the number of matches at once; None: as many as leave a core for each program.
        sandbox: the sandbox of programs, such as `auto`.
        transcripts: an existing folder for a transcript of each match; None: none are written.
        progress: called with the score after each pair.

    Returns the score; after an interrupt that of the pairs that were played until then.

    Raises:
        UserError: if the bots cannot be compared in this game, if the database has another duel,
            if the machine lacks resources, or if workers do not start.
    """
    if pairs is not None:
        check_whole_number("pairs", pairs, 1)
    if not isinstance(sprt, Sprt | None):
        raise UserError(f"sprt: {abbreviate(sprt)} is not Sprt(...), such as Sprt(elo0=0, elo1=20)")
    check_arguments(game, (first, second), options, limits)
    rules = get_plugins().find_game(game)
    variant = build_variant(rules, options or {})
    settings = {
        "duplicate": True, "seed": None if seed is None else read_seed(seed), "workers": workers,
        "transcripts": "none",
    }  # fmt: skip
    values = build_file_values(game, [first, second], options, limits, settings)
    texts = [entrant["bot"] for entrant in values["entrant"]]
    partners = max(len(split_team(split_bot_name(text)[1])) for text in texts)
    values["table"] = choose_duel_table(rules, variant, table, partners=partners)
    with temporary_folder() as room:
        address = str(room / "duel.db") if database is None else str(database)
        values["database"] = address if "://" in address else str(Path(address).absolute())
        spec = evolve(parse_tournament(values, Path(), "duel"), data_folder=room)
        duel = Duel(spec, find_sandbox(sandbox), sprt, transcripts)
        score: AnyDuelScore = CooperativeScore() if duel.is_cooperative else DuelScore(sprt)
        limit = pairs or (DEFAULT_TEST_PAIRS if sprt else DEFAULT_PAIRS)
        duel.play_for(score, limit, progress)
    return score


@frozen
class Duel:
    """The settings of a duel, as those of a tournament of two."""

    spec: TournamentSpec
    sandbox: Sandbox | None = None  # None if both are trusted
    test: Sprt | None = None
    transcripts: Path | None = None  # the folder for those of new pairs; None: none are recorded

    def __attrs_post_init__(self) -> None:
        """Raise UserError for a test without opponents."""
        if self.test and self.is_cooperative:
            raise UserError(
                f"a sequential test (--sprt) needs opponents; {self.spec.game.name} is cooperative"
            )

    @property
    def is_cooperative(self) -> bool:
        """Whether the game is cooperative at this table."""
        return is_cooperative(self.spec.sides)

    @property
    def fixed_settings(self) -> StoredSettings:
        """The settings that must not change when the duel is resumed."""
        sprt = asdict(self.test) if self.test else None
        return evolve(StoredSettings.of(self.spec), is_duel=True, sprt=sprt)

    def play_for(
        self,
        score: AnyDuelScore,
        pairs: int,
        progress: Callable[[AnyDuelScore], object] | None = None,
    ) -> None:
        """Play pairs and add them to a score, until its test is decided or an interrupt comes."""
        try:
            with closing(self.play(pairs)) as stream:
                for pair in stream:
                    score.add(pair)
                    if progress:
                        progress(score)
                    if isinstance(score, DuelScore) and score.accepted:
                        break
        except KeyboardInterrupt:
            score.interrupted = True

    def play(self, pairs: int) -> Generator[DealPair, None, None]:
        """Yield at most so many pairs in the order of their deals: first those that are stored.

        The transcripts of a new pair are written before it is stored.
        """
        gate = EntrantGate(self.spec)
        ready_entries = self._prepare_entrants(gate)
        entries = [ready.entry for ready in ready_entries]
        mark = RunMark.shorten(generate_seed())  # another duel may have the same seed
        store = Store.claim_existing(self.spec.database)
        if store is None:
            store = create_store(self.spec, self.fixed_settings, entries)
        with store, mark.clean_up_around():
            self._check_same(store, entries)
            start = store.progress.count_matches().stored // 2
            yield from islice(_read_pairs(store), pairs)
            settings = self._build_batch_settings(store.facts.secret, gate.versions.bots)
            dispatcher = build_dispatcher(self.spec, settings, ready_entries, mark)
            try:
                matches = self._generate_matches(ready_entries, range(start, pairs))
                for number, pair in enumerate(_order_pairs(dispatcher, matches, start), start):
                    if self.transcripts:
                        _write_transcripts(self.transcripts, pair)
                    store.matches.record_deal(
                        Deal(number, (ready_entries[0].id, ready_entries[1].id), 2), pair
                    )
                    yield DealPair(pair)
            finally:
                dispatcher.workers.abandon()

    def _prepare_entrants(self, gate: EntrantGate) -> tuple[ReadyEntry, ReadyEntry]:
        """Return both bots, ready to play; raise UserError unless they can play in this duel."""
        versions, configs = gate.versions, self.spec.file.entrant
        first, second = (versions.read_entry(config.bot or "") for config in configs)
        if first.name == second.name:
            second = versions.read_entry(second.bot, f"{second.name[:28]}_2")
        ready_entries = (
            versions.prepare(first, self.sandbox),
            versions.prepare(second, self.sandbox),
        )
        for ready in ready_entries:
            gate.check_fit(ready)
        return ready_entries

    def _check_same(self, store: Store, entries: Sequence[Entry]) -> None:
        """Raise UserError if settings or bots differ from those in the database."""
        changes = store.settings.list_changes(self.fixed_settings, self.spec.game)
        new_versions = [
            f"{now.name} was version {before.version}, now {now.version}"
            for before, now in zip(store.entries.list_all(), entries, strict=False)
            if before.version != now.version and before.bot == now.bot
        ]
        if lines := "; ".join([*changes, *new_versions]):
            file = Path(self.spec.database).name
            raise UserError(f"{file} has another duel: {lines}. Restore that, or name another file")

    def _generate_matches(
        self, ready_entries: tuple[ReadyEntry, ReadyEntry], deals: Iterable[int]
    ) -> Iterator[PlannedMatch]:
        for deal in deals:
            for rotation in range(2):
                order = ready_entries if rotation == 0 else ready_entries[::-1]
                yield PlannedMatch(deal, rotation, order[: 1 if self.is_cooperative else 2])

    def _build_batch_settings(self, secret: str, bots: Path) -> BatchSettings:
        settings = self.spec.build_batch_settings(secret, bots, self.spec.data_folder)
        return evolve(settings, transcripts=KeptTranscripts.ALL) if self.transcripts else settings


def _read_pairs(store: Store) -> Iterator[DealPair]:
    """Yield the stored pairs."""
    matches = store.matches.find_matches()
    return map(DealPair, zip(matches, matches, strict=True))


def _write_transcripts(folder: Path, matches: Iterable[ReportedMatch]) -> None:
    """Write transcripts; earlier ones of the same deals are overwritten."""
    for match in matches:
        if match.transcript is None:  # it was lost with its worker
            continue
        path = folder / f"{match.deal:04}.{match.rotation}{SUFFIX}"
        try:
            path.write_bytes(zlib.decompress(match.transcript))
        except OSError as problem:
            raise UserError(f"{path} cannot be written: {problem.strerror}") from None


def _order_pairs(
    dispatcher: Dispatcher, matches: Iterator[PlannedMatch], deal: int
) -> Iterator[tuple[ReportedMatch, ReportedMatch]]:
    """Yield the two matches of each deal in the order of deals, from this one on."""
    reports: dict[Key, ReportedMatch] = {}
    for report in chain.from_iterable(dispatcher.play(matches)):
        reports[report.key] = report
        while (deal, 0) in reports and (deal, 1) in reports:
            yield reports.pop((deal, 0)), reports.pop((deal, 1))
            deal += 1


def choose_duel_table(
    game: Game, variant: Variant, table: int | None = None, *, partners: int = 0
) -> int:
    """Return the seats of a duel: the fewest with two sides, or else with one.

    Where a bot is a team of so many `partners`, each side has a seat for each of them.

    Raises:
        UserError: where two bots cannot be compared in this game, or at this table.
    """
    if table is not None:
        check_seat_count(game, table)
    tables = game.seats if table is None else [table]
    sides_by_table = {seats: find_sides(variant, seats) for seats in tables}
    sides = {seats: len(those) for seats, those in sides_by_table.items()}
    if partners:
        sides = {
            seats: sides[seats]
            for seats in tables
            if {*map(len, sides_by_table[seats])} == {partners}
        }
    fitting = sorted((seats for seats in sides if sides[seats] <= SIDES), key=lambda n: -sides[n])
    if fitting:
        return fitting[0]
    if partners:
        raise UserError(f"{game.name} has no table of two teams of {partners}")
    if table is None:
        check_seat_count(game, SIDES)
    raise UserError(f"{game.name}: a duel needs a table of two sides, not of {sides[tables[0]]}")
