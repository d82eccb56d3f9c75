"""The writable folder of a program, as a file system in memory.

The kernel bounds its size and the number of its files, also of those that have lost their name
and of those that nobody has open. No other program sees it, since it is mounted where only this
program and its keeper look. It goes with them; what is to be kept is copied in before and back
after, without setuid bits.
"""

from __future__ import annotations

import os

from arena.sandbox.files.transfer import copy_back, copy_in
from arena.sandbox.kernel import libc
from arena.sandbox.messages import ResourceBounds

MIN_FREE_BYTES = 4096  # of which less is free: no more can be written
WORK, TEMPORARY, SHARED_MEMORY = "work", "tmp", "shm"
PARTS = {WORK: 0o700, TEMPORARY: 0o1777, SHARED_MEMORY: 0o1777}
"""The writable folders of a program in namespaces, with their modes."""


class BoundedFolder:
    """A folder with a file system mounted over it, for this process and its children.

    The mounts of this process are its own already (`separate_mounts`).

    Args:
        folder: where it is mounted; what is there already is copied in.
        bounds: of which `disk` and `files` hold.
        user: whose it is; None: this process's user.
        parts: whether it has the folders of `PARTS`, or is the working folder itself.

    Raises:
        TransferLimitError: what is there already is too much.
        OSError: it cannot be mounted.
    """

    def __init__(
        self, folder: str, bounds: ResourceBounds, user: int | None, *, parts: bool
    ) -> None:
        self._bounds, self._folder = bounds, folder
        owner = os.getuid() if user is None else user
        flags = os.O_RDONLY | os.O_DIRECTORY
        self._kept = os.open(folder, flags)
        mount(folder, bounds, folders=1 + (len(PARTS) if parts else 0))
        for name, mode in PARTS.items() if parts else ():
            path = os.path.join(folder, name)
            os.mkdir(path)
            os.chown(path, owner, owner)
            os.chmod(path, mode)
        self._work = os.open(os.path.join(folder, WORK) if parts else folder, flags)
        os.fchown(self._work, owner, owner)
        os.fchmod(self._work, PARTS[WORK])
        copy_in(self._kept, self._work, owner, bounds)

    def find_excess(self) -> str:
        """Return the limit that has been reached, in words, or ""."""
        found = os.fstatvfs(self._work)
        if found.f_ffree == 0:
            return f"more than {self._bounds['files']:,} files"
        if found.f_bavail * found.f_frsize < MIN_FREE_BYTES:
            return f"more than {self._bounds['disk'] >> 20} MB of files"
        return ""

    def keep(self) -> None:
        """Copy the program's files to the folder where they are kept.

        Raises:
            TransferLimitError: it is too much, or too deep; what was kept before stays.
            OSError: it cannot be written.
        """
        if os.listdir(self._work) or os.listdir(self._kept):
            copy_back(self._work, self._kept, self._bounds)

    def close(self) -> None:
        """Take away the file system with everything in it; raise OSError."""
        os.close(self._work)
        os.close(self._kept)
        libc.unmount(self._folder)


def separate_mounts() -> None:
    """Give this process mounts of its own, which no other process sees; raise OSError.

    What others unmount is gone here, too, so that no disk of theirs stays busy.
    """
    libc.unshare(libc.NEW_MOUNTS)
    libc.mount(None, "/", libc.RECURSIVE | libc.SLAVE_MOUNTS)


def mount(folder: str, bounds: ResourceBounds, *, folders: int) -> None:
    """Mount a file system of this size over a folder; raise OSError.

    Args:
        folder: where it is mounted.
        bounds: of which `disk` and `files` hold.
        folders: how many it has that are none of the program's files.
    """
    limits = f"size={bounds['disk']},nr_inodes={bounds['files'] + folders},mode=0755"
    libc.mount("tmpfs", folder, libc.NO_SUID | libc.NO_DEVICES, limits)


def can_mount() -> bool:
    """Return whether this process may mount file systems, tried in a child process."""
    child = os.fork()
    if child == 0:
        try:
            separate_mounts()
            libc.mount("tmpfs", "/tmp", libc.NO_SUID)
            libc.make_read_only("/tmp")
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0
