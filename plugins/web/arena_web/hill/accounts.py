"""Accounts elsewhere: what an author is called who has one, and what of it stays the same."""

from __future__ import annotations

import re
from collections.abc import Mapping

from arena.rules import UserError

LONGEST = 100  # characters of what is kept
STAY = ("sub", "id")  # keys of what stays when an account is called otherwise, as providers have it
NAMELESS = "The name of your account there cannot be made a name here"


class Refused(UserError):
    """Nobody was signed in; the text says why, in one line."""

    def __init__(self, said: str, status: int = 403) -> None:
        super().__init__(said)
        self.status = status


def author_of(user: Mapping[str, object], name: str) -> str:
    """Return what an author is called of whom a provider says this; raise Refused.

    >>> author_of({"login": "Ada-L."}, "login")
    'Ada_L'
    """
    found = re.sub("[^A-Za-z0-9_]", "", _text(user.get(name)).replace("-", "_"))[:32]
    if not found:
        raise Refused(NAMELESS)
    return found


def account_of(user: Mapping[str, object], name: str) -> str:
    """Return by what an account is known, so that no two are the same author; raise Refused.

    >>> account_of({"login": "ada", "id": 17}, "login")
    'id=17'
    >>> account_of({"login": "ada"}, "login")
    'login=ada'
    """
    key = next((one for one in STAY if one in user), name)
    return f"{key}={_text(user.get(key))}"


def _text(value: object) -> str:
    """Return a text or a number as a text; raise Refused for what no name is made of."""
    text = str(value) if isinstance(value, str | int) else ""
    if not 0 < len(text) <= LONGEST or not text.isprintable():
        raise Refused(NAMELESS)
    return text
