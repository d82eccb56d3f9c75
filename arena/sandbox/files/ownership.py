"""Giving a tree of files to another user, even if somebody changes it meanwhile.

A path is resolved anew at each call, so whoever may rename a folder in it decides which file
is meant. Here each file is opened first, never through a link, and changed by its descriptor.

A hard link is a second name of a file that may belong to somebody else. So a file with several
names is given away only when all of its names were found in the tree. No name is counted
twice: a folder changes hands before anybody looks into it, and from then on nobody else may
move what is in it.

The walk goes down by names and up by `..`. It needs two descriptors and no recursion, however
deep the tree is, and no path that could be too long.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections import Counter
from contextlib import suppress

from arena.sandbox.kernel.libc import LIBC

OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
OPEN_ANYTHING = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
AT_EMPTY_PATH = 0x1000
FOLDER_MODE = 0o755  # at most: nobody else may change what is in it
SPECIAL_BITS = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX


def hand_over(folder: int | str, user: int) -> None:
    """Make a user, and the group of the same number, the owner of a folder and its contents.

    No setuid or setgid bit stays. What cannot be given away, and what has names elsewhere,
    stays whose it is, and so does what is mounted in the folder.

    Args:
        folder: an open descriptor, which stays open, or a path, whose last part is no link.
        user: the number of the user and of the group.

    Raises:
        OSError: where the folder itself cannot be opened or given away.
    """
    dir_fd = folder if isinstance(folder, int) else None
    top = os.open("." if isinstance(folder, int) else folder, OPEN_FOLDER, dir_fd=dir_fd)
    _Walk(top, user).run()


class _Walk:
    """Walks through a tree and gives everything in it to a user."""

    def __init__(self, top: int, user: int) -> None:
        self._here, self._user = top, user
        self._device = os.fstat(top).st_dev
        self._names: Counter[int] = Counter()  # found so far, of each file that has several

    def run(self) -> None:
        """Change all owners, and close the folder."""
        try:
            os.fchown(self._here, self._user, self._user)
            self._visit_all()
        finally:
            os.close(self._here)

    def _visit_all(self) -> None:
        above = [(_identity(self._here), self._take_folder())]
        while above:
            _, names = above[-1]
            if not names:
                above.pop()
                if above and not self._go_up(above[-1][0]):
                    return
            elif self._go_down(names.pop()):
                above.append((_identity(self._here), self._take_folder()))

    def _go_down(self, name: str) -> bool:
        """Enter a subfolder of the open folder; return whether that was possible."""
        with suppress(OSError):
            self._go(os.open(name, OPEN_FOLDER, dir_fd=self._here))
            return True
        return False

    def _go_up(self, expected: tuple[int, int]) -> bool:
        """Go back to the parent; return whether it is the same folder as before."""
        self._go(os.open("..", OPEN_FOLDER, dir_fd=self._here))
        return _identity(self._here) == expected

    def _go(self, folder: int) -> None:
        os.close(self._here)
        self._here = folder

    def _take_folder(self) -> list[str]:
        """Change the owner of the open folder and its files; return the names of its subfolders."""
        folders: list[str] = []
        with suppress(OSError):
            status = os.fstat(self._here)
            if status.st_dev != self._device:
                return []
            os.fchown(self._here, self._user, self._user)
            if status.st_mode & (SPECIAL_BITS | ~FOLDER_MODE & 0o777):
                os.fchmod(self._here, status.st_mode & FOLDER_MODE)
            with os.scandir(self._here) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    else:
                        self._take_file(entry.name)
        return folders

    def _take_file(self, name: str) -> None:
        with suppress(OSError):
            file = os.open(name, OPEN_ANYTHING, dir_fd=self._here)
            try:
                status = os.fstat(file)
                if self._may_be_given(status):
                    _change_owner(file, self._user)
                    _clear_special_bits(file)
            finally:
                os.close(file)

    def _may_be_given(self, status: os.stat_result) -> bool:
        """Return whether a file belongs to this tree alone, and this is the last of its names."""
        mode = status.st_mode
        if status.st_dev != self._device or stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
            return False
        if status.st_nlink == 1 or stat.S_ISDIR(mode):
            return not stat.S_ISDIR(mode)
        self._names[status.st_ino] += 1
        return self._names[status.st_ino] == status.st_nlink


def _identity(folder: int) -> tuple[int, int]:
    """Return the device and inode of an open folder, which identify it."""
    status = os.fstat(folder)
    return status.st_dev, status.st_ino


def _change_owner(file: int, user: int) -> None:
    """Change the owner of an open file or path, without following links."""
    number = ctypes.c_uint(user)
    if LIBC.fchownat(file, b"", number, number, AT_EMPTY_PATH):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _clear_special_bits(file: int) -> None:
    """Clear the special bits that the kernel has left when the owner changed."""
    mode = os.fstat(file).st_mode
    if mode & SPECIAL_BITS and not stat.S_ISLNK(mode):
        os.chmod(f"/proc/self/fd/{file}", mode & 0o777)  # it has no other path
