"""The trial of a submission: it is unpacked, built and checked in the sandbox, then handed over.

A failure of the host is no reason to reject a bot.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from attrs import evolve, frozen

from arena.check import CheckReport, CheckStage, check
from arena.host import (
    BOT_FILE,
    BotError,
    blame_bot,
    build_folder_entrant,
)
from arena.sandbox import Resources, Sandbox
from arena.tournament.bots.versions import BotVersions
from arena.tournament.entries import Containment, Entry
from arena_hill.bot_archive import BadArchiveError, unpack_in_sandbox
from arena_hill.db.submissions import NOTHING_NEW, Findings, Submission
from arena_hill.db.taken_names import TakenNames
from arena_hill.hill import Hill
from arena_hill.redaction import JudgingRedaction
from arena_hill.reserved_names import read_reserved_texts
from arena_hill.shared_copies import SharedCopies
from arena_hill.submission_states import SubmissionState

MAX_BUILD_SECONDS = 120.0
BUILD_RESOURCES = Resources(memory_mb=1024, disk_mb=200)
UNTRUSTED = Containment(untrusted=True)
BOT_ERRORS = (BotError, BadArchiveError)
"""The exceptions for faults of a bot. Any other exception is the host's fault."""


class SetState(Protocol):
    """Sets the state of a submission, with what was found out; raises TrialStoppedError."""

    def __call__(self, state: SubmissionState, findings: Findings = NOTHING_NEW) -> None:
        """Set the state."""


class RejectedError(Exception):
    """A rejected submission; the message gives the reason."""

    def __init__(self, why: str, findings: Findings = NOTHING_NEW) -> None:
        super().__init__(why)
        self.findings = findings


class TrialStoppedError(Exception):
    """A trial that is not to go on: its submission was withdrawn, or the judge interrupts it."""


class HostFailureError(Exception):
    """A match of a check that could not be played; the message gives the reason."""


@frozen
class Trial:
    """The trial of a submission, in a folder that is deleted afterwards."""

    copies: SharedCopies  # of those who take part, where it adds its own
    sandbox: Sandbox | None  # in which it is tried; None: everybody is trusted
    submission: Submission
    work: Path
    set_state: SetState

    @property
    def hill(self) -> Hill:
        """The hill."""
        return self.copies.hill

    @property
    def upload(self) -> Path:
        """The folder of the unpacked archive."""
        return self.work / "upload"

    @property
    def versions(self) -> BotVersions:
        """The copies of this trial."""
        return BotVersions(self.hill.spec.game, self.work, self.work / "bots")

    @property
    def redaction(self) -> JudgingRedaction:
        """What takes the host's paths out of texts for the author."""
        return JudgingRedaction(self.work, self.hill)

    def run(self, data: bytes) -> Entry:
        """Unpack, build and check an archive; hand its copy over, and return its entry.

        Raises:
            RejectedError: for what the bot is, or what it did.
            TrialStoppedError: it is not to go on.
            Exception: one of BOT_ERRORS is the bot's fault, any other the host's.
        """
        entry = self._unpack(data)
        self.set_state(SubmissionState.BUILDING, Findings(version=entry.version))
        log = self._build(entry)
        self.set_state(SubmissionState.CHECKING, Findings(log=log))
        report = self._check(entry)
        packed = self.redaction.redact_json(report.pack())
        if not report.passed:
            finding = self.redaction.redact_line(_describe_first_finding(report))
            raise RejectedError(finding, Findings(report=packed))
        self.set_state(SubmissionState.CHECKING, Findings(report=packed))
        self._hand_over(entry)
        return entry

    def _unpack(self, data: bytes) -> Entry:
        """Unpack an archive; return the entry of its bot."""
        self.upload.mkdir()
        unpack_in_sandbox(data, self.upload, self.sandbox)
        entry = self.versions.read_entry(
            str(self.upload), self.submission.bot.name, containment=UNTRUSTED
        )
        self._check_title(entry)
        return evolve(entry, bot=f"submission {self.submission.id}")

    def _check_title(self, entry: Entry) -> None:
        """Raise RejectedError if a bot's title may be taken for another bot."""
        reserved = read_reserved_texts(self.hill)
        with self.copies.store.transactions.begin_read() as snapshot:
            taken = TakenNames.read(snapshot, self.submission.bot.author_id, reserved)
        if why := taken.find_title_problem(entry.title):
            raise RejectedError(why)

    def _build(self, entry: Entry) -> str:
        """Build a copy; return the build log, or raise RejectedError with it."""
        sandbox = self.sandbox
        building = sandbox and Sandbox(sandbox.tier, BUILD_RESOURCES)
        log = self.work / "log"
        log.touch()
        try:
            with log.open("wb") as file:
                copy = self.versions.build(entry, building, seconds=MAX_BUILD_SECONDS, log=file)
            _check_unmodified_file(self.upload / BOT_FILE, copy / BOT_FILE)
        except BotError as problem:
            why = self.redaction.redact_line(str(problem))
            raise RejectedError(why, Findings(log=self.redaction.read_log(log))) from None
        return self.redaction.read_log(log)

    def _check(self, entry: Entry) -> CheckReport:
        """Check a bot with the hill's settings; return the report, whatever it says."""
        spec, copy = self.hill.spec, self.versions.build(entry)

        def show(_: CheckStage) -> None:
            self.set_state(SubmissionState.CHECKING)  # it goes on

        entrant = build_folder_entrant(spec.game, entry.bot, copy, built=True, sandbox=self.sandbox)
        report = check(
            spec.game,
            evolve(entrant, name=entry.name),
            spec.variant,
            sizes=[spec.seats_per_match],
            limits=spec.file.time,
            show=show,
        )
        if void := report.void_match:
            raise HostFailureError(f"a match of its check could not be played: {void.detail}")
        return report

    def _hand_over(self, entry: Entry) -> None:
        """Move the copy to those of the tournament's entrants."""
        spec = self.hill.spec
        copies = BotVersions(spec.game, spec.home, self.hill.copies.path)
        with self.copies.hold():
            self.versions.move_copy(entry, self.upload, copies)


def _describe_first_finding(report: CheckReport) -> str:
    """Describe the first finding of a check."""
    first = report.findings[0]
    return f'{first.kind} in "{first.situation}": {first.detail}. {first.advice}'


def _check_unmodified_file(before: Path, now: Path) -> None:
    """Raise BotError if a build has modified bot.toml."""
    expected = before.read_bytes()
    with blame_bot(now):
        same = now.is_file() and not now.is_symlink() and now.stat().st_size == len(expected)
        if not same or now.read_bytes() != expected:
            raise BotError(f"the build modified {BOT_FILE}, which is not allowed")
