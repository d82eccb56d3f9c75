"""What cannot be, said in one line to whoever asked for it."""

from __future__ import annotations

from collections.abc import Iterable


class Refused(Exception):  # noqa: N818  # it is the user's slip, and no error of the program
    """Something that was asked for cannot be; the text says what can."""


def unknown(kind: str, name: str, known: Iterable[str]) -> Refused:
    """Say that there is nothing of this name, and what there is."""
    return Refused(f"there is no {kind} {name!r} (there is: {', '.join(known)})")
