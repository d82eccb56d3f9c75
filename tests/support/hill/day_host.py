"""The host of a hill's day: faults that its health has to name, and what is left on its disk."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from stat import S_ISGID, S_ISUID
from threading import Event
from time import monotonic

from arena_hill.disk_usage import DiskMeter, measure_usage_by_bot
from arena_hill.hill import Hill
from arena_hill.units import MB
from tests.support.hill.running_hill import REQUEST_SECONDS, RunningHill
from tests.support.sandboxes.memory_disks import ROOMY_MB, Disk

OK, UNAVAILABLE = 200, 503
MAX_UNACCOUNTED_MB = 50  # on the disk, beside what the hill says takes room there


@contextmanager
def _nearly_full(_: RunningHill, disk: Disk) -> Iterator[str]:
    """Leave less than the reserve on the disk."""
    disk.resize(ROOMY_MB // 8)
    yield "disk"
    disk.resize(ROOMY_MB)


@contextmanager
def _full(_: RunningHill, disk: Disk) -> Iterator[str]:
    disk.make_full()
    yield "disk"
    disk.resize(ROOMY_MB)


@contextmanager
def _locked_hill_database(hill: RunningHill, _: Disk) -> Iterator[str]:
    database = Hill.load(hill.home / "hill.toml").database_address.path
    assert database
    with _locked(database):
        yield "database"


@contextmanager
def _locked_tournament(hill: RunningHill, _: Disk) -> Iterator[str]:
    with _locked(hill.home / "hill.db"):
        yield "tournament"


@contextmanager
def _locked(path: str | Path) -> Iterator[None]:
    """Write to an SQLite database for as long as the block lasts."""
    with closing(sqlite3.connect(path, timeout=REQUEST_SECONDS)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


FAULTS = {
    "nearly full": _nearly_full,
    "full": _full,
    "hill database locked": _locked_hill_database,
    "tournament locked": _locked_tournament,
}
"""What the host fails at; each yields the part that `/healthz` has to name."""


def inject_faults(
    hill: RunningHill, disk: Disk, pause: float, over: Event
) -> Iterator[tuple[str, float]]:
    """Inject each fault until the hill's health names it, and wait until it is well again.

    Args:
        hill: the hill, whose files are on the disk.
        disk: the disk that becomes full.
        pause: seconds before each fault.
        over: ends a pause early.

    Yields:
        The name of each fault, and the seconds until the health named it.
    """
    for name, fault in FAULTS.items():
        over.wait(pause)
        began = monotonic()
        with fault(hill, disk) as part:
            hill.wait_until(partial(_names, hill, part))
            seconds = monotonic() - began
        hill.wait_until(lambda: hill.get("/healthz")[0] == OK)
        yield name, seconds


def _names(hill: RunningHill, part: str) -> bool:
    """Whether the hill's health names this part as what is wrong."""
    status, body = hill.get("/healthz")
    return status == UNAVAILABLE and part in {
        problem["part"] for problem in json.loads(body)["problems"]
    }


def examine_disk(hill: RunningHill, disk: Disk) -> tuple[float, list[str]]:
    """Return the most that is kept of one author, in MB, and what is wrong with the disk.

    What is kept has to be within quotas, accounted for, and without setuid programs.
    """
    settings = Hill.load(hill.home / "hill.toml")
    problems, usage, kept = [], DiskMeter(settings).measure(), Counter[str]()
    accounted = usage.uploads + usage.copies + usage.database
    if disk.used_bytes - accounted > MAX_UNACCOUNTED_MB * MB:
        problems.append(f"{disk.used_bytes} bytes on the disk, {accounted} accounted for")
    for bot, of_bot in measure_usage_by_bot(hill.store, settings).items():
        kept[bot.partition("_")[0]] += of_bot.upload_bytes + of_bot.copy_bytes
    author_mb = max(kept.values()) / MB
    if author_mb > settings.config.uploads_mb:
        problems.append(f"kept of authors, in bytes: {kept}")
    problems += [
        f"{path} has mode {path.lstat().st_mode:o}"
        for path in hill.home.rglob("*")
        if path.lstat().st_mode & (S_ISUID | S_ISGID) and path.is_file()
    ]
    return author_mb, problems
