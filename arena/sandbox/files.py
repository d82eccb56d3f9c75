"""Folders of sandboxed programs: a file system in memory, copies of their files, a new owner.

A program that is held by a file system of its own works there on a copy of its folder. When it
has ended, what it has written is copied back to where it is kept. Whoever wrote it decides what
is in it. So links are copied and never followed, holes stay holes, several names of one file
stay names of one file, and pipes, sockets and devices are left out. No bit that gives a program
the rights of its owner is copied, nor any that lets others than the owner change a copy.

A path is resolved anew at each call, so whoever may rename a folder in it decides which file
is meant. Here each file is opened first, never through a link, and used by its descriptor.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from collections import Counter
from collections.abc import Callable, Container
from contextlib import suppress

from arena.sandbox.kernel import libc
from arena.sandbox.kernel.libc import LIBC
from arena.sandbox.messages import ResourceBounds

MIN_FREE_BYTES = 4096  # of which less is free: no more can be written
WORK, TEMPORARY, SHARED_MEMORY = "work", "tmp", "shm"
PARTS = {WORK: 0o700, TEMPORARY: 0o1777, SHARED_MEMORY: 0o1777}
"""The writable folders of a program in namespaces, with their modes."""


class BoundedFolder:
    """A folder with a file system in memory mounted over it, for this process and its children.

    The kernel bounds its size and the number of its files, also of those that have lost their name
    and of those that nobody has open. The mounts of this process are its own already
    (`separate_mounts`), so no other program sees it. It goes with them; what is to be kept is
    copied in before and back after.

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
            return _describe_disk_limit(self._bounds)
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


MAX_DEPTH = 64  # nested folders
UNFINISHED_PREFIX = ".arena-"  # begins the name of a folder with a copy that is not whole yet
UNFINISHED = stat.S_ISVTX  # a bit of its mode, which no copy has
OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
MAKE_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
PERMISSIONS = 0o755  # at most: of these bits of a mode, copies have those of their originals
BLOCK_BYTES = 512  # as stat(2) counts them
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
HOST_ERRNOS = frozenset({
    *NO_ROOM, errno.EAGAIN, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENODEV, errno.ENOLCK,
    errno.ENOMEM, errno.EROFS, errno.ESTALE, errno.ETIMEDOUT, errno.EUCLEAN,
})  # fmt: skip
"""The errors in which the host lacks something or its disk fails, whatever is in a folder."""

NOT_BETWEEN_THESE = (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)
Path = tuple[str, ...]
"""A path as names: the folders from the top, and an entry of the last one."""


class TransferLimitError(Exception):
    """A folder that is not copied because of what is in it: too much, or what no copy can have.

    The message says what the folder has.
    """


def copy_tree(
    source: int,
    target: int,
    bounds: ResourceBounds,
    *,
    ignore: Container[str] = (),
    folder_mode: int = 0,
) -> None:
    """Copy the contents of an open folder into an empty one.

    Args:
        source: the folder, whoever may change it meanwhile.
        target: where the copies go, which belong to this process's user.
        bounds: of which `disk` and `files` hold.
        ignore: names of files and folders that are passed over, wherever they are.
        folder_mode: bits of a mode that every folder of the copy gets beside its own.

    Raises:
        TransferLimitError: where it passes a bound, or has what cannot be copied.
        OSError: where the host lacks something.
    """
    copier = _Copier(target, (os.geteuid(), os.getegid()), bounds)
    copier.ignore, copier.folder_mode = (lambda entry: entry.name in ignore), folder_mode
    copier.copy(source, target)


def copy_in(source: int, target: int, user: int, bounds: ResourceBounds) -> None:
    """Copy the contents of an open folder into another one, owned by a user.

    Args:
        source: the folder of the host's; a copy that was cut off there is passed over.
        target: an empty one, which the program will work in.
        user: the number of the user and of the group whose copies they are.
        bounds: of which `disk` and `files` hold.

    Raises:
        TransferLimitError: where it passes a bound, does not fit into the target, or has what
            cannot be copied.
        OSError: where the host lacks something.
    """
    copier = _Copier(target, (user, user), bounds)
    copier.ignore = _is_unfinished_copy
    try:
        copier.copy(source, target)
    except OSError as problem:
        if problem.errno in NO_ROOM:  # the target is as large as the bounds allow
            raise TransferLimitError(_describe_disk_limit(bounds)) from None
        raise


