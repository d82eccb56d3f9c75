"""Folders of bots: where programs work, copies that are private, and removing them.

Whoever enters a folder decides what is in it: a pipe that never ends, a disk full of zeros, a link
to somebody's home. So folders are copied within bounds: links are copied as links, and never
followed; holes and several names of one file take no more room in a copy than in its original.

Whoever owns a folder, or one above it, may rename it and put a link in its place while the host is
at work in it. So a stranger's folder is copied first, and never used itself: programs are built and
work in folders of the host's own, which nobody else changes.
"""

from __future__ import annotations

import atexit
import logging
import os
import stat
import tempfile
from collections.abc import Container, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count, islice
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4
from weakref import finalize

from attrs import frozen

from arena.host.bot_file import BotError, blame_bot
from arena.host.shortages import MachineError
from arena.rules import describe_error
from arena.sandbox import ResourceBounds, TransferLimitError, check_unreadable, copy_tree
from arena.wires import to_printable

if TYPE_CHECKING:
    from arena.sandbox import Sandbox

MAX_DEPTH = 64  # folders in folders
MAX_ENTRIES = 100_000  # files and folders
MAX_BYTES = 4 * 2**30  # bytes
IGNORED_NAMES = ("__pycache__", ".git")  # what comes and goes without anybody's doing
COPY_BITS = 0o755  # at most: nobody but the owner may change a copy


@frozen
class WorkingFolder:
    """Where a program works."""

    path: Path
    is_persistent: bool = False  #: whether what it writes there is wanted when it has ended


NAME_BYTES = 8  # of randomness in a folder's name


def create_working_folder(stack: ExitStack, *, is_sandboxed: bool) -> WorkingFolder:
    """Return an empty folder for a program whose path no other running program knows.

    Args:
        stack: removes it in the end, whatever is in it then; or keeps it for a later match.
        is_sandboxed: whether the program runs in a sandbox, perhaps as another user. Then the
            folder is always a new one.
    """
    if not is_sandboxed:
        return WorkingFolder(stack.enter_context(borrow_folder()))
    room = stack.enter_context(temporary_folder())
    room.chmod(choose_private_mode())
    folder = room / token_hex(NAME_BYTES)
    folder.mkdir()
    return WorkingFolder(folder)


