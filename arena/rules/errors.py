"""Errors that users see as one line."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from traceback import walk_tb
from typing import Any

OWN_MODULES = "arena."  # modules whose lines say nothing to the author of a plugin


class UserError(Exception):  # it is the user's slip, and no error of the program
    """A request that cannot be met; the message says what, where, and what is allowed."""


class StorageError(UserError):
    """A database or disk that cannot be read or written now; the request may be valid."""


class UnknownNameError(UserError):
    """An unknown name; the message lists the available names and suggests one."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        known = list(known)
        guess = get_close_matches(name, known, 1)
        hint = f"; did you mean {guess[0]}?" if guess else ""
        listed = ", ".join(known) or "none"
        super().__init__(f"unknown {kind} {name!r}{hint} (available: {listed})")


def describe_error(problem: BaseException) -> str:
    """Return an exception as one line, even if its own `str` fails."""
    try:
        words = " ".join(str(problem).split())
    except Exception:  # noqa: BLE001  # a stranger's exception may raise one itself
        words = ""
    return f"{type(problem).__name__}: {words}".removesuffix(": ")


def describe_error_with_line(problem: BaseException) -> str:
    """Return an exception as one line, with the line of the plugin's code that raised it."""
    for frame, line in reversed([*walk_tb(problem.__traceback__)]):
        if not str(frame.f_globals.get("__name__")).startswith(OWN_MODULES):
            code = frame.f_code
            where = f"{Path(code.co_filename).name}:{line}, in {code.co_name}"
            return f"{describe_error(problem)} ({where})"
    return describe_error(problem)


def locate_definition(thing: Any) -> str:
    """Return the name of a class or function, with its file and line if they are known."""
    try:
        path, (_, line) = inspect.getfile(thing), inspect.getsourcelines(thing)
    except (OSError, TypeError):
        return str(getattr(thing, "__qualname__", thing))
    return f"{thing.__qualname__} ({Path(path).name}:{line})"