def copy_back(source: int, target: int, bounds: ResourceBounds) -> None:
    """Replace the contents of an open folder by those of another; change nothing on an error.

    A copy that is not whole yet lies in a folder of the target meanwhile, where a program may have
    files of any name. It is known by a bit that no copy has, and not by its name alone.

    Args:
        source: the folder that the program has worked in; nobody works there any more.
        target: the folder of the host's, whose copies belong to this process's user.
        bounds: of which `disk` and `files` hold.

    Raises:
        TransferLimitError: where it passes a bound, or has what cannot be copied; then this is the
            program's fault.
        OSError: where it cannot be read or written; then it is the host's.
    """
    name = f"{UNFINISHED_PREFIX}{os.urandom(8).hex()}"
    fresh = _make_folder(name, target, stat.S_IRWXU | UNFINISHED)
    try:
        new, old = _make_folder("new", fresh), _make_folder("old", fresh)
        try:
            _Copier(new, (os.geteuid(), os.getegid()), bounds).copy(source, new)
            _move_all(target, old, but=name)
            _move_all(new, target)
        finally:
            os.close(new)
            os.close(old)
    finally:
        os.close(fresh)
        _remove(name, target)


class _Copier:
    """Copies a tree, and counts what it has copied."""

    def __init__(self, top: int, owner: tuple[int, int], bounds: ResourceBounds) -> None:
        self._top, self._owner, self._bounds = top, owner, bounds
        self._files = self._bytes = self._allocated = 0
        self._linked: dict[tuple[int, int], tuple[str, ...]] = {}  # where their first name is
        self.ignore: Callable[[os.DirEntry[str]], bool] = lambda _: False
        self.folder_mode = 0

    def copy(self, source: int, target: int, path: Path = ()) -> None:
        """Copy the contents of an open folder; `path` is its path from the top."""
        if len(path) > MAX_DEPTH:
            raise TransferLimitError(f"more than {MAX_DEPTH} nested folders")
        with os.scandir(source) as entries:
            for entry in entries:
                try:
                    if not self.ignore(entry):
                        status = entry.stat(follow_symlinks=False)
                        self._copy_any(source, target, (*path, entry.name), status)
                except OSError as problem:
                    if problem.errno in HOST_ERRNOS:
                        raise
                    raise TransferLimitError(f"{entry.name!a}: {problem.strerror}") from None

    def _copy_any(self, source: int, target: int, path: Path, status: os.stat_result) -> None:
        name, mode = path[-1], status.st_mode
        if stat.S_ISDIR(mode):
            self._count(status)
            self._copy_folder(source, target, path)
        elif stat.S_ISLNK(mode):
            self._count(status)
            os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
            os.chown(name, *self._owner, dir_fd=target, follow_symlinks=False)
            os.utime(name, ns=_get_times(status), dir_fd=target, follow_symlinks=False)
        elif stat.S_ISREG(mode) and not self._link(path, target, status):
            self._count(status)
            self._copy_file(source, target, name)

    def _copy_folder(self, source: int, target: int, path: Path) -> None:
        below = os.open(path[-1], OPEN_FOLDER, dir_fd=source)
        try:
            made = _make_folder(path[-1], target)
            try:
                self.copy(below, made, path)
                self._finish(made, os.fstat(below), self.folder_mode)
            finally:
                os.close(made)
        finally:
            os.close(below)

    def _copy_file(self, source: int, target: int, name: str) -> None:
        file = os.open(name, OPEN_FILE, dir_fd=source)
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                return
            made = os.open(name, MAKE_FILE, 0o600, dir_fd=target)
            try:
                _copy_data(file, made, status.st_size)
                self._finish(made, status)
            finally:
                os.close(made)
        finally:
            os.close(file)

    def _finish(self, made: int, status: os.stat_result, more: int = 0) -> None:
        """Set the owner, the mode (with some additional bits) and the times of a copy."""
        os.fchown(made, *self._owner)
        os.fchmod(made, status.st_mode & PERMISSIONS | more)
        os.utime(made, ns=_get_times(status))

    def _link(self, path: Path, target: int, status: os.stat_result) -> bool:
        """Add a name to the copy of a file; return whether there was a copy already."""
        if status.st_nlink == 1:
            return False
        first = self._linked.setdefault((status.st_dev, status.st_ino), path)
        if first == path:
            return False
        self._files += 1
        self._check_bounds()
        folder = self._open_copy(first[:-1])
        try:
            os.link(
                first[-1], path[-1], src_dir_fd=folder, dst_dir_fd=target, follow_symlinks=False
            )
        finally:
            os.close(folder)
        return True

    def _open_copy(self, path: Path) -> int:
        """Open a folder of the copy, whose path may exceed the limit of the system."""
        folder = os.open(".", OPEN_FOLDER, dir_fd=self._top)
        for name in path:
            below = os.open(name, OPEN_FOLDER, dir_fd=folder)
            os.close(folder)
            folder = below
        return folder

    def _count(self, status: os.stat_result) -> None:
        self._files += 1
        if not stat.S_ISDIR(status.st_mode):
            self._bytes += status.st_size
            self._allocated += status.st_blocks * BLOCK_BYTES
        self._check_bounds()

    def _check_bounds(self) -> None:
        if self._files > self._bounds["files"]:
            raise TransferLimitError(f"more than {self._bounds['files']:,} files")
        if max(self._bytes, self._allocated) > self._bounds["disk"]:
            raise TransferLimitError(_describe_disk_limit(self._bounds))


