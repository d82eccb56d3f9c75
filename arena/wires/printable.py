"""Text from strangers: what of it may be printed, and whether it shows anything."""

from __future__ import annotations

import re
import unicodedata

HARMFUL_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""The Unicode categories of characters that move the cursor, reverse text or are invisible."""
BLANK_CATEGORIES = {*HARMFUL_CATEGORIES, "Cn", "Zs"}
"""The Unicode categories of characters that show nothing."""


BLANK_NAMES = re.compile(
    "VARIATION SELECTOR|GRAPHEME JOINER|FILLER|BLANK|NULL NOTEHEAD|VOWEL INHERENT"
)
"""What the names of characters have in them that show nothing, and are of no other category."""


def is_blank(text: str) -> bool:
    r"""Whether a text shows nothing: it has spaces and invisible characters only.

    >>> is_blank("ㅤ ⠀"), is_blank("❤️")
    (True, False)
    """
    return all(
        unicodedata.category(character) in BLANK_CATEGORIES
        or BLANK_NAMES.search(unicodedata.name(character, ""))
        for character in text
    )


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
