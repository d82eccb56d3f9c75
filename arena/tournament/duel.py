"""Two bots, deal after deal, each played twice with the seats swapped.

The pairs come in the order of their deals, whatever worker was faster: so a test that stops
after one of them stops there again when it is run again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from attrs import frozen

from arena.host import Limits
from arena.plugins import Game
from arena.rules import Variant, derived, fresh
from arena.sandbox import Sandbox
from arena.tournament.dispatcher import Dispatcher, usual
from arena.tournament.executors import Local, sweep, swept
from arena.tournament.jobs import Contestant, Job, Task, seated
from arena.tournament.records import MatchResult
from arena.tournament.roster import Roster

LOOK = 0.25  # seconds
MARK = 16  # digits


@frozen
class Pair:
    """One deal, played twice."""

    points: int | None  # half points of the first bot, 0 to 4; None where a match was void
    matches: tuple[MatchResult, MatchResult]


@frozen
class Duel:
    """Who meets whom, and how."""

    game: Game
    variant: Variant
    bots: tuple[str, str]
    seed: str
    limits: Limits
    workers: int | None
    room: Path  # for copies of bots' folders
    records: bool = False  # are transcripts made?
    sandbox: Sandbox | None = None  # None: both are trusted

    def pairs(self, most: int) -> Iterator[Pair]:
        """Play, and return pairs until nobody asks for more, or so many are over."""
        two = self._contestants()
        mark = fresh()[:MARK]  # another duel may have the same seed
        with swept(mark):
            dispatcher = self._dispatcher(two, mark)
            try:
                yield from _in_order(dispatcher, self._jobs(two, most))
            finally:
                dispatcher.abandon()

    def _contestants(self) -> tuple[Contestant, Contestant]:
        roster = Roster(self.game, Path.cwd(), self.room)
        first, second = (roster.entry(bot) for bot in self.bots)
        if first.name == second.name:
            second = roster.entry(self.bots[1], f"{second.name[:28]}_2")
        two = roster.contestant(first, self.sandbox), roster.contestant(second, self.sandbox)
        for one in two:
            seated(self.game.name, one, Path.cwd(), self.room).check_supported(
                self.variant, len(two)
            )
        return two

    def _jobs(self, two: tuple[Contestant, Contestant], most: int) -> Iterator[Job]:
        for deal in range(most):
            for rotation in range(2):
                yield Job(deal, rotation, two if rotation == 0 else two[::-1])

    def _dispatcher(self, two: Sequence[Contestant], mark: str) -> Dispatcher:
        workers = self.workers or usual(self.game, two, 2)
        task = partial(
            Task,
            game=self.game.name,
            variant=self.game.write_variant(self.variant),
            secret=derived(self.seed, "secret"),
            limits=self.limits,
            transcripts="all" if self.records else "none",
            home=Path.cwd(),
            bots=self.room,
            folders=self.room,
        )
        start = partial(Local().open, workers, self.room, mark)
        return Dispatcher(start, task, workers, partial(sweep, mark))


def _in_order(dispatcher: Dispatcher, jobs: Iterator[Job]) -> Iterator[Pair]:
    """Return the pairs in the order of their deals."""
    over: dict[tuple[int, int], MatchResult] = {}
    deal, more = 0, True
    while more or not dispatcher.idle:
        while more and dispatcher.wants():
            job = next(jobs, None)
            more = job is not None
            if job:
                dispatcher.add(job)
        for done in (*dispatcher.done(LOOK), *dispatcher.give_up()):
            over[done.deal, done.rotation] = done
        while (deal, 0) in over and (deal, 1) in over:
            yield _pair(over.pop((deal, 0)), over.pop((deal, 1)))
            deal += 1


def _pair(one: MatchResult, other: MatchResult) -> Pair:
    """Count what the bot that sat first in the first of the two made of both."""
    if one.places is None or other.places is None:
        return Pair(None, (one, other))
    return Pair(_half_points(*one.places) + _half_points(*other.places[::-1]), (one, other))


def _half_points(mine: int, theirs: int) -> int:
    return 2 if mine < theirs else 1 if mine == theirs else 0
