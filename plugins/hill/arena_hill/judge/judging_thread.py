"""One attempt at judging a submission, in a thread that can be interrupted."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from threading import Event, Thread
from typing import Any

import structlog
from attrs import define, field

from arena.extend import Entry, now, release_all, to_printable
from arena_hill.db.hill_database import HillDatabase
from arena_hill.db.judging_queue import HOST_PROBLEM
from arena_hill.db.submissions import JudgingState, Submission
from arena_hill.judge.judging import RejectedError, SubmissionJudge, WithdrawnError
from arena_hill.problem_log import LastingProblem, log_problem

MAX_ATTEMPT_SECONDS = 900.0  # then it is rejected
WRITE_PAUSE_SECONDS = 10.0  # between two attempts at writing a result down
TOO_SLOW = (
    f"unpacking, building and checking took more than the limit of"
    f" {MAX_ATTEMPT_SECONDS / 60:.0f} minutes"
)
NOT_STORED = "judged, but withdrawn meanwhile, or the judge shuts down"
LATER = "this check takes longer than most, so others go first; then it starts again"

log = structlog.get_logger()


class Interruption(Enum):
    """The reason why an attempt is interrupted."""

    LATER = "other submissions are waiting"
    TOO_SLOW = "the time limit is exceeded"
    SHUTDOWN = "the judge shuts down"


@define(eq=False)
class JudgingThread:
    """An attempt at judging a submission, in its own thread."""

    submission: Submission
    judging: SubmissionJudge
    database: HillDatabase
    pause_seconds: float = WRITE_PAUSE_SECONDS
    lasting: LastingProblem = field(factory=LastingProblem)  #: what the judge has logged already
    interruption: Interruption | None = field(
        default=None, init=False
    )  #: why it is being cut short
    host_failed: bool = field(default=False, init=False)
    _thread: Thread = field(init=False)
    _began: float = field(init=False)
    _waiting_since: float | None = field(default=None, init=False)  # for the database
    _waited_seconds: float = field(default=0.0, init=False)
    _shutdown: Event = field(factory=Event, init=False)

    def __attrs_post_init__(self) -> None:
        """Prepare the thread; its time counts from now on."""
        self._began = now()
        name = f"try {self.submission.id}"
        self._thread = Thread(target=self.run, name=name, daemon=True)

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
        """The time used so far, without waiting for the database."""
        return (self._waiting_since or now()) - self._began - self._waited_seconds

    def interrupt(self, why: Interruption) -> None:
        """Kill its programs; call again until it is over, since it may start more of them."""
        self.interruption = (
            self.interruption if self.interruption and why is not Interruption.SHUTDOWN else why
        )
        if why is Interruption.SHUTDOWN:
            self._shutdown.set()
        release_all(self._thread.ident)

    def run(self) -> None:
        """Judge the submission and store the result."""
        try:
            entry = self.judging.judge(self.submission, self._move)
            said = self._accept(entry)
        except WithdrawnError:
            said = "withdrawn" if self.interruption is None else self._end_early()
        except RejectedError as problem:
            said = self._reject(problem) if self.interruption is None else self._end_early()
        except Exception as problem:  # noqa: BLE001  # the host's fault, whatever it is
            said = self._retry_later(problem) if self.interruption is None else self._end_early()
        tried = self.submission
        log.info(to_printable(said), submission=tried.id, bot=tried.bot, author=tried.author_name)

    @property
    def _id(self) -> int:
        return self.submission.id

    def _accept(self, entry: Entry) -> str:
        accepted = self._write(lambda: self.database.accept(self._id, entry))
        return f"accepted, version {entry.version}" if accepted else NOT_STORED

    def _reject(self, problem: RejectedError) -> str:
        why, known = str(problem), problem.known
        rejected = self._write(
            lambda: self.database.set_state(self._id, JudgingState.REJECTED, why, **known)
        )
        return f"rejected: {why}" if rejected else NOT_STORED

    def _retry_later(self, problem: Exception) -> str:
        """Queue the submission again after a failure of the host, which is logged."""
        self.host_failed = True
        log_problem("a submission could not be judged", problem, submission=self._id)
        self._write(lambda: self.database.retry(self._id, HOST_PROBLEM))
        return "the host failed; the submission is queued again"

    def _end_early(self) -> str:
        """Store the reason of the interruption, which explains any other failure."""
        if self.interruption is Interruption.TOO_SLOW:
            self._write(lambda: self.database.set_state(self._id, JudgingState.REJECTED, TOO_SLOW))
        elif self.interruption is Interruption.LATER:
            self._write(lambda: self.database.set_state(self._id, JudgingState.QUEUED, LATER))
        return f"interrupted: {self.interruption.value}" if self.interruption else ""

    def _move(self, step: JudgingState, **known: Any) -> None:
        self._waiting_since = now()
        try:
            if self.interruption or not self.database.set_state(self._id, step, **known):
                raise WithdrawnError
        finally:
            self._waited_seconds += now() - self._waiting_since
            self._waiting_since = None

    def _write(self, write: Callable[[], Any]) -> bool:
        """Write to the database, retrying until it works or the judge shuts down.

        Returns whether the submission was still in progress, and this became of it.
        """
        while True:
            try:
                return bool(write())
            except Exception as problem:  # noqa: BLE001  # it goes, and comes again
                self.lasting.say("the database cannot be written", problem)
            if self._shutdown.wait(self.pause_seconds):
                return False
