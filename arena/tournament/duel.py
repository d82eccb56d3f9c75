"""A duel of two bots: each deal is played twice, with the seats swapped.

In a game of teams each bot plays all seats of a team. Where nobody plays against anybody, each
plays the deal alone, in all seats.

The pairs are yielded in the order of their deals, not of completion, so that a sequential test
stops at the same pair when it is repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from attrs import frozen

from arena.host import Limits, check_partners, check_seat_count
from arena.plugins import Game
from arena.rules import UserError, Variant, derive_seed, find_sides, generate_seed
from arena.sandbox import Sandbox
from arena.tournament.dispatcher import Dispatcher, choose_concurrency
from arena.tournament.models import Entry, MatchResult
from arena.tournament.roster import Roster
from arena.tournament.workers import (
    LocalWorkers,
    MatchBatch,
    PlannedMatch,
    build_entrant,
    clean_up_around,
)

POLL_SECONDS = 0.25  # seconds
SIDES = 2
MARK_LENGTH = 16  # hexadecimal digits


@frozen
class DealPair:
    """One deal, played twice: with swapped seats, or by one bot after the other."""

    points: int | None  # half points of the first bot, 0 to 4; None if a match was void, or alone
    matches: tuple[MatchResult, MatchResult]


@frozen
class Duel:
    """The settings of a duel."""

    game: Game
    variant: Variant
    bots: tuple[str, str]
    seed: str
    limits: Limits
    workers: int | None
    room: Path  # for copies of bots' folders
    records: bool = False  # whether transcripts are recorded
    sandbox: Sandbox | None = None  # None if both are trusted
    table: int = 2  # seats of a match

    @property
    def is_cooperative(self) -> bool:
        """Whether nobody plays against anybody."""
        return len(find_sides(self.variant, self.table)) == 1

    def play(self, most: int) -> Iterator[DealPair]:
        """Play, and yield at most `most` pairs in the order of their deals."""
        two = self._prepare_entries()
        mark = generate_seed()[:MARK_LENGTH]  # another duel may have the same seed
        with clean_up_around(mark):
            dispatcher = self._build_dispatcher(two, mark)
            try:
                yield from _order_pairs(dispatcher, self._generate_matches(two, most))
            finally:
                dispatcher.abandon()

    def _prepare_entries(self) -> tuple[Entry, Entry]:
        roster = Roster(self.game, Path.cwd(), self.room)
        first, second = (roster.read_entry(bot) for bot in self.bots)
        if first.name == second.name:
            second = roster.read_entry(self.bots[1], f"{second.name[:28]}_2")
        two = (
            roster.prepare(first, self.sandbox),
            roster.prepare(second, self.sandbox),
        )
        for entry in two:
            entrant = build_entrant(self.game.name, entry, Path.cwd(), self.room)
            entrant.check_support(self.variant, self.table)
            check_partners([entrant], find_sides(self.variant, self.table))
        return two

    def _generate_matches(self, two: tuple[Entry, Entry], most: int) -> Iterator[PlannedMatch]:
        for deal in range(most):
            for rotation in range(2):
                order = two if rotation == 0 else two[::-1]
                yield PlannedMatch(deal, rotation, order[: 1 if self.is_cooperative else 2])

    def _build_dispatcher(self, two: Sequence[Entry], mark: str) -> Dispatcher:
        workers = self.workers or choose_concurrency(self.game, two, self.table)
        build_batch = partial(
            MatchBatch,
            game=self.game.name,
            variant=self.game.write_variant(self.variant),
            secret=derive_seed(self.seed, "secret"),
            limits=self.limits,
            transcripts="all" if self.records else "none",
            home=Path.cwd(),
            bots=self.room,
            folders=self.room,
            table=self.table,
        )
        start = partial(LocalWorkers().open, bots=self.room, mark=mark)
        return Dispatcher(start, build_batch, workers, mark)


def _order_pairs(dispatcher: Dispatcher, matches: Iterator[PlannedMatch]) -> Iterator[DealPair]:
    """Return the pairs in the order of their deals."""
    over: dict[tuple[int, int], MatchResult] = {}
    deal, more = 0, True
    while more or not dispatcher.idle:
        more = more and _add_matches(dispatcher, matches)
        for done in dispatcher.collect(POLL_SECONDS):
            over[done.deal, done.rotation] = done
        while (deal, 0) in over and (deal, 1) in over:
            yield _score_pair(over.pop((deal, 0)), over.pop((deal, 1)))
            deal += 1


def _add_matches(dispatcher: Dispatcher, matches: Iterator[PlannedMatch]) -> bool:
    """Add as many matches as the dispatcher needs; return whether there may be more."""
    while dispatcher.needs_matches():
        match = next(matches, None)
        if match is None:
            return False
        dispatcher.add(match)
    return True


def _score_pair(first: MatchResult, second: MatchResult) -> DealPair:
    """Count the points of the first bot in both matches."""
    if first.places is None or second.places is None or len(first.places) == 1:
        return DealPair(None, (first, second))
    return DealPair(
        _count_half_points(*first.places) + _count_half_points(*second.places[::-1]),
        (first, second),
    )


def _count_half_points(mine: int, theirs: int) -> int:
    return 2 if mine < theirs else 1 if mine == theirs else 0


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
    found = {seats: find_sides(variant, seats) for seats in tables}
    sides = {seats: len(those) for seats, those in found.items()}
    if partners:
        sides = {seats: sides[seats] for seats in tables if {*map(len, found[seats])} == {partners}}
    fitting = sorted((seats for seats in sides if sides[seats] <= SIDES), key=lambda n: -sides[n])
    if fitting:
        return fitting[0]
    if partners:
        raise UserError(f"{game.name} has no table of two teams of {partners}")
    if table is None:
        check_seat_count(game, SIDES)
    raise UserError(f"{game.name}: a duel needs a table of two sides, not of {sides[tables[0]]}")
