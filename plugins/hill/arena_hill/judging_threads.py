"""The threads in which a judge has submissions tried; each stores the outcome of one attempt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from threading import Event, Thread
from typing import TypeVar

import structlog
from attrs import define, field

from arena.players import now
from arena.sandbox import release_all
from arena.tournament.entries import Entry
from arena.wires import to_printable
from arena_hill.db.judging_queue import HOST_PROBLEM_MESSAGE, JudgingQueue
from arena_hill.db.submissions import NOTHING_NEW, Findings, Submission
from arena_hill.host_problems import LastingProblem, log_problem
from arena_hill.reserved_names import read_reserved_texts
from arena_hill.submission_judge import SubmissionJudge
from arena_hill.submission_states import SubmissionState
from arena_hill.trial import RejectedError, TrialStoppedError

MAX_ATTEMPT_SECONDS = 900.0  # then a submission is rejected
TOO_SLOW_MESSAGE = (
    f"unpacking, building and checking took more than the limit of"
    f" {MAX_ATTEMPT_SECONDS / 60:.0f} minutes"
)
WRITE_FAILED_MESSAGE = "the database cannot be written"
NOT_STORED_MESSAGE = "judged, but withdrawn meanwhile, or the judge shuts down"
log = structlog.get_logger()
T = TypeVar("T")


class Interruption(Enum):
    """The reason why an attempt is interrupted."""

    OTHERS_FIRST = "other submissions are waiting"
    TOO_SLOW = "the time limit is exceeded"
    SHUTDOWN = "the judge shuts down"


@define
class AttemptTime:
    """The time of an attempt, which does not count while it waits for the database."""

    clock: Callable[[], float]  #: seconds
    _start: float = field(init=False)
    _pause_start: float | None = field(default=None, init=False)

    @_start.default
    def _read_clock(self) -> float:
        return self.clock()

    @property
    def seconds(self) -> float:
        """The seconds that count so far."""
        pause_start = self._pause_start  # which the attempt's own thread may change meanwhile
        return (self.clock() if pause_start is None else pause_start) - self._start

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Stop the time for a block."""
        self._pause_start = start = self.clock()
        try:
            yield
        finally:
            self._start += self.clock() - start
            self._pause_start = None


@define(eq=False)
class JudgingThread:
    """The thread that has a submission judged, and stores the result."""

    submission: Submission
    judge: SubmissionJudge
    queue: JudgingQueue
    retry_seconds: float  #: between two attempts at writing the result down
    #: why it is being cut short
    interruption: Interruption | None = field(default=None, init=False)
    host_failed: bool = field(default=False, init=False)
    _thread: Thread = field(init=False)
    _time: AttemptTime = field(factory=lambda: AttemptTime(now), init=False)
    _shutdown: Event = field(factory=Event, init=False)

    @_thread.default
    def _create_thread(self) -> Thread:
        name = f"try {self.submission.id}"
        return Thread(target=self.run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def join(self, seconds: float) -> None:
        """Wait for the end of the attempt, at most this long."""
        self._thread.join(seconds)

    @property
    def is_over(self) -> bool:
        """Whether the attempt has ended."""
        return not self._thread.is_alive()

    @property
    def seconds(self) -> float:
        """The seconds used so far, without waiting for the database."""
        return self._time.seconds

    def interrupt(self, why: Interruption) -> None:
        """Cut the attempt short, for this reason instead of an earlier one."""
        self.interruption = why
        if why is Interruption.SHUTDOWN:
            self._shutdown.set()
        self.kill_programs()

    def kill_programs(self) -> None:
        """Kill its programs; call again until it is over, since it may start more of them."""
        release_all(self._thread.ident)

    def run(self) -> None:
        """Judge the submission and store the result."""
        try:
            entry = self.judge.run_trial(self.submission, self._set_state)
        except Exception as problem:  # noqa: BLE001  # the host's fault, unless it is one of two
            why = self.interruption
            outcome = self._fail(problem) if why is None else self._end_early(why)
        else:
            outcome = self._accept(entry)
        log.info(
            to_printable(outcome),
            submission=self._id,
            bot=self.submission.bot.name,
            author=self.submission.author_name,
        )

    @property
    def _id(self) -> int:
        return self.submission.id

    def _accept(self, entry: Entry) -> str:
        """Store that a submission passed, unless its title was taken meanwhile."""
        hill = self.judge.hill
        submission = self._write(
            lambda: self.queue.accept(self._id, entry, read_reserved_texts(hill))
        )
        if submission is None:
            return NOT_STORED_MESSAGE
        if submission.state is SubmissionState.REJECTED:
            return f"rejected: {submission.why}"
        return f"accepted, version {entry.version}"

    def _fail(self, problem: Exception) -> str:
        """Store the failure of an attempt that was not interrupted."""
        match problem:
            case TrialStoppedError():
                return "withdrawn"
            case RejectedError():
                return self._reject(problem)
            case _:
                return self._retry_later(problem)

    def _reject(self, problem: RejectedError) -> str:
        why, findings = str(problem), problem.findings
        rejected = self._write(lambda: self.queue.reject(self._id, why, findings))
        return f"rejected: {why}" if rejected else NOT_STORED_MESSAGE

    def _retry_later(self, problem: Exception) -> str:
        """Queue the submission again after a failure of the host, which is logged."""
        self.host_failed = True
        log_problem("a submission could not be judged", problem, submission=self._id)
        self._write(lambda: self.queue.retry(self._id, HOST_PROBLEM_MESSAGE))
        return "the host failed; the submission is queued again"

    def _end_early(self, why: Interruption) -> str:
        """Store the reason of the interruption, which explains any other failure."""
        match why:
            case Interruption.TOO_SLOW:
                self._write(lambda: self.queue.reject(self._id, TOO_SLOW_MESSAGE))
            case Interruption.OTHERS_FIRST:
                self._write(lambda: self.queue.give_way(self._id))
            case Interruption.SHUTDOWN:
                pass  # the daemon queues it again
        return f"interrupted: {why.value}"

    def _set_state(self, state: SubmissionState, findings: Findings = NOTHING_NEW) -> None:
        with self._time.pause():
            if self.interruption or not self.queue.set_state(self._id, state, findings=findings):
                raise TrialStoppedError

    def _write(self, write: Callable[[], T]) -> T | None:
        """Write to the database, retrying until it works or the judge shuts down.

        Returns the result of `write`, or None if nothing was written.
        """
        problems = LastingProblem()
        while True:
            try:
                return write()
            except Exception as problem:  # noqa: BLE001  # it goes, and comes again
                problems.log(WRITE_FAILED_MESSAGE, problem)
            if self._shutdown.wait(self.retry_seconds):
                return None
