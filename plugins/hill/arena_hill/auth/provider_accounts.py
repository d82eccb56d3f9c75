"""Accounts at providers: the name of the author, and the permanent identifier."""

from __future__ import annotations

import re
from collections.abc import Mapping

from arena import UserError

MAX_TEXT_LENGTH = 100  # characters of what is kept
STABLE_KEYS = (
    "sub",
    "id",
)  # keys of what stays when an account is called otherwise, as providers have it
BAD_NAME_MESSAGE = "The name of your account there cannot be used as a name here"


class LoginRefusedError(UserError):
    """A sign-in that failed; the message gives the reason in one line."""

    def __init__(self, said: str, status: int = 403) -> None:
        super().__init__(said)
        self.status = status


def parse_author_name(user: Mapping[str, object], name: str) -> str:
    """Return the author's name for an account at a provider; raise LoginRefusedError.

    >>> parse_author_name({"login": "Ada-L."}, "login")
    'Ada_L'
    """
    found = re.sub("[^A-Za-z0-9_]", "", _read_text(user.get(name)).replace("-", "_"))[:32]
    if not found:
        raise LoginRefusedError(BAD_NAME_MESSAGE)
    return found


def parse_account(user: Mapping[str, object], name: str) -> str:
    """Return the identifier of an account, unique per author; raise LoginRefusedError.

    >>> parse_account({"login": "ada", "id": 17}, "login")
    'id=17'
    >>> parse_account({"login": "ada"}, "login")
    'login=ada'
    """
    key = next((stable for stable in STABLE_KEYS if stable in user), name)
    return f"{key}={_read_text(user.get(key))}"


def _read_text(value: object) -> str:
    """Return a text or a number as a text; raise LoginRefusedError for any other value."""
    text = str(value) if isinstance(value, str | int) else ""
    if not 0 < len(text) <= MAX_TEXT_LENGTH or not text.isprintable():
        raise LoginRefusedError(BAD_NAME_MESSAGE)
    return text
