"""Disks of their own for tests, in memory: they can be made small, full, and read-only."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from attrs import frozen

from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT

TRIES = 20  # at making a disk full that is written to
ROOMY_MB = 2048  # nothing of it takes memory before it is written


@frozen
class Disk:
    """A disk that is mounted in a folder."""

    folder: Path

    @property
    def used_bytes(self) -> int:
        """What is on it."""
        found = os.statvfs(self.folder)
        return (found.f_blocks - found.f_bfree) * found.f_frsize

    def resize(self, mb: int) -> None:
        """Have the disk be as large as this from now on."""
        self._remount(f"size={mb}m")

    def make_full(self) -> None:
        """Leave no room on it, by making it as small as what is there.

        Others may write meanwhile, and then it is tried again.
        """
        block = os.statvfs(self.folder).f_frsize
        for left in reversed(range(TRIES)):
            try:
                self._remount(f"size={self.used_bytes or block}")  # none at all would mean any size
            except subprocess.CalledProcessError:
                if not left:
                    raise
            else:
                return

    def leave_files(self, number: int) -> None:
        """Have so many more files be made on it."""
        found = os.statvfs(self.folder)
        self._remount(f"nr_inodes={found.f_files - found.f_ffree + number}")

    def make_read_only(self) -> None:
        """Have nothing on it be written; nobody may have a file open for writing."""
        self._remount("ro")

    def make_writable(self) -> None:
        """Have it be written again."""
        self._remount("rw")

    def _remount(self, option: str) -> None:
        words = ["mount", "-o", f"remount,{option}", str(self.folder)]
        subprocess.run(words, check=True, capture_output=True)


@contextmanager
def mount_disk(folder: Path) -> Iterator[Disk]:
    """Mount a disk in a new folder; skip, with the reason, where nobody may."""
    SUPERVISOR_CLIENT.end_idle()  # a launcher has mounts of its own, and may not see later ones
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={ROOMY_MB}m", "arena-test", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
