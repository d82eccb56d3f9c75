"""Working folders of trusted programs, used again where nothing has touched them.

Most programs write no files. Making a folder for each of them and removing it costs more than to
see that nothing has happened in it. What a program could leave behind, also as a time or a mode,
would be a letter to the next match: then the folder is removed. Folders of programs in a sandbox
are never used again.
"""

from __future__ import annotations

import atexit
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from arena.host.folders.cleanup import remove_folder

NAME_BYTES = 8  # of randomness in a folder's name


class FolderState(NamedTuple):
    """What tells whether a folder has been touched."""

    mode: int
    user: int
    group: int
    modified_ns: int
    changed_ns: int
    entries: tuple[str, ...]
    attributes: tuple[str, ...]


class SpareFolder(NamedTuple):
    """An empty working folder in a private one, with the states of both when they were made."""

    room: Path
    folder: Path
    states: tuple[FolderState, FolderState]

    @property
    def is_clean(self) -> bool:
        """Whether nothing has happened in it, as far as a later program could tell."""
        try:
            return (read_state(self.room), read_state(self.folder)) == self.states
        except OSError:  # it is gone, or locked
            return False


class SpareFolders:
    """The folders of this process that no program uses now."""

    def __init__(self) -> None:
        self._spare: list[SpareFolder] = []

    def take(self) -> SpareFolder:
        """Return a folder that was given back, or a new one."""
        while self._spare:
            found = self._spare.pop()
            if found.is_clean and str(found.room.parent) == tempfile.gettempdir():
                return found
            remove_folder(found.room)
        room = Path(tempfile.mkdtemp(prefix="arena-"))
        folder = room / token_hex(NAME_BYTES)
        folder.mkdir()
        return SpareFolder(room, folder, (read_state(room), read_state(folder)))

    def give_back(self, used: SpareFolder) -> None:
        """Keep a folder for a later program if it is untouched; otherwise remove it."""
        if used.is_clean:
            self._spare.append(used)
        else:
            remove_folder(used.room)

    def forget(self) -> None:
        """Forget all folders, in a forked child, which will make its own."""
        self._spare = []

    def close(self) -> None:
        """Remove all folders."""
        while self._spare:
            remove_folder(self._spare.pop().room)


SPARE_FOLDERS = SpareFolders()
os.register_at_fork(after_in_child=SPARE_FOLDERS.forget)
atexit.register(SPARE_FOLDERS.close)


@contextmanager
def borrow_folder() -> Iterator[Path]:
    """Provide an empty, private folder until the end of the block."""
    borrowed = SPARE_FOLDERS.take()
    try:
        yield borrowed.folder
    finally:
        SPARE_FOLDERS.give_back(borrowed)


def read_state(folder: Path) -> FolderState:
    """Read the state of a folder, and of no link to one; raise OSError."""
    found = os.lstat(folder)
    entries = os.listdir(folder)  # noqa: PTH208  # this is hot
    attributes = os.listxattr(folder, follow_symlinks=False)
    return FolderState(
        found.st_mode, found.st_uid, found.st_gid, found.st_mtime_ns, found.st_ctime_ns,
        tuple(entries), tuple(attributes),
    )  # fmt: skip
