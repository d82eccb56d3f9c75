"""Making text from strangers safe for a terminal."""

from __future__ import annotations

import unicodedata

HARMFUL_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""The Unicode categories of characters that move the cursor, reverse text or are invisible."""


def to_printable(text: str) -> str:
    r"""Return the text with every control, bidirectional or zero-width character as a `?`.

    >>> to_printable("red \x1b[31m alert")
    'red ?[31m alert'
    """
    if text.isprintable():  # what Python calls so is in none of these categories
        return text
    return "".join(
        "?" if unicodedata.category(character) in HARMFUL_CATEGORIES else character
        for character in text
    )
