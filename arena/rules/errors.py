"""Errors that users see as one line, and the description of any exception in one."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from traceback import walk_tb
from typing import Any

OWN_MODULES = ("arena.", "hypothesis.")
"""The modules whose lines say nothing to the author of a plugin."""


class UserError(Exception):  # it is the user's slip, and no error of the program
    """A request that cannot be met; the message says what, where, and what is allowed.

    `command` is a command line that helps, for whoever has the machine. It ends the text of the
    error; `message` is the text without it, which pages show to visitors.
    """

    def __init__(self, message: str = "", *, command: str = "") -> None:
        super().__init__(f"{message}; run: {command}" if command else message)
        self.message, self.command = message, command


class HostError(UserError):
    """Something that the host has to mend: no bot and no request is to blame for it."""


class StorageError(HostError):
    """A database or disk that cannot be read or written now; the request may be valid."""


class GameError(Exception):
    """A mistake in the code of a game; the message says what is wrong and how to mend it."""


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
    if isinstance(problem, GameError | UserError):  # which explains itself
        return words
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
    """Return the name of a class, function or property, with its file and line if known."""
    thing = thing.fget if isinstance(thing, property) else thing
    try:
        path, (_, line) = inspect.getfile(thing), inspect.getsourcelines(thing)
    except (OSError, TypeError):
        return str(getattr(thing, "__qualname__", thing))
    return f"{thing.__qualname__} ({Path(path).name}:{line})"
