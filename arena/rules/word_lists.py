"""How a list is said."""

from __future__ import annotations

from collections.abc import Iterable


def join_words(words: Iterable[str], conjunction: str = "and") -> str:
    """Return words joined as one says them; of none, nothing.

    >>> join_words(["Ann"]), join_words(["Ann", "Bob", "Eve"]), join_words(["1", "3"], "or")
    ('Ann', 'Ann, Bob and Eve', '1 or 3')
    """
    *most, last = [*words] or [""]
    return f"{', '.join(most)} {conjunction} {last}" if most else last
