"""Running a tournament: the one coordinator, which plans, hands over, and writes.

Workers play; only this process writes to the store, one transaction for each match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum

from attrs import define, field

from arena.interrupts import on_signals
from arena.outcome import End
from arena.tournament.crew import Crew
from arena.tournament.jobs import Job
from arena.tournament.plan import Id, name_of
from arena.tournament.records import Done, State
from arena.tournament.schedule import WAIT, Schedule
from arena.tournament.store import Store

LOOK = 0.25  # seconds between two looks at the clock while matches are played
AGAIN_AND_AGAIN = 5  # verdicts one after the other set an entrant aside


class Monitor:
    """Derive from it, and say what is to be done when something happens."""

    def opened(self, store: Store) -> None:
        """See the store, before anything is played."""

    def done(self, done: Done) -> None:
        """See a match that is over and stored."""

    def left_out(self, text: str) -> None:
        """See that somebody takes part no more, and why."""

    def say(self, text: str) -> None:
        """See something that a host should read."""

    def tick(self) -> None:
        """See that time has gone by."""

    def finished(self) -> None:
        """See that the run is over; the store is open still."""


class Ending(StrEnum):
    """Why a run ended."""

    PLAYED = "played"  # all that there was to play
    INTERRUPTED = "interrupted"  # when it was asked to; what was under way is finished


@define
class Runner:
    """One run of a tournament, from where it stands."""

    schedule: Schedule
    crew: Crew
    monitor: Monitor
    _asked: bool = field(default=False, init=False)  # by a signal, to end
    _stopping: bool = field(default=False, init=False)
    _failing: Counter[Id] = field(factory=Counter, init=False)  # verdicts in a row

    def run(self) -> Ending:
        """Play until nothing is left, or a signal comes: the second abandons what is under way."""
        jobs = self.schedule.jobs(lambda: self.crew.idle)
        try:
            with on_signals(self._ask):
                more = True
                while more or not self.crew.idle:
                    if self._asked and not self._stopping:
                        self._finish()
                    more = more and not self._stopping and self._fill(jobs)
                    for done in self.crew.done(LOOK):
                        self._take(done)
                    self.monitor.tick()
        except BaseException:
            self.crew.abandon()
            raise
        self.crew.close()
        return Ending.INTERRUPTED if self._stopping else Ending.PLAYED

    def _fill(self, jobs: Iterator[Job | None]) -> bool:
        """Give the crew what it wants; say whether there may be more."""
        if not self.crew.wants():
            return True
        for job in jobs:
            if job is WAIT:
                return True
            self.crew.add(job)
            if not self.crew.wants():
                return True
        return False

    def _take(self, done: Done) -> None:
        self.schedule.store.record(done)
        self.monitor.done(done)
        for seat, one in enumerate(done.seats if done.end is not End.VOID else ()):
            self._failing[one] = self._failing[one] + 1 if seat in done.verdicts else 0
            if self._failing[one] == AGAIN_AND_AGAIN:
                self._set_aside(one, str(done.verdicts[seat]["kind"]))

    def _set_aside(self, one: Id, kind: str) -> None:
        why = f"{AGAIN_AND_AGAIN} verdicts in a row, the last {kind}"
        self.schedule.store.set_state(one, State.ASIDE, why)
        self.schedule.leave_out(one)
        self.monitor.left_out(f"{name_of(one)} is set aside: {why}")

    def _ask(self) -> None:
        """Take down that a signal came; in the middle of anything no more can be done."""
        self._asked = True

    def _finish(self) -> None:
        """Begin nothing more."""
        self._stopping = True
        self.crew.finish()
        self.monitor.say("finishing the matches under way; again, to abandon them")
