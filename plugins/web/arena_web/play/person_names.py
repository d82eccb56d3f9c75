"""The names of people at tables: what one may be called, and who would look like another player."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import normalize

from arena import UserError
from arena.tournament.lookalikes import TakenTexts
from arena.wires import is_blank, to_printable
from arena_web.texts import present_name

MAX_NAME_LENGTH = 32  # characters of a person's name


class BadNameError(UserError):
    """A name that nobody can have at a table: its message stands beside the field."""


def parse_name(text: str) -> str:
    """Return the name of a person, in any script, as tables know it; raise BadNameError if not one.

    >>> parse_name(" Jean-Luc  Zoë ")
    'Jean-Luc_Zoë'
    """
    name = normalize("NFC", "_".join(text.split()))
    if len(name) > MAX_NAME_LENGTH:
        raise BadNameError(f"this name has {len(name)} characters; {MAX_NAME_LENGTH} are allowed")
    if to_printable(name) != name or is_blank(name.replace("_", "")):
        raise BadNameError("a name shows letters, digits or symbols, and no control characters")
    return name


def check_distinct_name(name: str, others: Iterable[str]) -> None:
    """Raise BadNameError for a name that looks like another player's and is not the same.

    The same name is told apart by a number.
    """
    texts = TakenTexts()
    for other in others:
        texts.add(present_name(other), other)
    label = present_name(name)
    alike = texts.find(label, name)
    if alike and alike != label:
        raise BadNameError(f"{label} looks like {alike}, who plays here; choose another name")