def prepare_persistent_folder(folder: Path, *, is_sandboxed: bool) -> WorkingFolder:
    """Make the folder that a program keeps, if it is not there; unlock one that it has locked.

    A file in place of it stays: then the program cannot be started, by its own fault.
    """
    if is_sandboxed:
        folder.parent.parent.mkdir(parents=True, exist_ok=True)
        folder.parent.mkdir(mode=choose_private_mode(), exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir(parents=True, exist_ok=True)
    mode = folder.lstat().st_mode
    if stat.S_ISDIR(mode) and mode & stat.S_IRWXU != stat.S_IRWXU:
        with suppress(PermissionError):  # it is somebody else's
            folder.chmod(stat.S_IMODE(mode) | stat.S_IRWXU)
    return WorkingFolder(folder.absolute(), is_persistent=True)


def fill_working_folder(folder: Path, home: Path) -> None:
    """Put a copy of a bot's home into an empty folder; leave alone one that it has kept."""
    try:
        kept = any(folder.iterdir())
    except OSError:  # it has locked what it keeps, and cannot be started
        return
    if kept:
        return
    with temporary_folder(folder.parent, prefix=".") as fresh:
        copy_folder(home, fresh / "copy")
        (fresh / "copy").rename(folder)  # as a whole: a run that is cut leaves no half


PASSABLE_MODE = 0o711  # of a folder through which others may go to what they know the name of


def choose_private_mode() -> int:
    """Return the mode of a folder that holds the folders of programs, and nothing else.

    Programs that are users of their own have to pass through it, and may not list it. Where
    they are the host's user, everybody else is kept out: they may leave setuid programs behind.
    """
    from arena.sandbox import runs_as_other_users

    return PASSABLE_MODE if runs_as_other_users() else stat.S_IRWXU


@frozen(eq=False)
class BotCopy:
    """A copy of a bot's folder; it goes when nobody refers to it any more."""

    folder: Path

    @classmethod
    def create(cls, home: Path) -> BotCopy:
        """Copy a folder.

        Raises:
            BotError: where the folder is nothing that can be copied.
            MachineError: where the machine fails to copy it.
        """
        room = Path(tempfile.mkdtemp(prefix="arena-"))
        copy = cls(room / "bot")
        finalize(copy, _remove_copy, room, os.getpid())
        room.chmod(choose_private_mode())
        try:
            copy_folder(home, copy.folder)
        except OSError as problem:
            shown = to_printable(str(home))
            raise MachineError(
                f"{shown} cannot be copied to {room}: {describe_error(problem)}"
            ) from None
        return copy


def _remove_copy(room: Path, owner: int) -> None:
    """Remove a copy, but not in a fork of the process that has made it."""
    if os.getpid() == owner:
        remove_folder(room)


def check_bot_unreadable(home: Path, name: str) -> None:
    """Raise NoSandboxError if programs in sandboxes could read a bot's folder, its opponents too.

    Args:
        home: the folder that was entered, which is copied.
        name: what the bot is called.
    """
    advice = "move it to a folder elsewhere"
    check_unreadable(home.absolute(), f"{name}: the bot's folder", advice)


def copy_folder(folder: Path, to: Path) -> None:
    """Copy a folder, whoever may change it meanwhile, to where nothing is yet.

    Holes stay holes, and hard links stay links. The copy has no setuid and setgid bits; its
    folders are as private as they were, and its owner alone can write to them, for a build.

    Raises:
        BotError: where it is nothing that can be copied.
        MachineError: where the machine fails to read or to write it.
        OSError: where no folder can be made for the copy.
    """
    with blame_bot(folder):
        for _ in walk_folder(folder):
            pass  # it says what cannot be copied
    copy_without_special_files(folder, to, IGNORED_NAMES)


def copy_without_special_files(folder: Path, to: Path, ignore: Container[str] = ()) -> None:
    """Copy a folder like `copy_folder`, but without what is no file, folder or link.

    Raises:
        BotError: where there is too much, or what cannot be copied.
        MachineError: where the machine fails to read or to write it.
        OSError: where no folder can be made for the copy.
    """
    bounds = ResourceBounds(memory=None, cpu=None, processes=1, disk=MAX_BYTES, files=MAX_ENTRIES)
    to.mkdir(mode=stat.S_IRWXU)
    with ExitStack() as stack, blame_bot(folder, "cannot be copied"):
        source = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        stack.callback(os.close, source)
        target = os.open(to, os.O_RDONLY | os.O_DIRECTORY)
        stack.callback(os.close, target)
        try:
            copy_tree(source, target, bounds, ignore=ignore, folder_mode=stat.S_IRWXU)
        except TransferLimitError as problem:
            raise BotError(f"{to_printable(str(folder))} cannot be copied: {problem}") from None
        os.fchmod(target, os.fstat(source).st_mode & COPY_BITS | stat.S_IRWXU)


READ_BITS, RUN_BITS = 0o444, 0o111  # of everybody


def make_readable(folder: Path) -> None:
    """Let programs that are users of their own read a bot's copied folder.

    What its owner may run, they may run, too. Raise BotError or MachineError where that fails.
    """
    from arena.sandbox import runs_as_other_users

    if not runs_as_other_users():
        return
    with blame_bot(folder):
        for path, status in _iter_tree(folder):
            mode = status.st_mode
            wanted = mode | READ_BITS | (RUN_BITS if mode & stat.S_IXUSR else 0)
            _set_mode(path, mode, wanted)


def seal_copy(folder: Path, shown: Path) -> None:
    """Let the host read a bot's copied folder, and nobody else change it, whatever its build left.

    No setuid or setgid bit stays either. Errors call the folder `shown`.

    Raises:
        BotError: where something belongs to another user, who may change it.
        MachineError: where the machine fails to read it.
    """
    with blame_bot(shown):
        for path, status in _iter_tree(folder):
            if status.st_uid != os.geteuid():
                raise BotError(f"{shown}: its build left {path.name!a}, which is another user's")
            own = stat.S_IRWXU if stat.S_ISDIR(status.st_mode) else stat.S_IRUSR
            _set_mode(path, status.st_mode, status.st_mode & COPY_BITS | own)


def _iter_tree(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield a folder, and all files and folders in it."""
    yield folder, folder.stat()
    for found in walk_folder(folder, ignore=()):
        if not found.is_link:
            yield folder / found.path, found.status


def _set_mode(path: Path, mode: int, wanted: int) -> None:
    if stat.S_IMODE(wanted) != stat.S_IMODE(mode):
        path.chmod(stat.S_IMODE(wanted))


def check_copyable(folder: Path, sandbox: Sandbox | None, shown: Path) -> None:
    """Raise BotError if a program cannot work in a copy of this folder.

    In a sandbox, the copy counts as written by the program. Raise MachineError if the machine
    fails to read the folder. Errors call it `shown`.
    """
    with blame_bot(shown):
        size = sum(found.status.st_size for found in walk_folder(folder) if not found.is_folder)
    if sandbox:
        _check_size(
            size,
            sandbox,
            f"{to_printable(str(shown))}: the bot works in a copy of its folder, which has",
        )


def check_build_result(folder: Path, sandbox: Sandbox | None, shown: Path) -> None:
    """See that what a build has left in a folder can be kept.

    A build that ran in no sandbox is trusted. Errors call the folder `shown`.

    Raises:
        BotError: where it is too large, cannot be read, or holds something that is no file.
        MachineError: where the machine fails to read it.
    """
    if sandbox is None:
        return
    with blame_bot(shown):
        size = measure_bytes(folder)
    _check_size(size, sandbox, f"{to_printable(str(shown))}: its build produced")


def _check_size(size: int, sandbox: Sandbox, prefix: str) -> None:
    """Raise BotError where there are more bytes than may be written in a sandbox."""
    allowed = sandbox.resources.disk_mb
    if size > allowed << 20:
        raise BotError(f"{prefix} {size / (1 << 20):,.0f} MB of files; {allowed} MB are allowed")


BLOCK_BYTES = 512  # as stat(2) counts them


def measure_bytes(folder: Path) -> int:
    """Return the bytes of all files in a folder, whatever they are called.

    A file counts as it is read or as it lies on the disk, whichever comes to more for all of
    them; one that has several names is read by each of them, and lies there once.

    Raises:
        BotError: where there is more than can be copied, or something that is no file.
        OSError: where it cannot be read.
    """
    read, blocks = 0, {}
    for found in walk_folder(folder, ignore=()):
        status = found.status
        read += 0 if found.is_folder else status.st_size
        blocks[status.st_dev, status.st_ino] = status.st_blocks
    return max(read, sum(blocks.values()) * BLOCK_BYTES)


@frozen
class DirectoryEntry:
    """Something in a folder."""

    path: Path  # from that folder
    status: os.stat_result  # its own, where it is a link

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, and not a link to one."""
        return stat.S_ISDIR(self.status.st_mode)

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return stat.S_ISLNK(self.status.st_mode)


def walk_folder(folder: Path, ignore: Container[str] = IGNORED_NAMES) -> Iterator[DirectoryEntry]:
    """Yield all that is in a folder, always in the same order, each folder before what it holds.

    What is called as in `ignore` is passed over. Raise BotError where it is too much, or is
    neither file nor folder nor link; OSError where it cannot be read.
    """
    count = size = 0
    waiting = [Path()]
    while waiting:
        base = waiting.pop()
        entries = _list_entries(folder, base, MAX_ENTRIES - count, ignore)
        count += len(entries)
        size += sum(entry.status.st_size for entry in entries if not entry.is_folder)
        _check_bounds(folder, len(base.parts), count, size)
        yield from entries
        waiting += [entry.path for entry in reversed(entries) if entry.is_folder]


def _list_entries(
    folder: Path, base: Path, most: int, ignore: Container[str]
) -> list[DirectoryEntry]:
    """Return the entries of a subfolder by name, at most `most` and one more."""
    with os.scandir(folder / base) as entries:
        parts = (entry for entry in entries if entry.name not in ignore)
        found_entries = [
            DirectoryEntry(base / entry.name, entry.stat(follow_symlinks=False))
            for entry in islice(parts, most + 1)
        ]
    for entry in found_entries:
        if not (entry.is_folder or entry.is_link or stat.S_ISREG(entry.status.st_mode)):
            where = folder / entry.path
            raise BotError(f"{where} is neither a file nor a folder, and cannot be copied")
    return sorted(found_entries, key=lambda entry: entry.path.name)


def _check_bounds(folder: Path, depth: int, number: int, size: int) -> None:
    for has, most, description in (
        (depth, MAX_DEPTH, "nested folders"),
        (number, MAX_ENTRIES, "files and folders"),
        (size, MAX_BYTES, "bytes"),
    ):
        if has > most:
            raise BotError(f"{folder} has more than {most:,} {description}, and cannot be copied")


class SpareFolders:
    """Working folders of trusted programs, used again where nothing has touched them.

    Most programs write no files. Making a folder for each of them and removing it costs more than
    to see that nothing has happened in it. What a program could leave behind, also as a time or a
    mode, would be a letter to the next match: then the folder is removed. Folders of programs in a
    sandbox are never used again.
    """

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


class FolderState(NamedTuple):
    """What tells whether a folder has been touched."""

    mode: int
    user: int
    group: int
    modified_ns: int
    changed_ns: int
    entries: tuple[str, ...]
    attributes: tuple[str, ...]


def read_state(folder: Path) -> FolderState:
    """Read the state of a folder, and of no link to one; raise OSError."""
    found = os.lstat(folder)
    entries = os.listdir(folder)  # noqa: PTH208  # this is hot
    attributes = os.listxattr(folder, follow_symlinks=False)
    return FolderState(
        found.st_mode, found.st_uid, found.st_gid, found.st_mtime_ns, found.st_ctime_ns,
        tuple(entries), tuple(attributes),
    )  # fmt: skip


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


LOG = logging.getLogger(__name__)  # a warning is a line on standard error, if nobody wants it else


@contextmanager
def temporary_folder(within: Path | None = None, prefix: str = "arena-") -> Iterator[Path]:
    """Make a folder that goes with the block, whatever is in it then."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=within))
    try:
        yield folder
    finally:
        remove_folder(folder)


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that is in it; warn in one line where that cannot be done.

    No tree is too deep, no name too odd. `shutil.rmtree` calls itself for each level of folders and
    holds a descriptor for each; `rm -rf` stops at a folder that may not be read, and starts a
    process for each match. Here each folder that is found is moved to the top before anybody looks
    into it. So depth costs neither stack nor descriptors nor length of a path. All is named by its
    name and its folder's descriptor, so that no symbolic link is followed.
    """
    with suppress(OSError):  # what is in the way is seen at last
        top = _open_folder(folder)
        try:
            _empty_folder(top)
        finally:
            os.close(top)
    try:
        folder.rmdir()
    except FileNotFoundError:
        pass
    except OSError as problem:
        LOG.warning(
            "%s", to_printable(f"arena: {folder} cannot be removed: {describe_error(problem)}")
        )


def _empty_folder(top: int) -> None:
    """Remove all that is in an open folder, as far as that can be done."""
    names = (f"{uuid4().hex}-{number}" for number in count())  # that nobody has chosen
    waiting = [*_remove_files(top)]
    while waiting:
        name = waiting.pop()
        with suppress(OSError):
            folder = _open_folder(name, top)
            try:
                waiting += _move_subfolders(folder, top, names)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=top)


def _remove_files(folder: int) -> Iterator[str]:
    """Remove what is in an open folder but the folders, and yield their names."""
    with os.scandir(folder) as found:
        for entry in found:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    yield entry.name
                else:
                    os.unlink(entry.name, dir_fd=folder)


def _move_subfolders(folder: int, top: int, names: Iterator[str]) -> Iterator[str]:
    """Move the folders that are in one to the top, remove the rest, and yield their new names."""
    for name in _remove_files(folder):
        with suppress(OSError):
            os.close(_open_folder(name, folder))  # what is locked cannot be moved
            fresh = next(names)
            os.rename(name, fresh, src_dir_fd=folder, dst_dir_fd=top)
            yield fresh


def _open_folder(name: str | Path, folder: int | None = None) -> int:
    """Open a folder, and no link to one; unlock it first."""
    found = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        with suppress(OSError):  # somebody else's
            os.chmod(f"/proc/self/fd/{found}", stat.S_IRWXU)  # noqa: PTH101  # it has no other path
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=found)
    finally:
        os.close(found)
