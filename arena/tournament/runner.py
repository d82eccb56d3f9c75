"""Running a tournament: the one coordinator, which plans, hands over, and writes.

Workers play; only this process writes to the store, one transaction for each match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from time import sleep

from attrs import define, field

from arena.players import on_signals
from arena.rules import End
from arena.tournament.admission import Admission
from arena.tournament.dispatcher import KILLED, Dispatcher
from arena.tournament.jobs import Job, crashed
from arena.tournament.plan import Id, id_of, name_of
from arena.tournament.records import MatchResult, State
from arena.tournament.schedule import WAIT, Schedule
from arena.tournament.store import Filter, Store
from arena.tournament.suspicion import told

LOOK = 0.25  # seconds between two looks at the clock
AGAIN_AND_AGAIN = 5  # verdicts one after the other set an entrant aside


class Monitor:
    """Derive from it, and say what is to be done when something happens."""

    def opened(self, store: Store) -> None:
        """See the store, before anything is played."""

    def preparing(self, text: str) -> None:
        """See who is being built or checked, before anything is played."""

    def done(self, done: MatchResult) -> None:
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

    PLAYED = "played"  #: all that there was to play
    INTERRUPTED = "interrupted"  #: when it was asked to; what was under way is finished


@define
class Runner:
    """One run of a tournament, from where it stands."""

    schedule: Schedule
    dispatcher: Dispatcher
    monitor: Monitor
    admission: Admission | None = None  # of a tournament that stays open
    _asked: bool = field(default=False, init=False)  # by a signal, to end
    _stopping: bool = field(default=False, init=False)
    _failing: Counter[Id] = field(factory=Counter, init=False)  # verdicts in a row
    _looked: tuple[int, ...] = field(default=(), init=False)  # at so much, who has killed
    _sound: set[Id] = field(factory=set, init=False)  # who have ended a match
    _before: list[frozenset[Id]] = field(init=False)  # who sat in void ones that had killed

    def __attrs_post_init__(self) -> None:
        """Recall the deaths of earlier runs of which it could not be told whose doing they were."""
        self._before = [
            frozenset(id_of(seat["name"], seat["version"]) for seat in match["seats"])
            for match in self.schedule.store.matches(Filter(end=End.VOID))
            if match["detail"].startswith(KILLED)
        ]
        tallies = self.schedule.store.tallies()
        self._sound = {one for one, tally in tallies.items() if tally.matches}

    def run(self) -> Ending:
        """Play until nothing is left, or a signal comes: the second abandons what is under way."""
        jobs = self.schedule.jobs(lambda: self.dispatcher.idle)
        try:
            with on_signals(self._ask):
                more = True
                while more or not self.dispatcher.idle:
                    if self._asked and not self._stopping:
                        self._finish()
                    self._admit()
                    more = more and not self._stopping and self._fill(jobs)
                    if more and self.dispatcher.idle:
                        sleep(LOOK)  # it is open, and all is played: until somebody comes
                    left = self.dispatcher.give_up() if self.dispatcher.stuck else ()
                    for done in (*left, *self.dispatcher.done(LOOK)):
                        self._take(done)
                    self._look_into_deaths()
                    self.monitor.tick()
        except BaseException:
            self.dispatcher.abandon()
            raise
        self.dispatcher.close()
        return Ending.INTERRUPTED if self._stopping else Ending.PLAYED

    def _fill(self, jobs: Iterator[Job | None]) -> bool:
        """Return the dispatcher what it wants; say whether there may be more."""
        if not self.dispatcher.wants():
            return True
        for job in jobs:
            if job is WAIT:
                return True
            self.dispatcher.add(job)
            if not self.dispatcher.wants():
                return True
        return False

    def _admit(self) -> None:
        """Let in and out who comes and goes."""
        if self.admission and not self._stopping:
            for one in self.admission.look():
                self.schedule.drop(self.dispatcher.drop(one), one)

    def _take(self, done: MatchResult) -> None:
        self.schedule.store.record(done)
        self.monitor.done(done)
        if self.admission:
            self.admission.count(done)
        if done.end is not End.VOID:
            self._sound.update(done.seats)
        elif done.detail.startswith(KILLED):
            self._before.append(frozenset(done.seats))
        for seat, one in enumerate(done.seats if done.end is not End.VOID else ()):
            self._failing[one] = self._failing[one] + 1 if seat in done.verdicts else 0
            if self._failing[one] == AGAIN_AND_AGAIN:
                self._set_aside(one, str(done.verdicts[seat]["kind"]))

    def _set_aside(self, one: Id, kind: str) -> None:
        why = f"{AGAIN_AND_AGAIN} verdicts in a row, the last {kind}"
        self.schedule.store.set_state(one, State.ASIDE, why)
        self.schedule.leave_out(one)
        self.monitor.left_out(f"{name_of(one)} is set aside: {why}")

    def _look_into_deaths(self) -> None:
        """Hold it against whoever has killed workers, once that can be told."""
        known = len(self.dispatcher.postponed), len(self._before), len(self._sound)
        if known == self._looked or not self.dispatcher.postponed:
            return
        self._looked = known
        tables = [*self._before, *(job.table for job in self.dispatcher.postponed)]
        if one := told(tables, self.schedule.contestants, self._sound):
            self._condemn(one)

    def _condemn(self, one: Id) -> None:
        """Hold against it all matches that were put off, and set it aside, at one stroke."""
        deadly = [job for job in self.dispatcher.postponed if one in job.table]
        rest = [job for job in self.dispatcher.drop(one) if job not in deadly]
        verdicts = [
            crashed(job, one, f"{KILLED}, as at other tables where it sat") for job in deadly
        ]
        why = f"it has killed the workers of {len(deadly)} matches"
        self.schedule.condemn(one, verdicts, rest, why)
        self._before = [table for table in self._before if one not in table]
        for done in verdicts:
            self.monitor.done(done)
        self.monitor.left_out(f"{name_of(one)} is set aside: {why}")

    def _ask(self) -> None:
        """Take down that a signal came; in the middle of anything no more can be done."""
        self._asked = True

    def _finish(self) -> None:
        """Begin nothing more."""
        self._stopping = True
        self.dispatcher.finish()
        self.monitor.say("finishing the matches under way; again, to abandon them")
