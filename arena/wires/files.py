"""Files that users name, and text from strangers: opened, locked and printed with care.

A pipe that nobody holds at its other end would hold up who opens it, a device such as `/dev/zero`
never ends, and a symbolic link of a stranger's may lead anywhere.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import unicodedata
from pathlib import Path
from typing import IO, Any

from arena.wires.syntax_errors import describe_toml_error


def open_without_waiting(path: str, flags: int) -> int:
    """Open a file without waiting for the other end of a pipe: an `opener` for `open`.

    Raises OSError where nobody reads the pipe that is to be written.
    """
    try:
        descriptor = os.open(path, flags | os.O_NONBLOCK, 0o666)
    except OSError as problem:
        if problem.errno == errno.ENXIO:
            raise OSError(problem.errno, "nobody reads from this pipe", path) from None
        raise
    os.set_blocking(descriptor, True)
    return descriptor


def open_without_following(path: str, flags: int) -> int:
    """Open as `open_without_waiting` does, but raise OSError for a symbolic link."""
    return open_without_waiting(path, flags | os.O_NOFOLLOW)


PRIVATE_MODE = 0o600


def open_private(path: str | Path, flags: int) -> int:
    """Open a file; a new one is accessible to its owner alone: an `opener` for `open`.

    Its mode is then 0600, whatever the umask; a file that is there keeps its own.
    """
    if not flags & os.O_CREAT:
        return os.open(path, flags)
    try:
        descriptor = os.open(path, flags | os.O_EXCL, PRIVATE_MODE)
    except FileExistsError:
        return os.open(path, flags, PRIVATE_MODE)
    os.fchmod(descriptor, PRIVATE_MODE)
    return descriptor


def read_text(path: Path) -> str:
    """Return the text of a file or a pipe; raise OSError or ValueError."""
    with open(path, "rb", opener=open_without_waiting) as file:
        if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "this is a device, not a file", str(path))
        return file.read().decode("utf-8-sig")  # some editors put a mark before the first line


def read_toml(path: Path, *, follow: bool = True) -> dict[str, Any]:
    """Read a TOML file.

    Args:
        path: of the file.
        follow: whether it may be a symbolic link; one of a stranger's may lead anywhere.

    Raises:
        OSError: where it cannot be read, or is no file.
        ValueError: with what is wrong in it.
    """
    import tomllib

    opener = open_without_waiting if follow else open_without_following
    with open(path, "rb", opener=opener) as file:
        _check_toml_file(os.fstat(file.fileno()), path)
        content = file.read()
    try:
        return tomllib.loads(content.decode("utf-8-sig"))  # some editors put a mark at the start
    except UnicodeDecodeError as problem:
        raise ValueError(f"not UTF-8: byte {problem.start + 1} is not valid") from None
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"not TOML: {describe_toml_error(problem)}") from None


MAX_TOML_BYTES = 1 << 24  # bytes of a TOML file: a hundred thousand entrants fit into it


def _check_toml_file(found: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "this is not a file", str(path))
    if found.st_size > MAX_TOML_BYTES:
        raise OSError(errno.EFBIG, f"this is longer than {MAX_TOML_BYTES} bytes", str(path))


def lock_open_file(file: int | IO[Any], *, wait: bool = False) -> None:
    """Lock an open file, or a descriptor, until it is closed, to keep other processes out.

    The lock belongs to the open file, not to its path or to the process: it ends with its process,
    however that ends. Nothing is left to clean up after a kill, as there would be with a file whose
    mere existence is the lock.

    Args:
        file: the file; whoever has opened it again, also in this process, is somebody else.
        wait: whether to wait until nobody else has the lock.

    Raises:
        BlockingIOError: if somebody else has the lock, and `wait` is not set.
    """
    fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


HARMFUL_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""The Unicode categories of characters that move the cursor, reverse text or are invisible."""
BLANK_CATEGORIES = {*HARMFUL_CATEGORIES, "Cn", "Zs"}
"""The Unicode categories of characters that show nothing."""


BLANK_NAMES = re.compile(
    "VARIATION SELECTOR|GRAPHEME JOINER|FILLER|BLANK|NULL NOTEHEAD|VOWEL INHERENT"
)
"""What the names of characters have in them that show nothing, and are of no other category."""


def is_blank(text: str) -> bool:
    r"""Whether a text shows nothing: it has spaces and invisible characters only.

    >>> is_blank("ㅤ ⠀"), is_blank("❤️")
    (True, False)
    """
    return all(
        unicodedata.category(character) in BLANK_CATEGORIES
        or BLANK_NAMES.search(unicodedata.name(character, ""))
        for character in text
    )


def to_printable(text: str) -> str:
    r"""Return the text with every control, bidirectional or zero-width character as a `?`.

    >>> to_printable("red \x1b[31m alert")
    'red ?[31m alert'
    """
    if text.isprintable():  # what Python calls so is in none of these categories
        return text
    return "".join(
        "?" if unicodedata.category(character) in HARMFUL_CATEGORIES else character
        for character in text
    )
