"""The porter: a process of its own, which tries what authors have sent and has it let in.

It never holds up play. Two submissions are tried at a time, each in a thread; all that is a
stranger's runs in processes in the sandbox. The register says what comes next. A porter that is
killed leaves nothing running and nothing half: the next one queues again what it was at.
"""

from __future__ import annotations

import fcntl
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

import structlog
from attrs import define, field

from arena.host import remove
from arena.rules import UserError, in_words
from arena.sandbox import release_all
from arena.tournament import TournamentSpec, folder, marked, room, sweep, swept
from arena.wires import printable
from arena_web.hill.masking import Masking
from arena_web.hill.register import Register
from arena_web.hill.submissions import Step, Submission
from arena_web.hill.trying import PREFIX, Gone, Refused, Tryout

AT_ONCE = 2  # submissions
LOOK = 0.25  # seconds between two looks for work
PAUSE = 10.0  # seconds in which nothing is begun when the host was at fault
ENDING = 60.0  # seconds for threads whose programs were ended
LOCK = "porter.lock"
MARK_LENGTH = 16

log = structlog.get_logger()


def nobody() -> None:
    """Show nobody that it goes on."""


@define
class Porter:
    """Tries the submissions of a hill; `uploads` holds them, each by its SHA-256.

    Raises:
        UserError: where nothing would contain strangers' programs, unless `trust_everybody`.
    """

    spec: TournamentSpec
    register: Register
    uploads: Path
    trust_everybody: bool = field(default=False, kw_only=True)
    pause: float = field(default=PAUSE, kw_only=True)
    tryout: Tryout = field(init=False)
    _stopping: Event = field(factory=Event, init=False)
    _busy: dict[int, Thread] = field(factory=dict, init=False)  # by submission
    _not_before: float = field(default=0.0, init=False)

    def __attrs_post_init__(self) -> None:
        """Find out what contains programs here."""
        self.tryout = Tryout.of(self.spec, self.uploads, trust_everybody=self.trust_everybody)

    def run(self, stopping: Event, beat: Callable[[], None] = nobody) -> None:
        """Try what comes until the event is set; what is at work then is queued again.

        `beat` is called again and again, while all is well.

        Raises:
            UserError: where another porter of this hill is at work.
        """
        self._stopping = stopping
        mark = sha256(str(folder(self.spec)).encode()).hexdigest()[:MARK_LENGTH]
        with self._alone(), swept(mark), marked(mark, room(mark)):
            self._tidy()
            while not stopping.wait(LOOK):
                beat()
                self._look()
            self._give_back()
            self._end(mark)

    def work(self, one: Submission) -> None:
        """Try a submission, which was taken, and take down what comes of it."""
        try:
            entry = self.tryout.enter(one, lambda step, **known: self._move(one, step, **known))
            self._take_down(lambda: self.register.fit(one.id, entry))
            said = f"fit, version {entry.version}"
        except Gone:
            said = "withdrawn"
        except Refused as problem:
            why, known = str(problem), problem.known
            self._take_down(lambda: self.register.move(one.id, Step.REFUSED, why, **known))
            said = f"refused: {why}"
        except Exception as problem:  # noqa: BLE001  # the host's fault, whatever it is
            said = self._failed(one, problem)
        log.info(printable(said), submission=one.id, bot=one.bot, author=one.author_name)

    def _failed(self, one: Submission, problem: Exception) -> str:
        """Take down that the host was at fault, and begin nothing for a while."""
        if self._stopping.is_set():
            return "given back"
        self._not_before = monotonic() + self.pause
        if not isinstance(problem, UserError):
            _log("a submission could not be tried", problem, submission=one.id)
        why = Masking(folder(self.spec), self.spec).line(in_words(problem))
        self._take_down(lambda: self.register.failed(one.id, why))
        return f"the host failed: {why}"

    def _move(self, one: Submission, step: Step, **known: Any) -> None:
        if self._stopping.is_set() or not self.register.move(one.id, step, **known):
            raise Gone

    def _take_down(self, write: Callable[[], Any]) -> None:
        """Write something down, as soon as the database takes it; nothing when this ends.

        What has failed because its programs were ended with the porter is no verdict.
        """
        while not self._stopping.is_set():
            try:
                write()
            except Exception as problem:  # noqa: BLE001  # it goes, and comes again
                _log("the register cannot be written", problem)
                self._stopping.wait(self.pause)
            else:
                return

    def _look(self) -> None:
        """Begin with as many as there is room for."""
        self._busy = {number: one for number, one in self._busy.items() if one.is_alive()}
        if monotonic() < self._not_before:
            return
        try:
            self.tryout.see_room()  # what waits for it does not fail
            while len(self._busy) < AT_ONCE and (one := self._next()):
                thread = Thread(target=self.work, args=(one,), name=f"try {one.id}", daemon=True)
                self._busy[one.id] = thread
                thread.start()
        except Exception as problem:  # noqa: BLE001  # the database is away, the disk is full
            self._not_before = monotonic() + self.pause
            _log("nothing can be begun", problem)

    def _next(self) -> Submission | None:
        """Take the next submission; a look alone writes nothing."""
        if not self.register.submissions(states=[Step.QUEUED], limit=1):
            return None
        return self.register.take()

    def _give_back(self) -> None:
        for number, thread in self._busy.items():
            if thread.is_alive():
                with suppress(Exception):  # the next porter finds it
                    self.register.move(number, Step.QUEUED)

    def _end(self, mark: str) -> None:
        """End all programs, and so the threads that wait for them."""
        until = monotonic() + ENDING
        while (left := [one for one in self._busy.values() if one.is_alive()]) and (
            monotonic() < until
        ):
            release_all()
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


def _log(event: str, problem: Exception, **fields: Any) -> None:
    """Log what went wrong, and where."""
    log.error(event, **fields, trace="".join(traceback.format_exception(problem)))
