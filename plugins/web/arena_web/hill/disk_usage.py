"""What takes room on a hill's disk: uploads, copies of bots, databases; and whose that is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from time import monotonic
from typing import TYPE_CHECKING

from attrs import frozen
from sqlalchemy import select

from arena.tournament import Address, Store, copy_sizes, folder
from arena_web.hill.disk import MB, RESERVE_BYTES, find_shortage, free_bytes
from arena_web.hill.places import copies_of, register_path, uploads_of
from arena_web.hill.quotas import KEPT, copy_bytes, upload_bytes
from arena_web.hill.schema import bots, submissions
from arena_web.hill.uploads import SUFFIX

if TYPE_CHECKING:
    from arena.tournament.file import TournamentSpec
    from arena_web.hill.register import Register


TRANSCRIPT_SECONDS = 600.0  # for which the size of all transcripts is good: it takes a moment


@frozen
class DiskUsage:
    """What a hill takes on its disk, in bytes."""

    uploads: int
    copies: int
    database: int  #: both databases
    transcripts: int  #: of the database
    free: int  #: on the disk of the uploads and the copies

    @classmethod
    def of(cls, spec: TournamentSpec) -> DiskUsage:
        """Measure it; raise StorageError, or OSError."""
        return cls(
            sum(path.stat().st_size for path in uploads_of(spec).glob(f"*{SUFFIX}")),
            sum(copy_sizes(copies_of(spec)).values()),
            sum(Address.of(path).size_bytes() for path in (spec.database, register_path(spec))),
            _transcript_bytes(spec.database, int(monotonic() // TRANSCRIPT_SECONDS)),
            free_bytes(folder(spec)),
        )


@frozen
class BotUsage:
    """What is kept of a bot, in bytes."""

    upload_bytes: int = 0
    copy_bytes: int = 0  #: of the folders from which its versions play


def usage_by_bot(register: Register, spec: TournamentSpec) -> Mapping[str, BotUsage]:
    """Return the disk usage of each bot by its name; a shared copy counts for each bot."""
    asked = select(*KEPT, bots.c.name).join_from(submissions, bots)
    with register.reading() as connection:
        rows = sorted(connection.execute(asked), key=attrgetter("name"))
    sizes = copy_sizes(copies_of(spec))
    return {
        name: BotUsage(upload_bytes(sent), copy_bytes(sent, sizes))
        for name, sent in ((name, [*some]) for name, some in groupby(rows, attrgetter("name")))
    }


def describe_usage(spec: TournamentSpec) -> str:
    """Say in a line what takes the room on a hill's disk, and whether there is enough of it."""
    usage = DiskUsage.of(spec)
    parts = {
        "uploads": usage.uploads,
        "copies of bots": usage.copies,
        "databases": usage.database,
        "of these transcripts": usage.transcripts,
    }
    taken = ", ".join(f"{name} {size / MB:,.1f} MB" for name, size in parts.items())
    said = f"On the disk: {taken}; {usage.free / MB:,.0f} MB are free."
    if find_shortage(folder(spec)):
        said += f" Nothing is taken from authors: the reserve is {RESERVE_BYTES // MB} MB."
    return said


@lru_cache(maxsize=8)
def _transcript_bytes(database: str, _: int) -> int:
    """Return the bytes of a tournament's transcripts, as they were in this span of time."""
    if not Store.exists(database):
        return 0
    with Store.open(database, write=False) as store:
        return store.transcript_bytes()
