"""The porter: a process of its own, which judges what authors have sent and has it let in.

It never holds up play. Two submissions are judged at a time, each in a thread; all that is a
stranger's runs in processes in the sandbox. The register says what comes next. A porter that is
killed leaves nothing running and nothing half: the next one queues again what it was at.

Nobody who is quick waits long for who is slow. Of those that are being judged, the one that began
first goes on to its end. The other gives up its place once it has had a few seconds and somebody
waits who has had no turn; it is tried again, from the beginning, when all these are through.

What the host fails at waits. What fails for one submission puts off that one alone; only while
nothing at all can be judged (the register, a disk or the sandbox is out of order) is nothing begun.
"""

from __future__ import annotations

import fcntl
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from threading import Event
from time import monotonic

import structlog
from attrs import define, field

from arena.host import remove
from arena.rules import UserError, in_words
from arena.tournament import TournamentSpec, folder, marked, room, sweep, swept
from arena_web.hill.attempts import MAX_ATTEMPT_SECONDS, Attempt, Cut, log_problem
from arena_web.hill.bot_copies import delete_unneeded
from arena_web.hill.judging_queue import is_suspect
from arena_web.hill.register import Register
from arena_web.hill.submissions import Step, Submission
from arena_web.hill.trying import PREFIX, READING, Tryout

AT_ONCE = 2  # submissions
TURN_SECONDS = 5.0  # that everybody has, whoever waits
LOOK = 0.25  # seconds between two looks for work
PAUSE = 10.0  # seconds in which nothing is begun when nothing can be
ENDING = 60.0  # seconds for threads whose programs were ended
DELETE_SECONDS = 30.0  # between two looks for copies that can be deleted
LOCK = "porter.lock"
MARK_LENGTH = 16

log = structlog.get_logger()


def nobody() -> None:
    """Show nobody that it goes on."""


@define
class Porter:
    """Judges the submissions of a hill; `uploads` holds them, each by its SHA-256.

    Raises:
        UserError: where nothing would contain strangers' programs, unless `trust_everybody`.
    """

    spec: TournamentSpec
    register: Register
    uploads: Path
    trust_everybody: bool = field(default=False, kw_only=True)
    pause: float = field(default=PAUSE, kw_only=True)
    tryout: Tryout = field(init=False)
    _attempts: list[Attempt] = field(factory=list, init=False)  # the oldest first
    _later: set[int] = field(factory=set, init=False)  # submissions that had a turn
    _not_before: float = field(default=0.0, init=False)
    _in_doubt: bool = field(default=False, init=False)  # whether the sandbox still holds
    _delete_next: float = field(default=0.0, init=False)
    _problem: str = field(default="", init=False)  # for which nothing can be begun

    def __attrs_post_init__(self) -> None:
        """Find out what contains programs here."""
        self.tryout = Tryout.of(self.spec, self.uploads, trust_everybody=self.trust_everybody)

    def run(self, stopping: Event, beat: Callable[[], None] = nobody) -> None:
        """Judge what comes until the event is set; what is at work then is queued again.

        `beat` is called again and again, while all is well.

        Raises:
            UserError: where another porter of this hill is at work.
        """
        mark = sha256(str(folder(self.spec)).encode()).hexdigest()[:MARK_LENGTH]
        with self._alone(), swept(mark), marked(mark, room(mark)):
            self._tidy()
            while not stopping.wait(LOOK):
                beat()
                self._look()
            self._give_back()
            self._end(mark)

    def _look(self) -> None:
        """See to those that are being judged, and begin with as many as there is room for."""
        for attempt in self._attempts:
            self._see_to(attempt)
        self._attempts = [attempt for attempt in self._attempts if not attempt.is_over]
        if monotonic() < self._not_before:
            return
        try:
            self._delete_copies()
            self._see_host()
            self._begin()
        except Exception as problem:  # noqa: BLE001  # the database is away, the disk is full
            self._put_off(problem)

    def _see_to(self, attempt: Attempt) -> None:
        if attempt.is_over:
            self._in_doubt |= attempt.host_failed
            change = self._later.add if attempt.cut is Cut.LATER else self._later.discard
            change(attempt.submission.id)
        elif attempt.cut:
            attempt.cut_short(attempt.cut)
        elif attempt.seconds > MAX_ATTEMPT_SECONDS:
            attempt.cut_short(Cut.TOO_SLOW)

    def _delete_copies(self) -> None:
        """Delete, from time to time, the copies from which nobody plays any more."""
        if monotonic() < self._delete_next:
            return
        self._delete_next = monotonic() + DELETE_SECONDS
        with suppress(UserError), READING:  # no copy is made meanwhile
            for version in delete_unneeded(self.spec, self.register):
                log.info("a copy is deleted, from which nobody plays", version=version)

    def _see_host(self) -> None:
        """Raise an exception where nothing could be judged; what waits for that does not fail."""
        self.tryout.see_room()
        if self._in_doubt:
            self.tryout.see_sandbox()
        self._in_doubt = False
        if self._problem:
            log.warning("submissions are judged again")
        self._problem = ""

    def _put_off(self, problem: Exception) -> None:
        """Begin nothing for a while; say why once, whatever figures change in it."""
        self._not_before = monotonic() + self.pause
        if self._problem != (found := re.sub("[0-9]+", "", in_words(problem))):
            log_problem("nothing can be judged", problem)
        self._problem = found

    def _begin(self) -> None:
        """Begin with who is next, while there is room; else have somebody make room."""
        while len(self._attempts) < AT_ONCE and (following := self.register.peek(self._later)):
            if self._attempts and any(map(is_suspect, [following, *self._judged])):
                break
            if taken := self.register.take(self._later):
                self._attempts.append(Attempt(taken, self.tryout, self.register, self.pause))
                self._attempts[-1].start()
        self._make_room()

    @property
    def _judged(self) -> list[Submission]:
        return [attempt.submission for attempt in self._attempts]

    def _make_room(self) -> None:
        """Have an attempt give up its place to somebody who has had no turn.

        The oldest one keeps it, so that each comes to its end; a suspect does not.
        """
        alone = any(map(is_suspect, self._judged))
        able = self._attempts if alone else self._attempts[1:]
        had_turn = [attempt for attempt in able if attempt.seconds > TURN_SECONDS]
        if not had_turn or any(attempt.cut for attempt in self._attempts):
            return
        following = self.register.peek(self._later)
        if following and following.id not in self._later and not is_suspect(following):
            had_turn[-1].cut_short(Cut.LATER)

    def _give_back(self) -> None:
        for attempt in self._attempts:
            attempt.cut_short(Cut.SHUTDOWN)
            if not attempt.is_over:
                with suppress(Exception):  # the next porter finds it
                    self.register.move(attempt.submission.id, Step.QUEUED)

    def _end(self, mark: str) -> None:
        """End all programs, and so the threads that wait for them."""
        until = monotonic() + ENDING
        while (left := [one for one in self._attempts if not one.is_over]) and monotonic() < until:
            for attempt in left:
                attempt.cut_short(Cut.SHUTDOWN)
            sweep(mark)
            left[0].join(LOOK)

    def _tidy(self) -> None:
        """Begin anew what an earlier porter was at when it was killed."""
        for left in folder(self.spec).glob(f"{PREFIX}*"):
            remove(left)
        if number := self.register.recover():
            log.warning("cut off, and tried again", submissions=number)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """See that one porter at a time works for a hill."""
        with (folder(self.spec) / LOCK).open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UserError(f"another porter is at work for {self.spec.stem}") from None
            yield
