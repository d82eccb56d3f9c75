"""Trying a submission: it is unpacked, built and checked by itself, and only then beside others.

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

from arena.check import Part, Report, check
from arena.host import FILE, BadBot, Shortage, in_folder, temporary
from arena.sandbox import Resources, Sandbox, sandbox
from arena.tournament import Containing, Containment, Entry, Roster, TournamentSpec
from arena.tournament import folder as folder_of
from arena_web.hill.archive import BadArchive, unpack_contained
from arena_web.hill.disk import find_shortage, free_bytes
from arena_web.hill.masking import Masking
from arena_web.hill.places import copies_of
from arena_web.hill.submissions import Step, Submission

PREFIX = ".porter-"  # of the folders in which submissions are tried
LONGEST_BUILD = 120.0  # seconds
BUILDING = Resources(memory_mb=1024, disk_mb=200)
MIN_FREE_TEMPORARY_BYTES = 64 << 20  # where programs work, which may be another disk
UNTRUSTED = Containment(untrusted=True)
READING = Lock()  # a roster reads bots in its own folder, which all threads then are in
BOTS_FAULT = (BadBot, BadArchive)
"""All that is raised for what a bot is or does. Whatever else is raised is the host's fault."""

VOID = "void"  # the kind of a finding: a match that could not be played

Move = Callable[..., None]
"""Says how far it is: a step, and what is known from then on; raises Gone."""


class Rejected(Exception):  # an answer
    """A submission that is rejected for what it is or did; the text says why."""

    def __init__(self, why: str, **known: Any) -> None:
        super().__init__(why)
        self.known = known  # its log, its report


class Gone(Exception):  # an answer
    """A submission that was withdrawn while it was tried."""


class NotPlayed(Exception):  # the host's fault
    """A match of a check that could not be played; the text says why."""


@frozen
class Tryout:
    """What submissions are tried by: a tournament, and what contains their programs."""

    spec: TournamentSpec
    uploads: Path
    sandbox: Sandbox | None  # in which they play; None: everybody is trusted

    @classmethod
    def of(cls, spec: TournamentSpec, uploads: Path, *, trust_everybody: bool = False) -> Tryout:
        """Return it for a tournament; raise UserError where nothing would contain strangers."""
        folder_of(spec).mkdir(parents=True, exist_ok=True)
        anybody = Entry("a submission", "", "", containment=UNTRUSTED)
        return cls(spec, uploads, Containing(spec, trust_everybody).of(anybody))

    @property
    def folder(self) -> Path:
        """Return where submissions are tried, on the disk on which entrants' copies are."""
        return folder_of(self.spec)

    def enter(self, one: Submission, move: Move) -> Entry:
        """Try a submission; return who is to be let in.

        Raises:
            Rejected: for what it is, or what it did; nothing else may turn it away.
            Gone: it was withdrawn meanwhile.
            Exception: any other is the host's fault, and says nothing about the submission.
        """
        data = (self.uploads / f"{one.sha256}.zip").read_bytes()
        if sha256(data).hexdigest() != one.sha256:
            raise OSError(f"the upload {one.sha256}.zip is not what was received")
        with temporary(self.folder, prefix=PREFIX) as work:
            masking = Masking(work, self.spec)
            try:
                return self._tried(one, data, work, masking, move)
            except Rejected:
                self.see_room()  # what goes wrong on a full disk says nothing about a bot
                raise
            except BOTS_FAULT as problem:
                self.see_room()
                raise Rejected(masking.line(str(problem))) from None

    def _tried(
        self, one: Submission, data: bytes, work: Path, masking: Masking, move: Move
    ) -> Entry:
        upload = work / "upload"
        upload.mkdir()
        unpack_contained(data, upload, self.sandbox)
        private = Roster(self.spec.game, work, work / "bots")
        with READING:
            found = private.entry(str(upload), one.bot, containment=UNTRUSTED)
        entry = evolve(found, bot=f"submission {one.id}")
        move(Step.BUILDING, version=entry.version)
        log = self._build(private, entry, upload, work, masking)
        move(Step.CHECKING, log=log)
        report = self._check(private.build(entry), entry, move)
        packed = masking.report(report.pack())
        if not report.passed:
            raise Rejected(masking.line(_first_of(report)), report=packed)
        move(Step.CHECKING, report=packed)
        with READING:
            private.hand_over(
                entry, upload, Roster(self.spec.game, self.spec.home, copies_of(self.spec))
            )
        return entry

    def _build(
        self, private: Roster, entry: Entry, upload: Path, work: Path, masking: Masking
    ) -> str:
        """Build a copy; return what was said, or raise Rejected with it."""
        building = self.sandbox and Sandbox(self.sandbox.tier, BUILDING)
        said = work / "log"
        said.touch()
        try:
            with said.open("wb") as log:
                copy = private.build(entry, building, seconds=LONGEST_BUILD, log=log)
            _see_open(copy)
            _see_the_same(upload / FILE, copy / FILE)
        except BadBot as problem:
            raise Rejected(masking.line(str(problem)), log=masking.log(said)) from None
        return masking.log(said)

    def _check(self, copy: Path, entry: Entry, move: Move) -> Report:
        """See a bot play at the hill's table."""
        spec = self.spec

        def show(_: Part) -> None:
            move(Step.CHECKING)  # it goes on

        found = in_folder(spec.game, entry.bot, copy, built=True, sandbox=self.sandbox)
        report = check(
            spec.game,
            evolve(found, name=entry.name),
            spec.variant,
            sizes=[spec.seats_per_match],
            limits=spec.file.time,
            show=show,
        )
        if void := next((one for one in report.findings if one.kind == VOID), None):
            raise NotPlayed(f"a match of its check could not be played: {void.detail}")
        return report

    def see_room(self) -> None:
        """Raise Shortage where a disk is too full to try anything."""
        if shortage := find_shortage(self.folder):
            raise Shortage(f"{self.folder}: {shortage}")
        temporary = Path(gettempdir())
        if (free := free_bytes(temporary)) < MIN_FREE_TEMPORARY_BYTES:
            raise Shortage(f"{temporary}: {free >> 20} MB are free on the disk")

    def see_sandbox(self) -> None:
        """Raise NoSandbox where the sandbox does not hold any more."""
        if self.sandbox:
            sandbox(self.sandbox.tier)


def _first_of(report: Report) -> str:
    """Say what a check found first."""
    found = report.findings[0]
    return f'{found.kind} in "{found.situation}": {found.detail}. {found.advice}'


def _see_open(copy: Path) -> None:
    """See that the host can read all that a build has left; raise BadBot."""
    copy.chmod(stat.S_IMODE(copy.stat().st_mode) | stat.S_IRWXU)
    for base, folders, files in os.walk(copy):
        for path in (Path(base, name) for name in (*folders, *files)):
            wanted = os.R_OK | os.X_OK if os.path.isdir(path) else os.R_OK
            if not path.is_symlink() and not os.access(path, wanted):
                raise BadBot(f"its build left {path.relative_to(copy)}, which cannot be read")


def _see_the_same(before: Path, now: Path) -> None:
    """See that a build has left alone the file by which its bot is known; raise BadBot."""
    expected = before.read_bytes()
    same = now.is_file() and not now.is_symlink() and now.stat().st_size == len(expected)
    if not same or now.read_bytes() != expected:
        raise BadBot(f"its build changed {FILE}, which is not allowed")
