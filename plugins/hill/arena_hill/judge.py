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

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

import structlog
from attrs import define, evolve, field, frozen

from arena import UserError
from arena.check import CheckReport, CheckStage, check
from arena.files import lock_open_file
from arena.host import (
    BOT_FILE,
    BotError,
    ShortageError,
    blame_bot,
    build_folder_entrant,
    remove_folder,
    temporary_folder,
)
from arena.players import now
from arena.sandbox import Resources, Sandbox, find_sandbox, release_all
from arena.tournament import State
from arena.tournament.bot_copies import discard_copy, get_copy_name, measure_copies
from arena.tournament.bot_versions import BotVersions
from arena.tournament.commands import EntryCommand
from arena.tournament.entrant_sandboxes import SandboxResolver
from arena.tournament.file import TournamentSpec, get_data_folder, make_data_folder
from arena.tournament.leftovers import RunMark
from arena.tournament.lookalikes import TakenTexts
from arena.tournament.models import Containment, Entry
from arena.tournament.store import Store
from arena.wires import to_printable
from arena_hill.archive import BadArchiveError, unpack_in_sandbox
from arena_hill.db.database import HOST_PROBLEM, HillDatabase, is_suspect
from arena_hill.db.submissions import OPEN_STATES, JudgingState, Submission, looks_like_alias
from arena_hill.disk import find_shortage, measure_free_bytes
from arena_hill.hill_paths import get_copies_folder
from arena_hill.redaction import JudgingRedaction, LastingProblem, log_problem
from arena_hill.reserved_names import list_reserved_texts

FOLDER_PREFIX = ".judge-"  # of the folders in which submissions are tried
MAX_BUILD_SECONDS = 120.0  # seconds
BUILD_RESOURCES = Resources(memory_mb=1024, disk_mb=200)
MIN_FREE_TEMPORARY_BYTES = 64 << 20  # where programs work, which may be another disk
UNTRUSTED = Containment(untrusted=True)
READ_LOCK = Lock()  # a roster reads bots in its own folder, which all threads then are in
BOT_ERRORS = (BotError, BadArchiveError)
"""The exceptions for faults of a bot. Any other exception is the host's fault."""

VOID = "void"  # the kind of a finding: a match that could not be played

MAX_ATTEMPT_SECONDS = 900.0  # then it is rejected
WRITE_PAUSE_SECONDS = 10.0  # between two attempts at writing a result down
TOO_SLOW = (
    f"unpacking, building and checking took more than the limit of"
    f" {MAX_ATTEMPT_SECONDS / 60:.0f} minutes"
)
NOT_STORED = "judged, but withdrawn meanwhile, or the judge shuts down"
LATER = "this check takes longer than most, so others go first; then it starts again"

PLAYABLE_STATES = (State.ACTIVE, State.WAITING, State.UNFIT)
"""The states of entrants that play or may play again; the host may fix unfit ones."""

MAX_PARALLEL = 2  # submissions
TURN_SECONDS = 5.0  # that everybody has, whoever waits
POLL_SECONDS = 0.25  # seconds between two looks for work
RETRY_SECONDS = 10.0  # seconds in which nothing is begun when nothing can be
SHUTDOWN_SECONDS = 60.0  # seconds for threads whose programs were ended
DELETE_SECONDS = 30.0  # between two looks for copies that can be deleted
LOCK_FILE = "judge.lock"

SetState = Callable[..., None]
"""Records the next state, with what is known by then; raises WithdrawnError."""

log = structlog.get_logger()


class RejectedError(Exception):  # an answer
    """A rejected submission; the message gives the reason."""

    def __init__(self, why: str, **known: Any) -> None:
        super().__init__(why)
        self.known = known  # its log, its report


class WithdrawnError(Exception):  # an answer
    """A submission that was withdrawn while it was judged."""


class HostFailureError(Exception):  # the host's fault
    """A match of a check that could not be played; the message gives the reason."""


