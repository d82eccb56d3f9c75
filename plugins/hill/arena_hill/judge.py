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
from hashlib import sha256
from threading import Event
from time import monotonic
from typing import Self

import structlog
from attrs import define, field

from arena import UserError
from arena.host import remove_folder
from arena.tournament.workers.leftovers import RunMark
from arena_hill.daily_player import DailyPlayer
from arena_hill.db.judging_queue import HOST_PROBLEM_MESSAGE, JudgingQueue, is_suspect
from arena_hill.db.store import HillStore
from arena_hill.db.submissions import Submission
from arena_hill.file_locks import hold_free_file
from arena_hill.hill import Hill
from arena_hill.host_problems import LastingProblem
from arena_hill.judging_threads import MAX_ATTEMPT_SECONDS, Interruption, JudgingThread
from arena_hill.pauses import Pause
from arena_hill.shared_copies import SharedCopies
from arena_hill.submission_judge import FOLDER_PREFIX, SubmissionJudge
from arena_hill.submission_states import SubmissionState

MAX_PARALLEL = 2  # submissions
TURN_SECONDS = 5.0  # that everybody has, whoever waits
POLL_SECONDS = 0.25  # between two looks for work
RETRY_SECONDS = 10.0  # in which nothing is begun, or written, after that has failed
SHUTDOWN_SECONDS = 60.0  # for threads whose programs were ended
DELETE_SECONDS = 30.0  # between two looks for copies that can be deleted
LOCK_FILE = "judge.lock"
log = structlog.get_logger()


def ignore_beat() -> None:
    """Do nothing: the heartbeat of a judge that nobody monitors."""


@define
class JudgeDaemon:
    """Judges the submissions of a hill."""

    copies: SharedCopies
    judge: SubmissionJudge
    daily: DailyPlayer
    retry_seconds: float  #: until something is tried again that failed by the host's fault
    _attempts: list[JudgingThread] = field(factory=list, init=False)  # the oldest first
    _after_failure: Pause = field(factory=Pause, init=False)
    _after_deletion: Pause = field(factory=Pause, init=False)  # of copies
    _sandbox_in_doubt: bool = field(default=False, init=False)  # after a failure of the host
    _problem: LastingProblem = field(factory=LastingProblem, init=False)  # nothing can be begun

    @classmethod
    def of(
        cls,
        hill: Hill,
        store: HillStore,
        *,
        trust_everybody: bool = False,
        retry_seconds: float = RETRY_SECONDS,
    ) -> Self:
        """Create the judge of a hill; raise UserError without a sandbox for untrusted programs."""
        copies = SharedCopies(hill, store)
        judge = SubmissionJudge.of(copies, trust_everybody=trust_everybody)
        daily = DailyPlayer.of(copies, trust_everybody=trust_everybody)
        return cls(copies, judge, daily, retry_seconds)

    @property
    def hill(self) -> Hill:
        """The hill."""
        return self.copies.hill

    @property
    def queue(self) -> JudgingQueue:
        """The submissions that it judges."""
        return self.copies.store.queue

    def run(self, stopping: Event, beat: Callable[[], None] = ignore_beat) -> None:
        """Judge submissions until the event is set; unfinished ones are queued again.

        `beat` is called again and again, while all is well.

        Raises:
            UserError: where another judge of this hill is at work.
        """
        spec = self.hill.spec
        mark = RunMark.shorten(sha256(str(spec.data_folder).encode()).hexdigest())
        lock = hold_free_file(
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
                    self.queue.retry(submission.id, HOST_PROBLEM_MESSAGE)
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
        interruptible = self._attempts if alone else self._attempts[1:]
        had_turn = [attempt for attempt in interruptible if attempt.seconds > TURN_SECONDS]
        if not had_turn or any(attempt.interruption for attempt in self._attempts):
            return
        following = self.queue.peek()
        if following and not following.gave_way and not is_suspect(following):
            had_turn[-1].interrupt(Interruption.OTHERS_FIRST)

    def _requeue(self) -> None:
        for attempt in self._attempts:
            if not attempt.is_over:  # asked before it is interrupted, which may end it at once
                attempt.interrupt(Interruption.SHUTDOWN)
                with suppress(Exception):  # the next judge finds it
                    self.queue.set_state(attempt.submission.id, SubmissionState.QUEUED)

    def _end_programs(self, mark: RunMark) -> None:
        """Kill all programs, so that the threads that wait for them end."""
        until = monotonic() + SHUTDOWN_SECONDS
        while (
            attempts := [attempt for attempt in self._attempts if not attempt.is_over]
        ) and monotonic() < until:
            for attempt in attempts:
                attempt.kill_programs()
            mark.kill_programs()
            attempts[0].join(POLL_SECONDS)

    def _recover(self) -> None:
        """Queue the submissions again that an earlier judge was judging when it was killed."""
        for folder in self.hill.spec.data_folder.glob(f"{FOLDER_PREFIX}*"):
            remove_folder(folder)
        if number := self.queue.recover():
            log.warning("interrupted submissions queued again", submissions=number)
