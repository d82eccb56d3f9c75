"""The coordinator: it keeps the workers busy until all is played, and stores what they report.

Workers play, and only the coordinator's process writes to the store, with one transaction for each
match.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from time import sleep

from attrs import define, field

from arena.players import call_on_first_signal
from arena.tournament.entries import Id, State, get_name
from arena.tournament.match_record import ReportedMatch
from arena.tournament.reasons import KILLED_WORKERS, REPEATED_VERDICTS
from arena.tournament.run.admission import Admission
from arena.tournament.run.monitor import Monitor
from arena.tournament.run.schedule import Schedule
from arena.tournament.store import Store
from arena.tournament.workers.dispatcher import Dispatcher

POLL_SECONDS = 0.25  # between two checks of the clock
MAX_VERDICTS_IN_A_ROW = 5  # then an entrant is set aside


class Ending(StrEnum):
    """The reason for the end of a run."""

    PLAYED = "played"  #: all matches are played
    INTERRUPTED = "interrupted"  #: a signal came; running matches were finished


@define
class Coordinator:
    """One run of a tournament, from its present state."""

    store: Store
    schedule: Schedule
    dispatcher: Dispatcher
    monitor: Monitor
    admission: Admission | None = None  # of a tournament that stays open
    _stop_requested: bool = field(default=False, init=False)  # a signal asked for the end
    _is_finishing: bool = field(default=False, init=False)
    _verdicts_in_a_row: Counter[Id] = field(factory=Counter, init=False)  # of each entrant

    def run(self) -> Ending:
        """Play until nothing is left or a signal comes; a second one abandons running matches."""
        matches = self.schedule.plan_matches(lambda: self.dispatcher.idle)
        try:
            with call_on_first_signal(self._request_stop):
                more = True
                while more or not self.dispatcher.idle:
                    self.store.check_files()
                    if self._stop_requested and not self._is_finishing:
                        self._finish()
                    if self.admission and not self._is_finishing:
                        self.admission.poll()
                    self.schedule.cancel(self.dispatcher.drop(self.schedule.absentees))
                    more = more and not self._is_finishing and self.dispatcher.fill(matches)
                    if more and self.dispatcher.idle:
                        sleep(POLL_SECONDS)  # an open tournament waits for entrants
                    for record in self.dispatcher.collect(POLL_SECONDS):
                        self._take(record)
                    for entrant, keys in self.dispatcher.pop_culprits():
                        self._set_aside(entrant, KILLED_WORKERS.fill(keys=", ".join(keys)))
                    self.monitor.on_tick()
        except BaseException:
            self.dispatcher.workers.abandon()
            raise
        self.dispatcher.workers.close()
        return Ending.INTERRUPTED if self._is_finishing else Ending.PLAYED

    def _request_stop(self) -> None:
        """Record that a signal came; a signal handler may do no more."""
        self._stop_requested = True

    def _finish(self) -> None:
        """Start no further matches."""
        self._is_finishing = True
        self.dispatcher.finish()
        self.monitor.on_message(
            "finishing the matches in progress; interrupt again to abandon them"
        )

    def _take(self, record: ReportedMatch) -> None:
        """Store the result of a match; one that comes after the match is over counts nowhere."""
        if not self.store.matches.record(record):
            return
        self.monitor.on_match(record)
        for seat in record.seats if not record.is_void else ():
            if seat.id not in self.schedule.ready_entries:
                continue  # it takes part no more, and this match was begun before
            self._verdicts_in_a_row[seat.id] = (
                self._verdicts_in_a_row[seat.id] + 1 if seat.verdict else 0
            )
            if self._verdicts_in_a_row[seat.id] == MAX_VERDICTS_IN_A_ROW:
                self._verdicts_in_a_row[seat.id] = 0  # it may be let in again
                why = REPEATED_VERDICTS.fill(count=MAX_VERDICTS_IN_A_ROW, verdict=seat.verdict)
                self._set_aside(seat.id, why)

    def _set_aside(self, entrant: Id, why: str) -> None:
        """Let an entrant take part no more."""
        self.store.entries.set_state(entrant, State.ASIDE, why)
        self.schedule.leave_out(entrant)
        self.monitor.on_leave_out(f"{get_name(entrant)} is set aside: {why}")
