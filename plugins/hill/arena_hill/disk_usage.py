"""The disk usage of a hill: uploads, copies of bots, databases, and shares of bots."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from time import monotonic
from typing import TYPE_CHECKING

from attrs import frozen
from sqlalchemy import select

from arena.extend import DatabaseAddress, Store, get_data_folder, measure_copies
from arena_hill.db.quotas import USAGE_COLUMNS, sum_copy_bytes, sum_upload_bytes
from arena_hill.db.schema import bots, submissions
from arena_hill.db.uploads import SUFFIX
from arena_hill.disk_space import MB, RESERVE_BYTES, find_shortage, measure_free_bytes
from arena_hill.hill_paths import get_copies_folder, get_database_address, get_uploads_folder

if TYPE_CHECKING:
    from arena.extend import TournamentSpec
    from arena_hill.db.hill_database import HillDatabase


TRANSCRIPT_SECONDS = 600.0  # for which the size of all transcripts is good: it takes a moment


@frozen
class DiskUsage:
    """The disk usage of a hill in bytes."""

    uploads: int
    copies: int
    database: int  #: both databases
    transcripts: int  #: of the database
    free: int  #: on the disk of the uploads and the copies

    @classmethod
    def of(cls, spec: TournamentSpec) -> DiskUsage:
        """Measure the disk usage; raise StorageError or OSError."""
        return cls(
            sum(path.stat().st_size for path in get_uploads_folder(spec).glob(f"*{SUFFIX}")),
            sum(measure_copies(get_copies_folder(spec)).values()),
            sum(
                DatabaseAddress.of(path).measure_bytes()
                for path in (spec.database, get_database_address(spec))
            ),
            _measure_transcripts(spec.database, int(monotonic() // TRANSCRIPT_SECONDS)),
            measure_free_bytes(get_data_folder(spec)),
        )


@frozen
class BotUsage:
    """The disk usage of a bot in bytes."""

    upload_bytes: int = 0
    copy_bytes: int = 0  #: of the folders from which its versions play


def measure_usage_by_bot(database: HillDatabase, spec: TournamentSpec) -> Mapping[str, BotUsage]:
    """Return the disk usage of each bot by its name; a shared copy counts for each bot."""
    asked = select(*USAGE_COLUMNS, bots.c.name).join_from(submissions, bots)
    with database.begin_read() as connection:
        rows = sorted(connection.execute(asked), key=attrgetter("name"))
    sizes = measure_copies(get_copies_folder(spec))
    return {
        name: BotUsage(sum_upload_bytes(sent), sum_copy_bytes(sent, sizes))
        for name, sent in ((name, [*some]) for name, some in groupby(rows, attrgetter("name")))
    }


def describe_usage(spec: TournamentSpec) -> str:
    """Describe the disk usage of a hill in one line, with a shortage if there is one."""
    usage = DiskUsage.of(spec)
    parts = {
        "uploads": usage.uploads,
        "copies of bots": usage.copies,
        "databases": usage.database,
        "of which transcripts": usage.transcripts,
    }
    taken = ", ".join(f"{name} {size / MB:,.1f} MB" for name, size in parts.items())
    said = f"Disk usage: {taken}; {usage.free / MB:,.0f} MB are free."
    if find_shortage(get_data_folder(spec)):
        said += (
            f" Uploads are not accepted: less than the reserve of {RESERVE_BYTES // MB} MB is free."
        )
    return said


@lru_cache(maxsize=8)
def _measure_transcripts(database: str, _: int) -> int:
    """Return the bytes of a tournament's transcripts, cached for this span of time."""
    if not Store.exists(database):
        return 0
    with Store.open(database, write=False) as store:
        return store.measure_transcripts()
