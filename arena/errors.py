"""What a user is told in one line."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class Refusal(Exception):  # noqa: N818  # it is the user's slip, and no error of the program
    """Something that was asked for cannot be; the text says what, where, and what can."""


class Unknown(Refusal):
    """Something named by a user is not there; the text says what is, and a guess."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        known = list(known)
        guess = get_close_matches(name, known, 1)
        hint = f"; did you mean {guess[0]}?" if guess else ""
        listed = ", ".join(known) or "none"
        super().__init__(f"there is no {kind} {name!r}{hint} (there is: {listed})")


def in_words(problem: BaseException) -> str:
    """Say in one line what was raised, even where its own words fail."""
    try:
        words = " ".join(str(problem).split())
    except Exception:  # noqa: BLE001  # a stranger's exception may raise one itself
        words = ""
    return f"{type(problem).__name__}: {words}".removesuffix(": ")
