"""Access to a hill, for its pages and its commands: settings, database, uploads, entrants."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from attrs import frozen

from arena.rules import StorageError, describe_error
from arena.sandbox import AUTO, find_sandbox
from arena.tournament import State
from arena.tournament.entries import Entry
from arena.tournament.file.contents import HillConfig
from arena.tournament.file.spec import TournamentSpec
from arena_hill.api_format import AuthorUsage
from arena_hill.db.accounts import Principal
from arena_hill.db.denials import Denial, SubmissionDeniedError
from arena_hill.db.quotas import DAY_SECONDS, RETENTION_DAYS
from arena_hill.db.store import HillStore
from arena_hill.db.submission_terms import SubmissionTerms
from arena_hill.db.submissions import Receipt, Submission
from arena_hill.disk import find_hill_shortage
from arena_hill.hill import Hill
from arena_hill.host_problems import log_problem
from arena_hill.installed_languages import InstalledLanguage, find_languages
from arena_hill.reserved_names import read_reserved_texts
from arena_hill.submission_status import StatusReading
from arena_hill.upload_folder import UploadFolder, check_upload

DISK_FULL = "this hill's disk is nearly full, and its host can see that; submit again later"
DISK_FULL_RETRY_SECONDS = 600.0  # until it is worth another try


@frozen(eq=False)
class HillAccess:
    """Access to a hill; every method may block."""

    hill: Hill
    store: HillStore

    @classmethod
    def open(cls, file: str | Path) -> Self:
        """Open the hill of a tournament's file; raise UserError if it is not a hill."""
        return cls.of(Hill.load(file))

    @classmethod
    def of(cls, hill: Hill) -> Self:
        """Open a hill: its database and the folder of its uploads are created if needed."""
        access = cls(hill, HillStore.of(hill))
        access.uploads.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return access

    @property
    def uploads(self) -> UploadFolder:
        """The folder of its uploads."""
        return UploadFolder.of(self.hill)

    def delete_unqueued_uploads(self) -> None:
        """Delete the uploads that a server which was killed had not queued yet."""
        with self.uploads.lock():
            self.uploads.delete_unreferenced(self.store.submissions.list_digests())

    @property
    def name(self) -> str:
        """The hill's name in addresses."""
        return self.spec.stem

    @property
    def spec(self) -> TournamentSpec:
        """The settings of its tournament."""
        return self.hill.spec

    @property
    def config(self) -> HillConfig:
        """The hill's settings."""
        return self.hill.config

    def find_languages(self) -> Sequence[InstalledLanguage]:
        """Return the languages that work for bots on this hill."""
        return find_languages(find_sandbox(AUTO, self.spec.file.resources))

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
        entries = self.list_entries()
        current = [entry.id for entry in entries if entry.state.is_current]
        with self.uploads.lock(), ExitStack() as cleanup:
            cleanup.callback(self._delete_unreferenced_uploads)
            old = self.store.now() - RETENTION_DAYS * DAY_SECONDS
            self.store.submissions.forget_old(old, current)
            digest = self.uploads.save(data)
            terms = SubmissionTerms(
                self.config,
                reserved=read_reserved_texts(self.hill),
                inactive=[entry.id for entry in entries if entry.state is not State.ACTIVE],
                copies=self.hill.copies.measure(),
            )
            return self.store.act_as(author).submit(bot, digest, len(data), terms)

    def _delete_unreferenced_uploads(self) -> None:
        """Delete what no submission needs; log a failure, which changes nothing of what was done.

        The next upload, or the next start of the server, deletes it.
        """
        try:
            self.uploads.delete_unreferenced(self.store.submissions.list_digests())
        except (StorageError, OSError) as problem:
            log_problem("unneeded uploads could not be deleted", problem)

    def forget_bot(self, bot: str, why: str) -> int:
        """Forget a bot, by its name or its alias; return the number of deleted uploads.

        Its copies stay until the coordinator has let it leave and its last match is over. Then the
        judge deletes them, as those of any bot that has left.
        """
        with self.uploads.lock():
            unused = self.store.host_actions.forget(bot, why)
            for digest in unused:
                self.uploads.delete(digest)
        return len(unused)

    def measure_usage(self, author: Principal) -> AuthorUsage:
        """Return the usage of an author's quotas."""
        copies = self.hill.copies.measure()
        return self.store.act_as(author).measure_usage(self.config, copies)

    def check_disk_space(self) -> None:
        """Raise SubmissionDeniedError if the disk has too little room for uploads."""
        if find_hill_shortage(self.hill):
            raise SubmissionDeniedError(Denial.NO_ROOM, DISK_FULL, DISK_FULL_RETRY_SECONDS)

    def find_notice(self) -> str:
        """Return a notice for authors before they submit, or ""."""
        return DISK_FULL if find_hill_shortage(self.hill) else ""

    def read_statuses(self) -> StatusReading:
        """Read what the statuses of submissions depend on; raise StorageError."""
        return StatusReading.of(self.hill, self.store)

    def list_public_sources(
        self, active: Collection[str], numbers: Collection[int] | None = None
    ) -> list[Submission]:
        """Return the submissions whose source everybody may read, of these or of all.

        `active` are the ids of the entrants that take part.
        """
        everybody = self.config.sources == "all"
        return self.store.submissions.select_public(active, everybody=everybody, numbers=numbers)

    def list_entries(self) -> tuple[Entry, ...]:
        """Return the tournament's entries, one per version; none before it starts."""
        return self.hill.query_tournament(lambda store: store.entries.list_all()) or ()
