"""The places of a hill, which go to its best entrants."""

from __future__ import annotations

from collections.abc import Container

from attrs import Factory, define, field

from arena.rules import UserError
from arena.tournament.entries import Id, State
from arena.tournament.file.contents import HillConfig
from arena.tournament.reasons import NO_PLACE
from arena.tournament.run.delay_report import DelayReport
from arena.tournament.run.hill_entrants import HillEntrants


@define
class HillPlaces:
    """Takes the place of the lowest entrant while there are too many, and gives free ones away."""

    config: HillConfig
    entrants: HillEntrants
    #: those that had played their share when the lowest was looked for last
    _candidates: frozenset[Id] = field(init=False, default=frozenset())
    _queue: list[Id] = field(init=False, factory=list)  # who waits for a place, the best first
    #: the places that were taken at the last check
    _size_when_filled: int = field(init=False, default=-1)
    _delay: DelayReport = field(
        init=False, default=Factory(lambda self: DelayReport(self.entrants.say), takes_self=True)
    )

    def drop_lowest(self) -> None:
        """Remove the lowest entrants while there are too many, once they have played their share.

        A lowest entrant that has not played its share may still rise, so nobody leaves.
        """
        size, entrants = self.config.size, self.entrants
        if entrants.size <= size:
            return
        playing = entrants.schedule.ready_entries
        candidates = frozenset(filter(self._has_share, playing))
        if candidates == self._candidates:
            return
        self._candidates = candidates
        ranking = self._rank(playing)
        while entrants.size > size and (lowest := ranking.pop()) in candidates:
            entrants.drop(lowest, NO_PLACE.fill(count=entrants.size, size=size))
            self._size_when_filled = -1

    def _has_share(self, entrant: Id) -> bool:
        """Whether an entrant has played its share: by then it has had its chance to rise."""
        return (
            self.entrants.schedule.is_exhausted
            or entrant in self._candidates
            or self.entrants.store.progress.has_results(entrant, self.config.share)
        )

    def fill(self) -> None:
        """Give free places to the best of those that wait for one.

        One that the host cannot make ready keeps its place in the queue, and the others behind it.
        """
        entrants, size = self.entrants, self.config.size
        if entrants.size >= size or entrants.size == self._size_when_filled:
            return
        entries = entrants.store.entries.list_all()
        waiting = {entry.id: entry for entry in entries if entry.state is State.WAITING}
        if waiting.keys() != {*self._queue}:
            self._queue = self._rank(waiting) if waiting else []
        for entrant in self._queue:
            if entrants.size >= size:
                break
            entry = waiting[entrant]
            try:
                ready = entrants.gate.try_prepare(entry)
            except (UserError, OSError) as problem:
                self._delay.report(f"{entry.name} cannot come back yet", problem)
                return
            entrants.take_back(entry, ready)
        self._size_when_filled = entrants.size
        self._delay.clear()

    def _rank(self, some: Container[Id]) -> list[Id]:
        """Return some of the entrants, the best first."""
        from arena.tournament.results.stored_ratings import StoredRatings  # slow, seldom needed

        return [entrant for entrant in StoredRatings(self.entrants.store).rank() if entrant in some]
