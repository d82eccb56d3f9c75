"""Errors that users see as one line, with the words and the English that such lines share."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from traceback import walk_tb
from typing import Any

OWN_MODULES = ("arena.", "hypothesis.")
"""The modules whose lines say nothing to the author of a plugin."""
DISTRIBUTION = "cardbot-arena"


class UserError(Exception):  # it is the user's slip, and no error of the program
    """A request that cannot be met; the message says what, where, and what is allowed.

    `command` is a command line that helps, for whoever has the machine. It ends the text of the
    error; `message` is the text without it, which pages show to visitors.
    """

    def __init__(self, message: str = "", *, command: str = "") -> None:
        super().__init__(f"{message}; run: {command}" if command else message)
        self.message, self.command = message, command


class StorageError(UserError):
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


class Fault(StrEnum):
    """The faults of a player: a small, closed set."""

    TIMEOUT = "timeout"  #: no answer within its time
    ILLEGAL = "illegal"  #: an answer that the rules do not allow
    MALFORMED = "malformed"  #: a line that is no answer in its protocol
    CRASHED = "crashed"  #: it did not start, or closed its output, or raised an exception
    FLOODED = "flooded"  #: a line too long, or too much before it was asked


class End(StrEnum):
    """The end of a match."""

    FINISHED = "finished"  #: by the rules
    FORFEITED = "forfeited"  #: too few seats were left without a verdict
    VOID = "void"  #: the host's or the rules' own fault: nobody's result


def format_install_command(extra: str) -> str:
    """Return the command that installs an extra.

    >>> format_install_command("parquet")
    "pip install 'cardbot-arena[parquet]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def join_words(words: Iterable[str], conjunction: str = "and") -> str:
    """Return words joined with commas and a conjunction; "" if there are none.

    >>> join_words(["Ann"]), join_words(["Ann", "Bob", "Eve"]), join_words(["1", "3"], "or")
    ('Ann', 'Ann, Bob and Eve', '1 or 3')
    """
    *most, last = [*words] or [""]
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def format_count(number: int, unit: str) -> str:
    """Return a number with its unit, in the plural where needed.

    >>> format_count(1, "trick"), format_count(13, "trick")
    ('1 trick', '13 tricks')
    """
    return f"{number} {unit}{'' if number == 1 else 's'}"


def format_choices(numbers: Sequence[int]) -> str:
    """Return the numbers that are allowed in words, such as those of players.

    >>> format_choices(range(2, 5)), format_choices(range(2, 7, 2)), format_choices(range(2, 3))
    ('2 to 4', '2, 4 or 6', '2')
    """
    least, most = min(numbers), max(numbers)
    if 0 < most - least == len(numbers) - 1:
        return f"{least} to {most}"
    return join_words(map(str, sorted(numbers)), "or")


def describe_number(
    noun: str,
    least: object = None,
    most: object = None,
    *,
    above: bool = False,
    below: bool = False,
) -> str:
    """Describe the numbers that are allowed; `VALUE is not` stands before it in all messages.

    With `above` the least is not allowed itself, with `below` the most.

    >>> describe_number("a whole number", 1, 9), describe_number("a number", 0.0, above=True)
    ('a whole number from 1 to 9', 'a number above 0')
    >>> describe_number("a number", 0, 0.5, above=True)
    'a number above 0 and at most 0.5'
    """
    low, high = (str(bound).removesuffix(".0") for bound in (least, most))
    if least is None and most is None:
        return noun
    if most is None:
        return f"{noun} {'above' if above else 'of at least'} {low}"
    if least is None:
        return f"{noun} {'below' if below else 'of at most'} {high}"
    if above == below:
        return f"{noun} between {low} and {high}" if above else f"{noun} from {low} to {high}"
    lower, upper = ("above", "at most") if above else ("of at least", "below")
    return f"{noun} {lower} {low} and {upper} {high}"


def check_whole_number(name: str, number: object, least: int) -> None:
    """Raise UserError unless an argument of this name is a whole number that is large enough.

    >>> check_whole_number("games", "3", 1)
    Traceback (most recent call last):
    arena.rules.errors.UserError: games: '3' is not a whole number of at least 1
    """
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise UserError(f"{name}: {number!r} is not {describe_number('a whole number', least)}")


def format_share(share: float) -> str:
    r"""Write a share or a probability; its percent sign stays on the line of the figure.

    >>> format_share(0.254)
    '25\xa0%'
    """
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"
