"""The intake of a hill: it takes what authors submit, as far as there is room, and forgets it."""

from __future__ import annotations

from contextlib import ExitStack

from attrs import frozen

from arena.rules import StorageError, describe_error
from arena.tournament import State
from arena_hill.db.accounts import Principal
from arena_hill.db.author_actions import Receipt, SubmissionTerms
from arena_hill.db.quotas import RETENTION_DAYS
from arena_hill.db.store import HillStore
from arena_hill.denials import Denial, SubmissionDeniedError
from arena_hill.disk import find_hill_shortage
from arena_hill.file_locks import FileHeldError, hold_file, hold_free_file
from arena_hill.hill import Hill
from arena_hill.host_problems import log_problem
from arena_hill.reserved_names import read_reserved_texts
from arena_hill.units import DAY_SECONDS
from arena_hill.upload_folder import UploadFolder, check_upload

DISK_FULL_MESSAGE = "this hill's disk is nearly full, and its host can see that; submit again later"
DISK_FULL_RETRY_SECONDS = 600.0  # until it is worth another try


@frozen
class SubmissionIntake:
    """Takes submissions to a hill; every method may block."""

    hill: Hill
    store: HillStore

    @property
    def uploads(self) -> UploadFolder:
        """The folder of its uploads."""
        return UploadFolder.of(self.hill)

    def delete_unqueued_uploads(self) -> None:
        """Delete the uploads that a server which was killed had not queued yet."""
        with self.uploads.lock():
            self._delete_unreferenced_uploads()

    def submit(self, author: Principal, bot: str, data: bytes) -> Receipt:
        """Queue an author's upload, unless it changes nothing.

        The upload is on the disk before it is queued, so nothing that was accepted is lost.

        Raises:
            SubmissionDeniedError: where it is not taken, or not now.
            TokenRevokedError: if the author's token was revoked meanwhile.
            StorageError: where it cannot be written.
        """
        check_upload(data)
        self.check_disk_space()
        try:
            return self._store_and_queue(author, bot, data)
        except OSError as problem:
            raise StorageError(f"{self.uploads.folder}: {describe_error(problem)}") from None

    def _store_and_queue(self, author: Principal, bot: str, data: bytes) -> Receipt:
        entries, last_command = self.hill.query_tournament(
            lambda tournament: (tournament.entries.list_all(), tournament.facts.last_command)
        ) or ((), 0)
        current = [entry.id for entry in entries if entry.state.is_current]
        with self.uploads.lock(), ExitStack() as cleanup:
            cleanup.callback(self._delete_unreferenced_uploads)
            deadline = self.store.now() - RETENTION_DAYS * DAY_SECONDS
            self.store.submissions.forget_old(deadline, current, last_command)
            digest = self.uploads.save(data)
            terms = SubmissionTerms(
                self.hill.config,
                reserved=read_reserved_texts(self.hill),
                inactive=[entry.id for entry in entries if entry.state is not State.ACTIVE],
                copies=self.hill.copies.measure(),
            )
            return self.store.act_as(author).submit(bot, digest, len(data), terms)

    def _delete_unreferenced_uploads(self) -> None:
        """Delete what no submission needs; log a failure, which changes nothing of what was done.

        During a backup nothing is deleted. The next upload, or the next start of the server, does.
        """
        try:
            with hold_free_file(self.hill.deletion_lock_file, "a backup is being made"):
                self.uploads.delete_unreferenced(self.store.submissions.list_digests())
        except FileHeldError:
            pass
        except (StorageError, OSError) as problem:
            log_problem("unneeded uploads could not be deleted", problem)

    def forget_bot(self, bot: str, why: str) -> int:
        """Forget a bot, by its name or its alias; return the number of deleted uploads.

        Its copies stay until the coordinator has let it leave and its last match is over. Then the
        judge deletes them, as those of any bot that has left. Waits for the end of a backup.
        """
        with hold_file(self.hill.deletion_lock_file), self.uploads.lock():
            unused = self.store.host_actions.forget(bot, why)
            for digest in unused:
                self.uploads.delete(digest)
        return len(unused)

    def check_disk_space(self) -> None:
        """Raise SubmissionDeniedError if the disk has too little room for uploads."""
        if find_hill_shortage(self.hill):
            raise SubmissionDeniedError(Denial.NO_ROOM, DISK_FULL_MESSAGE, DISK_FULL_RETRY_SECONDS)

    def find_notice(self) -> str:
        """Return a notice for authors before they submit, or ""."""
        return DISK_FULL_MESSAGE if find_hill_shortage(self.hill) else ""