class Interruption(Enum):
    """The reason why an attempt is interrupted."""

    LATER = "other submissions are waiting"
    TOO_SLOW = "the time limit is exceeded"
    SHUTDOWN = "the judge shuts down"


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
        mark = RunMark.shorten(sha256(str(get_data_folder(self.spec)).encode()).hexdigest())
        with self._lock(), mark.clean_up_around(), mark.mark_processes():
            self._recover()
            while not stopping.wait(POLL_SECONDS):
                beat()
                self._poll()
            self._requeue()
            self._end_programs(mark)

    def _poll(self) -> None:
        """Collect finished attempts, and start as many as there is room for."""
        self._attempts = [attempt for attempt in self._attempts if self._is_going_on(attempt)]
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

    def _is_going_on(self, attempt: JudgingThread) -> bool:
        """Interrupt an attempt that has to end; note how one has ended, and return False then."""
        if attempt.is_over:
            self._in_doubt |= attempt.host_failed
            change = (
                self._later.add
                if attempt.interruption is Interruption.LATER
                else self._later.discard
            )
            change(attempt.submission.id)
            return False
        if attempt.interruption:
            attempt.interrupt(attempt.interruption)
        elif attempt.seconds > MAX_ATTEMPT_SECONDS:
            attempt.interrupt(Interruption.TOO_SLOW)
        return True

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

    def _end_programs(self, mark: RunMark) -> None:
        """Kill all programs, so that the threads that wait for them end."""
        until = monotonic() + SHUTDOWN_SECONDS
        while (
            left := [attempt for attempt in self._attempts if not attempt.is_over]
        ) and monotonic() < until:
            for attempt in left:
                attempt.interrupt(Interruption.SHUTDOWN)
            mark.kill_programs()
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


@frozen
class SubmissionJudge:
    """Judges submissions for a tournament, in a sandbox."""

    spec: TournamentSpec
    uploads: Path
    sandbox: Sandbox | None  # in which they play; None: everybody is trusted

    @classmethod
    def of(
        cls, spec: TournamentSpec, uploads: Path, *, trust_everybody: bool = False
    ) -> SubmissionJudge:
        """Create the judging of a tournament; raise UserError if there is no sandbox."""
        make_data_folder(spec)
        anybody = Entry("a submission", "", "", containment=UNTRUSTED)
        return cls(spec, uploads, SandboxResolver(spec, trust_everybody).resolve(anybody))

    @property
    def folder(self) -> Path:
        """The folder in which submissions are judged, on the disk of the entrants' copies."""
        return get_data_folder(self.spec)

    def judge(self, submission: Submission, move: SetState) -> Entry:
        """Judge a submission; return the entry of the accepted bot.

        Raises:
            RejectedError: for what it is, or what it did; nothing else may turn it away.
            WithdrawnError: it was withdrawn meanwhile.
            Exception: any other is the host's fault, and says nothing about the submission.
        """
        data = (self.uploads / f"{submission.sha256}.zip").read_bytes()
        if sha256(data).hexdigest() != submission.sha256:
            raise OSError(f"the upload {submission.sha256}.zip is not what was received")
        with temporary_folder(self.folder, prefix=FOLDER_PREFIX) as work:
            masking = JudgingRedaction(work, self.spec)
            try:
                return self._judge_upload(submission, data, work, masking, move)
            except RejectedError:
                self.check_disk_space()  # what goes wrong on a full disk says nothing about a bot
                raise
            except BOT_ERRORS as problem:
                self.check_disk_space()
                raise RejectedError(masking.redact_line(str(problem))) from None

    def _judge_upload(
        self,
        submission: Submission,
        data: bytes,
        work: Path,
        masking: JudgingRedaction,
        move: SetState,
    ) -> Entry:
        upload = work / "upload"
        upload.mkdir()
        unpack_in_sandbox(data, upload, self.sandbox)
        private = BotVersions(self.spec.game, work, work / "bots")
        with READ_LOCK:
            found = private.read_entry(str(upload), submission.bot, containment=UNTRUSTED)
        self._check_title(found)
        entry = evolve(found, bot=f"submission {submission.id}")
        move(JudgingState.BUILDING, version=entry.version)
        log = self._build(private, entry, upload, work, masking)
        move(JudgingState.CHECKING, log=log)
        report = self._check(private.build(entry), entry, move)
        packed = masking.redact_json(report.pack())
        if not report.passed:
            raise RejectedError(masking.redact_line(_describe_first_finding(report)), report=packed)
        move(JudgingState.CHECKING, report=packed)
        with READ_LOCK:
            copies = get_copies_folder(self.spec)
            private.move_copy(entry, upload, BotVersions(self.spec.game, self.spec.home, copies))
        return entry

    def _check_title(self, entry: Entry) -> None:
        """Raise RejectedError if a bot's title may be taken for another bot."""
        if not entry.title:
            return
        if looks_like_alias(entry.title):
            raise RejectedError(
                f"title: {entry.title!r} looks like the alias of a hidden bot; choose another title"
            )
        taken = TakenTexts()
        for owner, text in list_reserved_texts(self.spec):
            taken.add(text, owner)
        if other := taken.find(entry.title, entry.name):
            raise RejectedError(
                f"title: {entry.title!r} looks like {other!r}, another bot; choose another title"
            )

    def _build(
        self,
        private: BotVersions,
        entry: Entry,
        upload: Path,
        work: Path,
        masking: JudgingRedaction,
    ) -> str:
        """Build a copy; return the build log, or raise RejectedError with it."""
        building = self.sandbox and Sandbox(self.sandbox.tier, BUILD_RESOURCES)
        said = work / "log"
        said.touch()
        try:
            with said.open("wb") as log:
                copy = private.build(entry, building, seconds=MAX_BUILD_SECONDS, log=log)
            _check_unmodified_file(upload / BOT_FILE, copy / BOT_FILE)
        except BotError as problem:
            raise RejectedError(
                masking.redact_line(str(problem)), log=masking.read_log(said)
            ) from None
        return masking.read_log(said)

    def _check(self, copy: Path, entry: Entry, move: SetState) -> CheckReport:
        """Check a bot with the hill's settings; raise RejectedError if it fails."""
        spec = self.spec

        def show(_: CheckStage) -> None:
            move(JudgingState.CHECKING)  # it goes on

        found = build_folder_entrant(spec.game, entry.bot, copy, built=True, sandbox=self.sandbox)
        report = check(
            spec.game,
            evolve(found, name=entry.name),
            spec.variant,
            sizes=[spec.seats_per_match],
            limits=spec.file.time,
            show=show,
        )
        if void := next((finding for finding in report.findings if finding.kind == VOID), None):
            raise HostFailureError(f"a match of its check could not be played: {void.detail}")
        return report

    def check_disk_space(self) -> None:
        """Raise an error if a disk is too full to judge anything."""
        if shortage := find_shortage(self.folder):
            raise ShortageError(f"{self.folder}: {shortage}")
        temporary = Path(gettempdir())
        if (free := measure_free_bytes(temporary)) < MIN_FREE_TEMPORARY_BYTES:
            raise ShortageError(f"{temporary}: {free >> 20} MB are free on the disk")

    def check_sandbox(self) -> None:
        """Raise NoSandboxError if the sandbox no longer works."""
        if self.sandbox:
            find_sandbox(self.sandbox.tier)


