"""The examples of the book (bots, tournaments, a hill, a plugin), copied into a folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from arena.rules import UserError

PACKAGE = Path(__file__).parents[1]
LEFT_BEHIND = ("__pycache__", "*.pyc", "bot", "*.db*", "*.arena")
"""What playing in a checkout leaves among the examples, such as programs that were built."""


def find_examples() -> Path:
    """Return the folder with the examples: a wheel has it in the package, a checkout beside it."""
    inside = PACKAGE / "examples"
    return inside if inside.is_dir() else PACKAGE.parent / "examples"


def copy_examples(folder: Path) -> list[Path]:
    """Copy the examples into a folder that is empty or not there; return the folders in it."""
    try:
        if folder.exists() and any(folder.iterdir()):
            raise UserError(f"{folder} is not empty, and was not changed")
        ignored = shutil.ignore_patterns(*LEFT_BEHIND)
        shutil.copytree(find_examples(), folder, dirs_exist_ok=True, ignore=ignored)
        return sorted(path for path in folder.iterdir() if path.is_dir())
    except shutil.Error as problem:
        raise UserError(f"{folder} cannot be written: {problem.args[0][0][2]}") from None
    except OSError as problem:
        raise UserError(f"{folder} cannot be written: {problem.strerror}") from None
