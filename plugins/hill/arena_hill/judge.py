"""The judge of a hill, a process that unpacks, builds, checks and accepts what authors submit.

It never delays play. It judges two submissions at a time, each in a thread. Strangers' programs run
as processes in the sandbox, in a temporary folder. The hill's database says what comes next. So a
judge that is killed leaves nothing running and nothing half done: the next judge queues its
submissions again, and begins anew from the archives; a copy that was handed over is complete.

A quick bot never waits long for a slow one. Of the two submissions being judged, the first
continues to its end. The other gives up its place after a few seconds if another submission waits
for its first turn; it is judged again, from the beginning, after these.

A failure of the host is no reason to reject a bot. A failure with one submission delays only that
one. The judge stops taking submissions only if it cannot judge any, because the database, a disk or
the sandbox does not work.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from hashlib import sha256
from threading import Event, Thread
from time import monotonic
from typing import TypeVar

import structlog
from attrs import define, field

from arena import UserError
from arena.host import remove_folder
from arena.players import now
from arena.sandbox import release_all
from arena.tournament.entries import Entry
from arena.tournament.workers.leftovers import RunMark
from arena.wires import to_printable
from arena_hill.daily_player import DailyPlayer
from arena_hill.db.judging_queue import HOST_PROBLEM, JudgingQueue, is_suspect
from arena_hill.db.store import HillStore
from arena_hill.db.submissions import NOTHING_NEW, Findings, Submission
from arena_hill.file_locks import hold_file
from arena_hill.hill import Hill
from arena_hill.host_problems import LastingProblem, log_problem
from arena_hill.pauses import Pause
from arena_hill.reserved_names import read_reserved_texts
from arena_hill.shared_copies import SharedCopies
from arena_hill.submission_judge import FOLDER_PREFIX, SubmissionJudge
from arena_hill.submission_states import SubmissionState
from arena_hill.trial import RejectedError, TrialStoppedError

MAX_ATTEMPT_SECONDS = 900.0  # then it is rejected
TOO_SLOW = (
    f"unpacking, building and checking took more than the limit of"
    f" {MAX_ATTEMPT_SECONDS / 60:.0f} minutes"
)
WRITE_FAILED = "the database cannot be written"
NOT_STORED = "judged, but withdrawn meanwhile, or the judge shuts down"
MAX_PARALLEL = 2  # submissions
TURN_SECONDS = 5.0  # that everybody has, whoever waits
POLL_SECONDS = 0.25  # between two looks for work
RETRY_SECONDS = 10.0  # in which nothing is begun, or written, after that has failed
SHUTDOWN_SECONDS = 60.0  # for threads whose programs were ended
DELETE_SECONDS = 30.0  # between two looks for copies that can be deleted
LOCK_FILE = "judge.lock"
log = structlog.get_logger()
T = TypeVar("T")


class Interruption(Enum):
    """The reason why an attempt is interrupted."""

    OTHERS_FIRST = "other submissions are waiting"
    TOO_SLOW = "the time limit is exceeded"
    SHUTDOWN = "the judge shuts down"


def ignore_beat() -> None:
    """Do nothing: the heartbeat of a judge that nobody monitors."""


@define
class JudgeDaemon:
    """Judges the submissions of a hill.

    Raises:
        UserError: where nothing would contain strangers' programs, unless `trust_everybody`.
    """

    hill: Hill
    store: HillStore
    trust_everybody: bool = field(default=False, kw_only=True)
    retry_seconds: float = field(default=RETRY_SECONDS, kw_only=True)
    copies: SharedCopies = field(init=False)
    judge: SubmissionJudge = field(init=False)
    daily: DailyPlayer = field(init=False)
    _attempts: list[JudgingThread] = field(factory=list, init=False)  # the oldest first
    _after_failure: Pause = field(factory=Pause, init=False)
    _after_deletion: Pause = field(factory=Pause, init=False)  # of copies
    _sandbox_in_doubt: bool = field(default=False, init=False)  # after a failure of the host
    _problem: LastingProblem = field(factory=LastingProblem, init=False)  # nothing can be begun

    def __attrs_post_init__(self) -> None:
        """Find the sandbox for untrusted programs."""
        self.copies = SharedCopies(self.hill, self.store)
        self.judge = SubmissionJudge.of(self.copies, trust_everybody=self.trust_everybody)
        self.daily = DailyPlayer.of(self.copies, trust_everybody=self.trust_everybody)

    @property
    def queue(self) -> JudgingQueue:
        """The submissions that it judges."""
        return self.store.queue

    def run(self, stopping: Event, beat: Callable[[], None] = ignore_beat) -> None:
        """Judge submissions until the event is set; unfinished ones are queued again.

        `beat` is called again and again, while all is well.

        Raises:
            UserError: where another judge of this hill is at work.
        """
        spec = self.hill.spec
        mark = RunMark.shorten(sha256(str(spec.data_folder).encode()).hexdigest())
        lock = hold_file(
            spec.data_folder / LOCK_FILE, f"another judge is already running for {spec.stem}"
        )
        with lock, mark.clean_up_around(), mark.mark_processes():
            self._recover()
            while not stopping.wait(POLL_SECONDS):
                beat()
                self._poll()
            self._requeue()
            self.daily.stop()
            self._end_programs(mark)

    def _poll(self) -> None:
        """Collect finished attempts, and start as many as there is room for."""
        self._collect()
        if not self._after_failure.is_over:
            return
        try:
            self._delete_copies()
            self._check_host()
            self._begin()
            if not self._attempts:  # nobody who submits waits for it
                self.daily.poll()
        except Exception as problem:  # noqa: BLE001  # the database is away, the disk is full
            self._after_failure.begin(self.retry_seconds)
            self._problem.log("judging paused", problem)
            return
        if self._problem:
            log.warning("judging resumed")
        self._problem.clear()

    def _collect(self) -> None:
        """Let go of the attempts that are over; end those that have to end."""
        for attempt in [*self._attempts]:
            if attempt.is_over:
                self._attempts.remove(attempt)
                self._sandbox_in_doubt |= attempt.host_failed
            elif attempt.interruption:
                attempt.kill_programs()  # it may have started more
            elif attempt.seconds > MAX_ATTEMPT_SECONDS:
                attempt.interrupt(Interruption.TOO_SLOW)

    def _delete_copies(self) -> None:
        """Delete unused copies from time to time."""
        if not self._after_deletion.is_over:
            return
        self._after_deletion.begin(DELETE_SECONDS)
        with suppress(UserError):
            for version in self.copies.delete_unused():
                log.info("unused copy deleted", version=version)

    def _check_host(self) -> None:
        """Raise an exception if the host cannot judge now, so that no submission fails for that."""
        self.judge.check_disk_space()
        if self._sandbox_in_doubt:
            self.judge.check_sandbox()
        self._sandbox_in_doubt = False

    def _begin(self) -> None:
        """Start the next attempts while there is room; else interrupt one to make room."""
        while len(self._attempts) < MAX_PARALLEL and (following := self.queue.peek()):
            if self._attempts and any(map(is_suspect, [following, *self._current])):
                break
            if submission := self.queue.take():
                attempt = JudgingThread(submission, self.judge, self.queue, self.retry_seconds)
                try:
                    attempt.start()
                except RuntimeError:  # no thread can be had; it would wait for its end for ever
                    self.queue.retry(submission.id, HOST_PROBLEM)
                    raise
                self._attempts.append(attempt)
        self._make_room()

    @property
    def _current(self) -> list[Submission]:
        return [attempt.submission for attempt in self._attempts]

    def _make_room(self) -> None:
        """Interrupt an attempt if a submission waits that has had no turn.

        The oldest attempt continues, so that each comes to its end, unless it is a suspect.
        """
        alone = any(map(is_suspect, self._current))
        able = self._attempts if alone else self._attempts[1:]
        had_turn = [attempt for attempt in able if attempt.seconds > TURN_SECONDS]
        if not had_turn or any(attempt.interruption for attempt in self._attempts):
            return
        following = self.queue.peek()
        if following and not following.gave_way and not is_suspect(following):
            had_turn[-1].interrupt(Interruption.OTHERS_FIRST)

    def _requeue(self) -> None:
        for attempt in self._attempts:
            attempt.interrupt(Interruption.SHUTDOWN)
            if not attempt.is_over:
                with suppress(Exception):  # the next judge finds it
                    self.queue.set_state(attempt.submission.id, SubmissionState.QUEUED)

    def _end_programs(self, mark: RunMark) -> None:
        """Kill all programs, so that the threads that wait for them end."""
        until = monotonic() + SHUTDOWN_SECONDS
        while (
            left := [attempt for attempt in self._attempts if not attempt.is_over]
        ) and monotonic() < until:
            for attempt in left:
                attempt.kill_programs()
            mark.kill_programs()
            left[0].join(POLL_SECONDS)

    def _recover(self) -> None:
        """Queue the submissions again that an earlier judge was judging when it was killed."""
        for left in self.hill.spec.data_folder.glob(f"{FOLDER_PREFIX}*"):
            remove_folder(left)
        if number := self.queue.recover():
            log.warning("interrupted submissions queued again", submissions=number)


@define(eq=False)
class JudgingThread:
    """The thread that has a submission judged, and stores the result."""

    submission: Submission
    judge: SubmissionJudge
    queue: JudgingQueue
    retry_seconds: float  #: between two attempts at writing the result down
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
            return NOT_STORED
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
        return f"rejected: {why}" if rejected else NOT_STORED

    def _retry_later(self, problem: Exception) -> str:
        """Queue the submission again after a failure of the host, which is logged."""
        self.host_failed = True
        log_problem("a submission could not be judged", problem, submission=self._id)
        self._write(lambda: self.queue.retry(self._id, HOST_PROBLEM))
        return "the host failed; the submission is queued again"

    def _end_early(self, why: Interruption) -> str:
        """Store the reason of the interruption, which explains any other failure."""
        match why:
            case Interruption.TOO_SLOW:
                self._write(lambda: self.queue.reject(self._id, TOO_SLOW))
            case Interruption.OTHERS_FIRST:
                self._write(lambda: self.queue.give_way(self._id))
            case Interruption.SHUTDOWN:
                pass  # the daemon queues it again
        return f"interrupted: {why.value}"

    def _set_state(self, state: SubmissionState, findings: Findings = NOTHING_NEW) -> None:
        self._waiting_since = now()
        try:
            if self.interruption or not self.queue.set_state(self._id, state, findings=findings):
                raise TrialStoppedError
        finally:
            self._waited_seconds += now() - self._waiting_since
            self._waiting_since = None

    def _write(self, write: Callable[[], T]) -> T | None:
        """Write to the database, retrying until it works or the judge shuts down.

        Returns the result of `write`, or None if nothing was written.
        """
        problems = LastingProblem()
        while True:
            try:
                return write()
            except Exception as problem:  # noqa: BLE001  # it goes, and comes again
                problems.log(WRITE_FAILED, problem)
            if self._shutdown.wait(self.retry_seconds):
                return None
