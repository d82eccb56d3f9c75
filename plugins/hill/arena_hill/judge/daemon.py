"""The judge: a process that judges submissions and accepts them.

It never holds up play. It judges two submissions at a time, each in a thread; whatever comes from a
stranger runs in processes in the sandbox. The hill's database says what comes next. A judge that is
killed leaves nothing running and nothing half done: the next judge queues its submissions again.

A quick bot never waits long for a slow one. Of the submissions that are being judged, the first one
goes on to its end. The other gives up its place once it has had a few seconds and another one waits
that has had no turn; it is judged again, from the beginning, after these.

A failure of the host is no reason to reject a bot. A failure that concerns one submission delays it
alone. Nothing is begun only while nothing can be judged at all, because the database, a disk or
the sandbox is out of order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from threading import Event
from time import monotonic

import structlog
from attrs import define, field

from arena import UserError
from arena.extend import (
    TournamentSpec,
    clean_up_around,
    get_data_folder,
    kill_programs,
    lock_open_file,
    make_scratch_folder,
    mark_processes,
)
from arena.host import remove_folder
from arena_hill.db.hill_database import HillDatabase
from arena_hill.db.judging_queue import is_suspect
from arena_hill.db.submissions import JudgingState, Submission
from arena_hill.judge.judging import FOLDER_PREFIX, READ_LOCK, SubmissionJudge
from arena_hill.judge.judging_thread import (
    MAX_ATTEMPT_SECONDS,
    Interruption,
    JudgingThread,
)
from arena_hill.judge.unused_copies import delete_unused_copies
from arena_hill.problem_log import LastingProblem

MAX_PARALLEL = 2  # submissions
TURN_SECONDS = 5.0  # that everybody has, whoever waits
POLL_SECONDS = 0.25  # seconds between two looks for work
RETRY_SECONDS = 10.0  # seconds in which nothing is begun when nothing can be
SHUTDOWN_SECONDS = 60.0  # seconds for threads whose programs were ended
DELETE_SECONDS = 30.0  # between two looks for copies that can be deleted
LOCK_FILE = "judge.lock"
MARK_LENGTH = 16

log = structlog.get_logger()


def ignore_beat() -> None:
    """Do nothing: the heartbeat of a judge that nobody monitors."""


@define
class JudgeDaemon:
    """Judges the submissions of a hill; `uploads` is the folder of uploads by SHA-256.

    Raises:
        UserError: where nothing would contain strangers' programs, unless `trust_everybody`.
    """

    spec: TournamentSpec
    database: HillDatabase
    uploads: Path
    trust_everybody: bool = field(default=False, kw_only=True)
    retry_seconds: float = field(default=RETRY_SECONDS, kw_only=True)
    judging: SubmissionJudge = field(init=False)
    _attempts: list[JudgingThread] = field(factory=list, init=False)  # the oldest first
    _later: set[int] = field(factory=set, init=False)  # submissions that had a turn
    _not_before: float = field(default=0.0, init=False)
    _in_doubt: bool = field(default=False, init=False)  # whether the sandbox still holds
    _delete_next: float = field(default=0.0, init=False)
    _problem: LastingProblem = field(factory=LastingProblem, init=False)  # nothing can be begun

    def __attrs_post_init__(self) -> None:
        """Find the sandbox for untrusted programs."""
        self.judging = SubmissionJudge.of(
            self.spec, self.uploads, trust_everybody=self.trust_everybody
        )

    def run(self, stopping: Event, beat: Callable[[], None] = ignore_beat) -> None:
        """Judge submissions until the event is set; unfinished ones are queued again.

        `beat` is called again and again, while all is well.

        Raises:
            UserError: where another judge of this hill is at work.
        """
        mark = sha256(str(get_data_folder(self.spec)).encode()).hexdigest()[:MARK_LENGTH]
        with self._lock(), clean_up_around(mark), mark_processes(mark, make_scratch_folder(mark)):
            self._recover()
            while not stopping.wait(POLL_SECONDS):
                beat()
                self._poll()
            self._requeue()
            self._end_programs(mark)

    def _poll(self) -> None:
        """Collect finished attempts, and start as many as there is room for."""
        for attempt in self._attempts:
            self._check_attempt(attempt)
        self._attempts = [attempt for attempt in self._attempts if not attempt.is_over]
        if monotonic() < self._not_before:
            return
        try:
            self._delete_copies()
            self._check_host()
            self._begin()
        except Exception as problem:  # noqa: BLE001  # the database is away, the disk is full
            self._not_before = monotonic() + self.retry_seconds
            self._problem.say("judging paused", problem)
            return
        if self._problem:
            log.warning("judging resumed")
        self._problem.clear()

    def _check_attempt(self, attempt: JudgingThread) -> None:
        if attempt.is_over:
            self._in_doubt |= attempt.host_failed
            change = (
                self._later.add
                if attempt.interruption is Interruption.LATER
                else self._later.discard
            )
            change(attempt.submission.id)
        elif attempt.interruption:
            attempt.interrupt(attempt.interruption)
        elif attempt.seconds > MAX_ATTEMPT_SECONDS:
            attempt.interrupt(Interruption.TOO_SLOW)

    def _delete_copies(self) -> None:
        """Delete unused copies from time to time."""
        if monotonic() < self._delete_next:
            return
        self._delete_next = monotonic() + DELETE_SECONDS
        with suppress(UserError), READ_LOCK:  # no copy is made meanwhile
            for version in delete_unused_copies(self.spec, self.database):
                log.info("unused copy deleted", version=version)

    def _check_host(self) -> None:
        """Raise an exception if the host cannot judge now, so that no submission fails for that."""
        self.judging.check_disk_space()
        if self._in_doubt:
            self.judging.check_sandbox()
        self._in_doubt = False

    def _begin(self) -> None:
        """Start the next attempts while there is room; else interrupt one to make room."""
        while len(self._attempts) < MAX_PARALLEL and (following := self.database.peek(self._later)):
            if self._attempts and any(map(is_suspect, [following, *self._current])):
                break
            if taken := self.database.take(self._later):
                self._attempts.append(
                    JudgingThread(
                        taken, self.judging, self.database, self.retry_seconds, self._problem
                    )
                )
                self._attempts[-1].start()
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
        following = self.database.peek(self._later)
        if following and following.id not in self._later and not is_suspect(following):
            had_turn[-1].interrupt(Interruption.LATER)

    def _requeue(self) -> None:
        for attempt in self._attempts:
            attempt.interrupt(Interruption.SHUTDOWN)
            if not attempt.is_over:
                with suppress(Exception):  # the next judge finds it
                    self.database.set_state(attempt.submission.id, JudgingState.QUEUED)

    def _end_programs(self, mark: str) -> None:
        """Kill all programs, so that the threads that wait for them end."""
        until = monotonic() + SHUTDOWN_SECONDS
        while (
            left := [attempt for attempt in self._attempts if not attempt.is_over]
        ) and monotonic() < until:
            for attempt in left:
                attempt.interrupt(Interruption.SHUTDOWN)
            kill_programs(mark)
            left[0].join(POLL_SECONDS)

    def _recover(self) -> None:
        """Queue the submissions again that an earlier judge was judging when it was killed."""
        for left in get_data_folder(self.spec).glob(f"{FOLDER_PREFIX}*"):
            remove_folder(left)
        if number := self.database.recover():
            log.warning("interrupted submissions queued again", submissions=number)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Lock the hill, so that only one judge works for it."""
        with (get_data_folder(self.spec) / LOCK_FILE).open("w") as file:
            try:
                lock_open_file(file)
            except OSError:
                raise UserError(f"another judge is already running for {self.spec.stem}") from None
            yield
