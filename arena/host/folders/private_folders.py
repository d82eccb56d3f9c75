"""Folders of the host's own, which nobody else changes while programs are built and work there.

Whoever owns a folder, or one above it, may rename it and put a link in its place while the
host is at work in it. So a stranger's folder is copied first, and never used itself.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from secrets import token_hex
from weakref import finalize

from attrs import frozen

from arena.host.botfile import BotError, blame_bot
from arena.host.folders.bot_folders import COPY_BITS, copy_folder, walk_folder
from arena.host.folders.cleanup import remove_folder, temporary_folder
from arena.host.folders.spare_folders import borrow_folder
from arena.host.machine_limits import MachineError
from arena.rules import describe_error
from arena.wires import to_printable

PASSABLE_MODE = 0o711  # of a folder through which others may go to what they know the name of
READ_BITS, RUN_BITS = 0o444, 0o111  # of everybody
NAME_BYTES = 8  # of randomness in a folder's name, which no program guesses


def choose_private_mode() -> int:
    """Return the mode of a folder that holds the folders of programs, and nothing else.

    Programs that are users of their own have to pass through it, and may not list it. Where
    they are the host's user, everybody else is kept out: they may leave setuid programs behind.
    """
    from arena.sandbox import runs_as_other_users

    return PASSABLE_MODE if runs_as_other_users() else stat.S_IRWXU


@frozen
class WorkingFolder:
    """Where a program works."""

    path: Path
    is_persistent: bool = False  #: whether what it writes there is wanted when it has ended


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
    """Let nobody but the host change a bot's copied folder, whatever its build has left there.

    No setuid or setgid bit stays either. Errors call the folder `shown`.

    Raises:
        BotError: where something belongs to another user, who may change it.
        MachineError: where the machine fails to read it.
    """
    with blame_bot(shown):
        for path, status in _iter_tree(folder):
            if status.st_uid != os.geteuid():
                raise BotError(f"{shown}: its build left {path.name!a}, which is another user's")
            _set_mode(path, status.st_mode, status.st_mode & COPY_BITS)


def _iter_tree(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield a folder, and all files and folders in it."""
    yield folder, folder.stat()
    for found in walk_folder(folder, ignore=()):
        if not found.is_link:
            yield folder / found.path, found.status


def _set_mode(path: Path, mode: int, wanted: int) -> None:
    if stat.S_IMODE(wanted) != stat.S_IMODE(mode):
        path.chmod(stat.S_IMODE(wanted))


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
