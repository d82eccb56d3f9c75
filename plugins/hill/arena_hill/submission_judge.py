"""The judge of single submissions: each has its trial, in a temporary folder of its own.

What goes wrong on a full disk, or without the sandbox, says nothing about a submission.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import gettempdir

from attrs import frozen

from arena.host import ShortageError, temporary_folder
from arena.sandbox import Sandbox, find_sandbox
from arena.tournament.entries import Entry
from arena.tournament.run.entrant_sandboxes import SandboxResolver
from arena_hill.db.submissions import Submission
from arena_hill.disk import find_shortage, measure_free_bytes
from arena_hill.hill import Hill
from arena_hill.shared_copies import SharedCopies
from arena_hill.submission_states import SubmissionState
from arena_hill.trial import BOT_ERRORS, UNTRUSTED, RejectedError, SetState, Trial
from arena_hill.units import MB
from arena_hill.upload_folder import UploadFolder

FOLDER_PREFIX = ".judge-"  # of the folders in which submissions are tried
MIN_FREE_TEMPORARY_BYTES = 64 * MB  # where programs work, which may be another disk


@frozen
class SubmissionJudge:
    """Judges submissions to a hill, in a sandbox."""

    copies: SharedCopies
    sandbox: Sandbox | None  # in which they play; None: everybody is trusted

    @classmethod
    def of(cls, copies: SharedCopies, *, trust_everybody: bool = False) -> SubmissionJudge:
        """Create the judge of a hill's submissions; raise UserError without a sandbox."""
        spec = copies.hill.spec
        spec.make_data_folder()
        anybody = Entry("a submission", "", "", containment=UNTRUSTED)
        return cls(copies, SandboxResolver(spec, trust_everybody).resolve(anybody))

    @property
    def hill(self) -> Hill:
        """The hill."""
        return self.copies.hill

    @property
    def folder(self) -> Path:
        """The folder in which submissions are judged, on the disk of the entrants' copies."""
        return self.hill.spec.data_folder

    def run_trial(self, submission: Submission, set_state: SetState) -> Entry:
        """Try a submission; return the entry of the accepted bot.

        Raises:
            RejectedError: for what it is, or what it did; nothing else may turn it away.
            TrialStoppedError: it is not to go on.
            Exception: any other is the host's fault, and says nothing about the submission.
        """
        try:
            data = UploadFolder.of(self.hill).read(submission.sha256)
        except FileNotFoundError:
            set_state(SubmissionState.UNPACKING)  # raises an error if the bot was forgotten
            raise
        with temporary_folder(self.folder, prefix=FOLDER_PREFIX) as work:
            trial = Trial(self.copies, self.sandbox, submission, work, set_state)
            try:
                return trial.run(data)
            except RejectedError:
                self.check_disk_space()  # what goes wrong on a full disk says nothing about a bot
                raise
            except BOT_ERRORS as problem:
                self.check_disk_space()
                raise RejectedError(trial.redaction.redact_line(str(problem))) from None

    def check_disk_space(self) -> None:
        """Raise an error if a disk is too full to judge anything."""
        if shortage := find_shortage(self.folder):
            raise ShortageError(f"{self.folder}: {shortage}")
        temporary = Path(gettempdir())
        if (free := measure_free_bytes(temporary)) < MIN_FREE_TEMPORARY_BYTES:
            raise ShortageError(f"{temporary}: {free // MB} MB are free on the disk")

    def check_sandbox(self) -> None:
        """Raise NoSandboxError if the sandbox no longer works."""
        if self.sandbox:
            find_sandbox(self.sandbox.tier)
