"""The places of a hill, which go to its best entrants."""

from __future__ import annotations

from collections.abc import Callable, Container

from attrs import Factory, define, field

from arena.rules import UserError
from arena.tournament.entries import Id, State, get_name
from arena.tournament.file.contents import HillConfig
from arena.tournament.reasons import NO_PLACE
from arena.tournament.run.delay_report import DelayReport
from arena.tournament.run.entrant_gate import EntrantGate, Unfit
from arena.tournament.run.schedule import Schedule
from arena.tournament.store import Store


@define
class HillPlaces:
    """Takes the place of the lowest entrant while there are too many, and gives free ones away."""

    config: HillConfig
    store: Store
    schedule: Schedule
    gate: EntrantGate
    say: Callable[[str], None]
    #: those that had played their share when the lowest was looked for last
    _candidates: frozenset[Id] = field(init=False, default=frozenset())
    _queue: list[Id] = field(init=False, factory=list)  # who waits for a place, the best first
    #: the places that were taken at the last check
    _size_when_filled: int = field(init=False, default=-1)
    _delay: DelayReport = field(
        init=False, default=Factory(lambda self: DelayReport(self.say), takes_self=True)
    )

    def drop_lowest(self) -> None:
        """Remove the lowest entrants while there are too many, once they have played their share.

        A lowest entrant that has not played its share may still rise, so nobody leaves.
        """
        size, entrants = self.config.size, self.schedule.entrants
        if len(entrants) <= size:
            return
        candidates = frozenset(filter(self._has_share, entrants))
        if candidates == self._candidates:
            return
        self._candidates = candidates
        ranking = self._rank(entrants)
        while len(entrants) > size and (lowest := ranking.pop()) in candidates:
            why = NO_PLACE.fill(count=len(entrants), size=size)
            self.store.entries.set_state(lowest, State.WAITING, why)
            self.schedule.leave_out(lowest)
            self._size_when_filled = -1
            self.say(f"{get_name(lowest)} falls off the hill, and waits for a place: {why}")

    def _has_share(self, entrant: Id) -> bool:
        """Whether an entrant has played its share: by then it has had its chance to rise."""
        return (
            self.schedule.is_exhausted
            or entrant in self._candidates
            or self.store.progress.has_results(entrant, self.config.share)
        )

    def fill(self) -> None:
        """Give free places to the best of those that wait for one.

        One that the host cannot make ready keeps its place in the queue, and the others behind it.
        """
        schedule, size = self.schedule, self.config.size
        if len(schedule.entrants) >= size or len(schedule.entrants) == self._size_when_filled:
            return
        entries = self.store.entries.list_all()
        waiting = {entry.id: entry for entry in entries if entry.state is State.WAITING}
        if waiting.keys() != {*self._queue}:
            self._queue = self._rank(waiting) if waiting else []
        for entrant in self._queue:
            if len(schedule.entrants) >= size:
                break
            entry = waiting[entrant]
            try:
                ready = self.gate.try_prepare(entry)
            except (UserError, OSError) as problem:
                self._delay.report(f"{entry.name} cannot come back yet", problem)
                return
            if isinstance(ready, Unfit):
                self.store.entries.set_state(entrant, State.UNFIT, ready.why)
                self.say(f"{entry.name} is left out: {ready.why}")
            else:
                self.store.entries.set_state(entrant, State.ACTIVE)
                schedule.admit(ready)
                self.say(f"{entry.name} comes back: there is a place for it")
        self._size_when_filled = len(schedule.entrants)
        self._delay.clear()

    def _rank(self, some: Container[Id]) -> list[Id]:
        """Return some of the entrants, the best first."""
        from arena.tournament.results.stored_ratings import StoredRatings  # slow, seldom needed

        return [entrant for entrant in StoredRatings(self.store).rank() if entrant in some]
