"""What a user is told in one line."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from traceback import walk_tb

OWN_MODULES = "arena."  # modules whose lines say nothing to the author of a plugin


class UserError(Exception):  # it is the user's slip, and no error of the program
    """Something that was asked for cannot be; the text says what, where, and what can."""


class StorageError(UserError):
    """A database or a disk cannot be read or written now; what was asked for may be right."""


class UnknownNameError(UserError):
    """Something named by a user is not there; the text says what is, and a guess."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        known = list(known)
        guess = get_close_matches(name, known, 1)
        hint = f"; did you mean {guess[0]}?" if guess else ""
        listed = ", ".join(known) or "none"
        super().__init__(f"unknown {kind} {name!r}{hint} (available: {listed})")


def describe_error(problem: BaseException) -> str:
    """Say in one line what was raised, even where its own words fail."""
    try:
        words = " ".join(str(problem).split())
    except Exception:  # noqa: BLE001  # a stranger's exception may raise one itself
        words = ""
    return f"{type(problem).__name__}: {words}".removesuffix(": ")


def describe_error_with_line(problem: BaseException) -> str:
    """Say it with the line of a plugin's code where it was raised, if it was there."""
    for frame, line in reversed([*walk_tb(problem.__traceback__)]):
        if not str(frame.f_globals.get("__name__")).startswith(OWN_MODULES):
            code = frame.f_code
            where = f"{Path(code.co_filename).name}:{line}, in {code.co_name}"
            return f"{describe_error(problem)} ({where})"
    return describe_error(problem)
