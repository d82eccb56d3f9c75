"""The keys of matches: the number of the deal and of its rotation, such as 12.0."""

from __future__ import annotations

import re

from arena.tournament.deals import Key


def parse_key(key: str) -> Key | None:
    """Return the deal and rotation of a key; None if it is not valid or out of range.

    >>> parse_key("12.0"), parse_key("12"), parse_key("-1.0")
    ((12, 0), None, None)
    """
    numbers = re.fullmatch(r"([0-9]{1,9})\.([0-9]{1,4})", key)
    return (int(numbers[1]), int(numbers[2])) if numbers else None


def split_key(match: str) -> Key:
    """Return the deal and rotation of a stored match by its key."""
    numbers = parse_key(match)
    assert numbers, match
    return numbers
