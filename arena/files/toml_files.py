"""TOML files, read with what is wrong in them in one line."""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from pathlib import Path
from typing import Any

from arena.files.opening import open_without_following, open_without_waiting
from arena.wires import describe_toml_error


def read_toml(path: Path, *, follow: bool = True) -> dict[str, Any]:
    """Read a TOML file.

    Args:
        path: of the file.
        follow: whether it may be a symbolic link; one of a stranger's may lead anywhere.

    Raises:
        OSError: where it cannot be read, or is no file.
        ValueError: with what is wrong in it.
    """
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
