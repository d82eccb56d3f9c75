"""Writing files of a site atomically, and only if they have changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arena import UserError

INDEX = "site.json"
FORMAT = 1


def write_file(path: Path, body: bytes) -> None:
    """Write a file atomically, unless its content is unchanged."""
    try:
        if path.exists() and path.read_bytes() == body:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.new")
        try:
            beside.write_bytes(body)
            beside.replace(path)
        except BaseException:  # a full disk, an interrupt
            beside.unlink(missing_ok=True)
            raise
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror}") from None


def read_index(out: Path) -> dict[str, Any]:
    """Return the index that an earlier run wrote; an empty dict if there is none.

    Raises:
        UserError: if the folder holds something else.
    """
    try:
        if not out.exists() or not any(out.iterdir()):
            return {}
        found = json.loads((out / INDEX).read_text(encoding="utf-8"))
        if found["format"] == FORMAT:
            return dict(found)
    except (ValueError, KeyError, TypeError):
        pass
    except OSError as problem:
        if not isinstance(problem, FileNotFoundError):
            raise UserError(f"{out} cannot be written: {problem.strerror}") from None
    raise UserError(f"{out} is not empty and was not written by `arena site`; name another folder")
