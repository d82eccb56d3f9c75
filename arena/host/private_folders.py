"""Folders of the host's own, which nobody else changes while programs are built and work there.

Whoever owns a folder, or one above it, may rename it and put a link in its place while the
host is at work in it. So a stranger's folder is copied first, and never used itself.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from secrets import token_hex
from weakref import finalize

from attrs import frozen

from arena.host.remains import remove, temporary
from arena.host.shortage import MachineError
from arena.host.trees import copy, look_through
from arena.rules import in_words
from arena.wires import printable

PASSABLE_MODE = 0o711  # of a folder through which others may go to what they know the name of
READ_BITS, RUN_BITS = 0o444, 0o111  # of everybody
NAME_BYTES = 8  # of randomness in a folder's name, which no program guesses


def private_mode() -> int:
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
    keeps: bool = False  #: whether what it writes there is wanted when it has ended


def work_folder(rooms: ExitStack, *, contained: bool) -> WorkingFolder:
    """Make an empty folder for a program whose path no other program knows.

    Args:
        rooms: removes it in the end, whatever is in it then.
        contained: whether the program runs in a sandbox, perhaps as another user.
    """
    room = rooms.enter_context(temporary())
    if contained:
        room.chmod(private_mode())
    folder = room / token_hex(NAME_BYTES)
    folder.mkdir()
    return WorkingFolder(folder)


def kept_folder(folder: Path, *, contained: bool) -> WorkingFolder:
    """Make the folder that a program keeps, if it is not there; unlock one that it has locked.

    A file in place of it stays: then the program cannot be started, by its own fault.
    """
    if contained:
        folder.parent.parent.mkdir(parents=True, exist_ok=True)
        folder.parent.mkdir(mode=private_mode(), exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir(parents=True, exist_ok=True)
    mode = folder.lstat().st_mode
    if stat.S_ISDIR(mode) and mode & stat.S_IRWXU != stat.S_IRWXU:
        with suppress(PermissionError):  # it is somebody else's
            folder.chmod(stat.S_IMODE(mode) | stat.S_IRWXU)
    return WorkingFolder(folder.absolute(), keeps=True)


def make_readable(folder: Path) -> None:
    """Let programs that are users of their own read a bot's copied folder.

    What its owner may run, they may run, too.
    """
    from arena.sandbox import runs_as_other_users

    if not runs_as_other_users():
        return
    _let_all_read(folder, folder.stat().st_mode)
    for found in look_through(folder, left_out=()):
        if not found.is_link:
            _let_all_read(folder / found.path, found.status.st_mode)


def _let_all_read(path: Path, mode: int) -> None:
    wanted = mode | READ_BITS | (RUN_BITS if mode & stat.S_IXUSR else 0)
    if wanted != mode:
        path.chmod(stat.S_IMODE(wanted))


@frozen(eq=False)
class BotCopy:
    """A copy of a bot's folder; it goes when nobody refers to it any more."""

    folder: Path

    @classmethod
    def of(cls, home: Path) -> BotCopy:
        """Copy a folder.

        Raises:
            BadBot: where the folder is nothing that can be copied.
            MachineError: where the machine cannot copy it.
        """
        room = Path(tempfile.mkdtemp(prefix="arena-"))
        made = cls(room / "bot")
        finalize(made, _remove, room, os.getpid())
        room.chmod(private_mode())
        try:
            copy(home, made.folder)
        except OSError as problem:
            shown = printable(str(home))
            raise MachineError(f"{shown} cannot be copied to {room}: {in_words(problem)}") from None
        return made


def _remove(room: Path, owner: int) -> None:
    """Remove a copy, but not in a fork of the process that has made it."""
    if os.getpid() == owner:
        remove(room)
