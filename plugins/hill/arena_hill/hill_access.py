"""Access to a hill for its pages and its commands: its files and its database together."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Self

from attrs import frozen

from arena.tournament.file.contents import SourceReaders
from arena_hill.db.accounts import Principal
from arena_hill.db.quotas import AuthorUsage
from arena_hill.db.store import HillStore
from arena_hill.db.submissions import Submission
from arena_hill.hill import Hill
from arena_hill.submission_intake import SubmissionIntake
from arena_hill.submission_status import StatusReading


@frozen(eq=False)
class HillAccess:
    """A hill with its open database; every method may block."""

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
        access.intake.uploads.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return access

    @property
    def intake(self) -> SubmissionIntake:
        """The intake of what authors submit."""
        return SubmissionIntake(self.hill, self.store)

    def measure_usage(self, author: Principal) -> AuthorUsage:
        """Return the usage of an author's quotas."""
        copies = self.hill.copies.measure()
        return self.store.act_as(author).measure_usage(self.hill.config, copies)

    def read_statuses(self) -> StatusReading:
        """Read what the statuses of submissions depend on; raise StorageError."""
        return StatusReading.of(self.hill, self.store)

    def list_public_sources(
        self, active: Collection[str], ids: Collection[int] | None = None
    ) -> list[Submission]:
        """Return the submissions whose source everybody may read, of these or of all.

        `active` are the ids of the entrants that take part.
        """
        everybody = self.hill.config.sources is SourceReaders.ALL
        return self.store.submissions.select_public(active, everybody=everybody, ids=ids)
