"""How a list is said."""

from __future__ import annotations

from collections.abc import Iterable


def spoken_list(things: Iterable[str], conjunction: str = "and") -> str:
    """Return words joined as one says them; of none, nothing.

    >>> spoken_list(["Ann"]), spoken_list(["Ann", "Bob", "Eve"]), spoken_list(["1", "3"], "or")
    ('Ann', 'Ann, Bob and Eve', '1 or 3')
    """
    *most, last = [*things] or [""]
    return f"{', '.join(most)} {conjunction} {last}" if most else last
