"""What is to be played next: first what was planned and not played, then what the format says.

Every deal is in the store before it is played, so that a tournament which was cut goes on with
the very matches that it lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

from attrs import Factory, define, field

from arena.rules import derived
from arena.tournament.jobs import Contestant, Job
from arena.tournament.plan import Deal, Format, Id, Past, Played, Terms
from arena.tournament.records import MatchResult
from arena.tournament.store import GONE, Store

BEGUN = 16  # more often than this no match is begun in one run
LOOK = 2  # deals for each entrant before it is seen whether the order is settled, at first
SELDOM = 10  # later after one part in so many of the deals so far
WAIT = None  # in place of a job: what comes next depends on matches under way


@define
class Schedule:
    """A tournament's matches in their order."""

    store: Store
    format: Format
    terms: Terms
    secret: str
    contestants: dict[Id, Contestant]  # who takes part, in the order of entry
    settled: Callable[[], bool] | None = None  # is it over before its format is through?
    open: bool = False  # is more to be expected when all is played?
    _past: Past = field(init=False)
    _stale: bool = False  # has something been cancelled that the past still counts?
    through: bool = field(default=False, init=False)  # have all who take part played their share?
    _results: list[Played] = Factory(list)  # of all deals before this number
    _known: int = 0

    def __attrs_post_init__(self) -> None:
        """Recall what was planned before."""
        self._past = self.store.past()

    @property
    def looks(self) -> bool:
        """Does it go on by what came out?"""
        return self.format.adaptive or self.settled is not None

    def jobs(self, idle: Callable[[], bool]) -> Iterator[Job | None]:
        """Return the matches to be played; WAIT while it takes results, or newcomers, to go on.

        `idle` says whether every job that was given is done.
        """
        yield from self._fit(self.store.todo())
        while True:
            while self.looks and not idle():
                yield WAIT
            deals = () if self.through else self._plan()
            if not deals:
                if not self.open:
                    return
                self.through = True
                yield WAIT
                continue
            yield from self._fit(
                (deal, rotation) for deal in deals for rotation in range(deal.rotations)
            )

    def let_in(self, contestant: Contestant) -> None:
        """Have somebody take part from now on, at deals that are planned from now on."""
        self.contestants[contestant.id] = contestant
        self.through = False

    def leave_out(self, one: Id) -> None:
        """Have somebody take part no more."""
        self.contestants.pop(one, None)
        self.through = False

    def drop(self, jobs: Iterable[Job], one: Id) -> None:
        """Cancel matches that were not begun: somebody who sat there takes part no more."""
        self.store.cancel([(job.deal, job.rotation) for job in jobs], GONE.format(one))
        self._stale = True

    def condemn(
        self, one: Id, verdicts: Sequence[MatchResult], rest: Iterable[Job], why: str
    ) -> None:
        """Have somebody take part no more who has these verdicts, and not play the rest."""
        keys = [(job.deal, job.rotation) for job in rest]
        self.store.condemn(one, verdicts, keys, why)
        self.leave_out(one)
        self._stale = True

    def _plan(self) -> Sequence[Deal]:
        """Plan the next deals, and keep the plan."""
        if self._stale:
            self._past, self._stale, self._known = self.store.past(), False, 0
        past, terms = self._past, self.terms
        if len(self.contestants) < terms.seats_per_match:
            return ()
        if self.format.adaptive:
            past.results = self._played()
        if self.settled and self.settled():
            return ()
        draw = Random(derived(self.secret, "draw", past.deals))
        seatings = self.format.next(tuple(self.contestants), past, terms, draw)
        if self.settled and not self.format.adaptive:  # the rest will be said again
            seatings = seatings[: max(LOOK * len(self.contestants), past.deals // SELDOM)]
        deals = [past.add(seating, terms.rotations(seating.seats)) for seating in seatings]
        self.store.plan(deals)
        return deals

    def _played(self) -> tuple[Played, ...]:
        """Return all that was played; it is asked when all that was planned is over."""
        if not self._known:
            self._results.clear()
        self._results.extend(self.store.played(self._known))
        self._known = self._past.deals
        return tuple(self._results)

    def _fit(self, planned: Iterable[tuple[Deal, int]]) -> Iterator[Job]:
        """Return those whose entrants all take part; cancel the others."""
        for deal, rotation in planned:
            gone = [one for one in deal.seats if one not in self.contestants]
            if gone:
                self.store.cancel([(deal.number, rotation)], GONE.format(gone[0]))
                self._stale = True
            else:
                seats = tuple(self.contestants[one] for one in deal.seated(rotation))
                yield Job(deal.number, rotation, seats, self._again(deal, seats))

    def _again(self, deal: Deal, seats: Sequence[Contestant]) -> int:
        """Return what makes it another deal than in the runs before to whoever may remember."""
        if not any(one.keeps for one in seats):
            return 0
        return BEGUN * self.store.begin(deal.number)