def _copy_data(source: int, target: int, size: int) -> None:
    """Copy the first `size` bytes of a file into an empty one; holes stay holes."""
    at = 0
    while at < size:
        try:
            begin = os.lseek(source, at, os.SEEK_DATA)
        except OSError as problem:
            if problem.errno != errno.ENXIO:
                raise
            break  # behind here there are only holes
        end = min(size, os.lseek(source, begin, os.SEEK_HOLE))
        at = begin
        while at < end and (sent := _copy_range(source, target, at, end - at)):
            at += sent
        if at < end:  # it has become shorter
            break
    os.ftruncate(target, size)


def _copy_range(source: int, target: int, at: int, size: int) -> int:
    """Copy bytes to the same position in another file; return the number of copied bytes.

    A file system that can lets both files share them, which takes no time and no room.
    """
    try:
        return os.copy_file_range(source, target, size, at, at)
    except OSError as problem:
        if problem.errno not in NOT_BETWEEN_THESE:
            raise
    os.lseek(target, at, os.SEEK_SET)
    return os.sendfile(target, source, at, size)


def _is_unfinished_copy(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is left over from an interrupted copy."""
    if not entry.name.startswith(UNFINISHED_PREFIX):
        return False
    status = entry.stat(follow_symlinks=False)
    return stat.S_ISDIR(status.st_mode) and bool(status.st_mode & UNFINISHED)


def _make_folder(name: str, folder: int, mode: int = stat.S_IRWXU) -> int:
    """Create a private folder in an open one, and open it."""
    os.mkdir(name, mode, dir_fd=folder)
    return os.open(name, OPEN_FOLDER, dir_fd=folder)


def _move_all(source: int, target: int, but: str = "") -> None:
    """Move everything from one open folder to another, except for one name."""
    for name in os.listdir(source):
        if name != but:
            os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)


def _remove(name: str, folder: int) -> None:
    """Remove a folder of this module with its contents, as far as possible."""
    with suppress(OSError):
        below = os.open(name, OPEN_FOLDER, dir_fd=folder)
        try:
            os.fchmod(below, stat.S_IRWXU)
            with os.scandir(below) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        _remove(entry.name, below)
                    else:
                        with suppress(OSError):
                            os.unlink(entry.name, dir_fd=below)
        finally:
            os.close(below)
        os.rmdir(name, dir_fd=folder)


def _get_times(status: os.stat_result) -> tuple[int, int]:
    return status.st_atime_ns, status.st_mtime_ns


def _describe_disk_limit(bounds: ResourceBounds) -> str:
    return f"more than {bounds['disk'] >> 20} MB of files"


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
    """Walks through a tree and gives everything in it to a user, even if somebody changes it.

    A hard link is a second name of a file that may belong to somebody else. So a file with several
    names is given away only when all of its names were found in the tree. No name is counted
    twice: a folder changes hands before anybody looks into it, and from then on nobody else may
    move what is in it.

    The walk goes down by names and up by `..`. It needs two descriptors and no recursion, however
    deep the tree is, and no path that could be too long.
    """

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
