"""The room that a hill takes on its disks: by its parts, and by each of its bots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby
from operator import attrgetter
from time import monotonic

from attrs import Factory, define, field, frozen

from arena.rules import StorageError, describe_error
from arena.tournament.store.connection import DatabaseAddress
from arena_hill.db.store import HillStore
from arena_hill.db.stored_uploads import sum_copy_bytes, sum_upload_bytes
from arena_hill.disk import find_hill_shortage, measure_free_bytes
from arena_hill.hill import Hill
from arena_hill.pauses import Pause
from arena_hill.units import MB
from arena_hill.upload_folder import UploadFolder

TRANSCRIPT_SECONDS = 600.0  # until the size of all transcripts is measured again


@frozen
class DiskUsage:
    """The disk usage of a hill in bytes."""

    uploads: int
    copies: int
    database: int  #: all databases, that of visitors' games too
    transcripts: int  #: of the database
    free: int  #: on the disk of the uploads and the copies


@define(eq=False)
class DiskMeter:
    """Measures the disk usage of a hill; transcripts seldom, since that takes a moment."""

    hill: Hill
    clock: Callable[[], float] = monotonic  #: seconds
    _transcripts: int = field(default=0, init=False)
    _pause: Pause = field(
        default=Factory(lambda self: Pause(self.clock), takes_self=True), init=False
    )

    def measure(self) -> DiskUsage:
        """Measure the disk usage; raise StorageError."""
        try:
            return self._measure()
        except OSError as problem:
            folder = self.hill.spec.data_folder
            raise StorageError(f"{folder}: {describe_error(problem)}") from None

    def _measure(self) -> DiskUsage:
        hill = self.hill
        games = DatabaseAddress.of(hill.tables_file)
        databases = (hill.tournament_address, hill.database_address, games)
        return DiskUsage(
            UploadFolder.of(hill).measure_bytes(),
            sum(hill.copies.measure().values()),
            sum(address.measure_bytes() for address in databases),
            self._measure_transcripts(),
            measure_free_bytes(hill.spec.data_folder),
        )

    def _measure_transcripts(self) -> int:
        """Return the bytes of the tournament's transcripts, as they were a while ago perhaps."""
        if self._pause.is_over:
            self._transcripts = (
                self.hill.query_tournament(lambda store: store.transcripts.measure_bytes()) or 0
            )
            self._pause.begin(TRANSCRIPT_SECONDS)
        return self._transcripts


@frozen
class BotUsage:
    """The disk usage of a bot in bytes."""

    upload_bytes: int = 0
    copy_bytes: int = 0  #: of the folders from which its versions play


def measure_usage_by_bot(store: HillStore, hill: Hill) -> Mapping[str, BotUsage]:
    """Return the disk usage of each bot by its name; a shared copy counts for each bot."""
    uploads = sorted(store.submissions.list_uploads(), key=attrgetter("name"))
    sizes = hill.copies.measure()
    return {
        name: BotUsage(sum_upload_bytes(own), sum_copy_bytes(own, sizes))
        for name, own in ((name, [*group]) for name, group in groupby(uploads, attrgetter("name")))
    }


def describe_usage(hill: Hill) -> str:
    """Describe the disk usage of a hill in one line, with a shortage if there is one."""
    usage = DiskMeter(hill).measure()
    parts = {
        "uploads": usage.uploads,
        "copies of bots": usage.copies,
        "databases": usage.database,
        "of which transcripts": usage.transcripts,
    }
    sizes = ", ".join(f"{name} {size / MB:,.1f} MB" for name, size in parts.items())
    line = f"Disk usage: {sizes}; {usage.free / MB:,.0f} MB are free."
    if shortage := find_hill_shortage(hill):
        line += f" Uploads are not accepted: {shortage}."
    return line