def _describe_first_finding(report: CheckReport) -> str:
    """Describe the first finding of a check."""
    found = report.findings[0]
    return f'{found.kind} in "{found.situation}": {found.detail}. {found.advice}'


def _check_unmodified_file(before: Path, now: Path) -> None:
    """Raise BotError if a build has modified bot.toml."""
    expected = before.read_bytes()
    with blame_bot(now):
        same = now.is_file() and not now.is_symlink() and now.stat().st_size == len(expected)
        if not same or now.read_bytes() != expected:
            raise BotError(f"the build modified {BOT_FILE}, which is not allowed")


def delete_unused_copies(spec: TournamentSpec, database: HillDatabase) -> list[str]:
    """Delete the copies of submissions from which nobody plays any more; return their versions.

    A copy is needed as long as its version takes part or sits at a deal that is not over; and
    before that, from when it is made until the coordinator has let its version in. A version moves
    along that way while it is looked for. So it is looked for from the beginning of the way to its
    end, and none that is needed is missed. That no copy is made meanwhile is the caller's business.
    Copies of the host's own entrants stay.

    Raises:
        StorageError: where a database does not say what is needed.
    """
    there = measure_copies(get_copies_folder(spec)).keys()
    if not there or not Store.exists(spec.database):
        return []
    needed = {get_copy_name(version) for version in _list_versions_in_use(spec, database)}
    sent = {get_copy_name(version) for version in database.list_versions()}
    unneeded = sorted((there & sent) - needed)
    return [version for version in unneeded if discard_copy(get_copies_folder(spec), version)]


def _list_versions_in_use(spec: TournamentSpec, database: HillDatabase) -> Iterator[str]:
    """Return the versions that play or may play soon."""
    yield from database.list_versions(OPEN_STATES)
    with Store.open(spec.database, write=False) as store:
        last = store.get_last_command()
        yield from (
            command.entry.version
            for command in database.fetch(last)
            if isinstance(command, EntryCommand)
        )
        may_play = (entry for entry in store.list_entries() if entry.state in PLAYABLE_STATES)
        yield from (entry.version for entry in may_play)
        yield from (
            seat.rpartition("@")[2]
            for deal, number in store.list_todo()
            for seat in deal.rotate(number)
        )
