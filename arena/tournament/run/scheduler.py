"""The schedule: first planned matches without a result, then new matches from the format.

Every deal is stored before it is played, so that an interrupted tournament continues with exactly
the missing matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

from attrs import Factory, define, field

from arena.rules import derive_seed
from arena.tournament.models.schedule import Deal, Format, FormatTerms, Id, PastMatches, PlayedMatch
from arena.tournament.store import GONE, Store
from arena.tournament.worker.jobs import Contestant, Job

MAX_BEGINS = 16  # starts of one match in one run
FIRST_CHECK_DEALS = 2  # deals per entrant before the first check whether the order is certain
CHECK_INTERVAL = 10  # later checks after this fraction of the deals so far
WAIT = None  # instead of a job: the next ones depend on running matches


@define
class Schedule:
    """A tournament's matches in their order."""

    store: Store
    format: Format
    terms: FormatTerms
    secret: str
    contestants: dict[Id, Contestant]  # the active entrants, in the order of entry
    settled: Callable[[], bool] | None = None  # whether the tournament may stop early
    open: bool = False  # whether more entrants are expected
    _past: PastMatches = field(init=False)
    _stale: bool = False  # whether the past counts cancelled matches
    through: bool = field(default=False, init=False)  # whether all entrants have played their share
    _results: list[PlayedMatch] = Factory(list)  # of all deals before number `_known`
    _known: int = 0

    def __attrs_post_init__(self) -> None:
        """Load the past of the tournament."""
        self._past = self.store.load_past()

    @property
    def is_adaptive(self) -> bool:
        """Whether the schedule depends on results."""
        return self.format.adaptive or self.settled is not None

    def generate_jobs(self, idle: Callable[[], bool]) -> Iterator[Job | None]:
        """Yield the matches to play; WAIT where results or new entrants are needed first.

        `idle` returns whether all jobs so far are done.
        """
        yield from self._filter_jobs(self.store.list_todo())
        while True:
            while self.is_adaptive and not idle():
                yield WAIT
            deals = () if self.through else self._plan()
            if not deals:
                if not self.open:
                    return
                self.through = True
                yield WAIT
                continue
            yield from self._filter_jobs(
                (deal, rotation) for deal in deals for rotation in range(deal.rotations)
            )

    def admit(self, contestant: Contestant) -> None:
        """Add an entrant, for deals planned from now on."""
        self.contestants[contestant.id] = contestant
        self.through = False

    def leave_out(self, entrant: Id) -> None:
        """Remove an entrant."""
        self.contestants.pop(entrant, None)
        self.through = False

    def cancel(self, jobs: Iterable[Job], entrant: Id) -> None:
        """Cancel matches that have not started, because this entrant no longer takes part."""
        self.store.cancel([(job.deal, job.rotation) for job in jobs], GONE.format(entrant))
        self._stale = True

    def _plan(self) -> Sequence[Deal]:
        """Plan the next deals, and store the plan."""
        if self._stale:
            self._past, self._stale, self._known = self.store.load_past(), False, 0
        past, terms = self._past, self.terms
        if len(self.contestants) < terms.seats_per_match:
            return ()
        if self.format.adaptive:
            past.results = self._load_results()
        if self.settled and self.settled():
            return ()
        draw = Random(derive_seed(self.secret, "draw", past.deals))
        seatings = self.format.next(tuple(self.contestants), past, terms, draw)
        if self.settled and not self.format.adaptive:  # the remaining deals are planned again
            seatings = seatings[
                : max(FIRST_CHECK_DEALS * len(self.contestants), past.deals // CHECK_INTERVAL)
            ]
        deals = [past.add(seating, terms.count_rotations(seating.seats)) for seating in seatings]
        self.store.plan(deals)
        return deals

    def _load_results(self) -> tuple[PlayedMatch, ...]:
        """Return all results; called when all planned matches are over."""
        if not self._known:
            self._results.clear()
        self._results.extend(self.store.list_results(self._known))
        self._known = self._past.deals
        return tuple(self._results)

    def _filter_jobs(self, planned: Iterable[tuple[Deal, int]]) -> Iterator[Job]:
        """Yield the matches whose entrants all take part; cancel the others."""
        for deal, rotation in planned:
            gone = [entrant for entrant in deal.seats if entrant not in self.contestants]
            if gone:
                self.store.cancel([(deal.number, rotation)], GONE.format(gone[0]))
                self._stale = True
            else:
                seats = tuple(self.contestants[entrant] for entrant in deal.rotate(rotation))
                yield Job(deal.number, rotation, seats, self._count_replays(deal, seats))

    def _count_replays(self, deal: Deal, seats: Sequence[Contestant]) -> int:
        """Return the number of earlier runs of this deal, so that a replay gets a new seed."""
        if not any(contestant.keeps for contestant in seats):
            return 0
        return MAX_BEGINS * self.store.begin(deal.number)
