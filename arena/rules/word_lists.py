"""Lists of words in a sentence."""

from __future__ import annotations

from collections.abc import Iterable


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
