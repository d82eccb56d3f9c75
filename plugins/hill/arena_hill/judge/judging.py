"""Judging a submission: it is unpacked, built and checked.

All of that happens in a folder of its own, which goes with it. So whatever is cut off on the way
leaves nothing behind, and is begun anew from the archive; a copy that is handed over is whole.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from threading import Lock
from typing import Any

from attrs import evolve, frozen

from arena.extend import (
    CheckReport,
    CheckStage,
    Containment,
    Entry,
    Resources,
    Roster,
    Sandbox,
    SandboxResolver,
    TournamentSpec,
    check,
    find_sandbox,
    make_data_folder,
)
from arena.extend import get_data_folder as folder_of
from arena.host import (
    BOT_FILE,
    BotError,
    ShortageError,
    blame_bot,
    build_folder_entrant,
    temporary_folder,
)
from arena_hill.archives.archive import BadArchiveError, unpack_in_sandbox
from arena_hill.db.submissions import JudgingState, Submission
from arena_hill.disk_space import find_shortage, measure_free_bytes
from arena_hill.hill_paths import get_copies_folder
from arena_hill.judge.redaction import JudgingRedaction

FOLDER_PREFIX = ".judge-"  # of the folders in which submissions are tried
MAX_BUILD_SECONDS = 120.0  # seconds
BUILD_RESOURCES = Resources(memory_mb=1024, disk_mb=200)
MIN_FREE_TEMPORARY_BYTES = 64 << 20  # where programs work, which may be another disk
UNTRUSTED = Containment(untrusted=True)
READ_LOCK = Lock()  # a roster reads bots in its own folder, which all threads then are in
BOT_ERRORS = (BotError, BadArchiveError)
"""The exceptions for faults of a bot. Any other exception is the host's fault."""

VOID = "void"  # the kind of a finding: a match that could not be played

SetState = Callable[..., None]
"""Records the next state, with what is known by then; raises WithdrawnError."""


class RejectedError(Exception):  # an answer
    """A rejected submission; the message gives the reason."""

    def __init__(self, why: str, **known: Any) -> None:
        super().__init__(why)
        self.known = known  # its log, its report


class WithdrawnError(Exception):  # an answer
    """A submission that was withdrawn while it was judged."""


class HostFailureError(Exception):  # the host's fault
    """A match of a check that could not be played; the message gives the reason."""


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
        return folder_of(self.spec)

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
        private = Roster(self.spec.game, work, work / "bots")
        with READ_LOCK:
            found = private.read_entry(str(upload), submission.bot, containment=UNTRUSTED)
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
            private.move_copy(
                entry, upload, Roster(self.spec.game, self.spec.home, get_copies_folder(self.spec))
            )
        return entry

    def _build(
        self, private: Roster, entry: Entry, upload: Path, work: Path, masking: JudgingRedaction
    ) -> str:
        """Build a copy; return the build log, or raise RejectedError with it."""
        building = self.sandbox and Sandbox(self.sandbox.tier, BUILD_RESOURCES)
        said = work / "log"
        said.touch()
        try:
            with said.open("wb") as log:
                copy = private.build(entry, building, seconds=MAX_BUILD_SECONDS, log=log)
            _check_readable(copy)
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


def _check_readable(copy: Path) -> None:
    """Raise BotError unless the host can read all files of a build."""
    with blame_bot(copy):
        copy.chmod(stat.S_IMODE(copy.stat().st_mode) | stat.S_IRWXU)
        for base, folders, files in os.walk(copy):
            for path in (Path(base, name) for name in (*folders, *files)):
                wanted = os.R_OK | os.X_OK if os.path.isdir(path) else os.R_OK
                if not path.is_symlink() and not os.access(path, wanted):
                    name = path.relative_to(copy)
                    raise BotError(f"the build created {name}, which cannot be read")


def _check_unmodified_file(before: Path, now: Path) -> None:
    """Raise BotError if a build has modified bot.toml."""
    expected = before.read_bytes()
    with blame_bot(now):
        same = now.is_file() and not now.is_symlink() and now.stat().st_size == len(expected)
        if not same or now.read_bytes() != expected:
            raise BotError(f"the build modified {BOT_FILE}, which is not allowed")
