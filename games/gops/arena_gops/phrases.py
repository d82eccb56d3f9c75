"""English phrases about GOPS: points, players, and the award of a prize."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from arena import Score, join_words

YOU = "You"

TIES = {
    "discard": "nobody gets it",
    "split": "they share it",
    "carry": "it waits for the next winner",
}
ORDERS = {
    "shuffled": "in any order",
    "ascending": "from the lowest up",
    "descending": "from the highest down",
}


def format_points(score: Score) -> str:
    """Format points, with a fraction for parts of a point.

    >>> format_points(3), format_points(Fraction(7, 2)), format_points(Fraction(1, 3))
    ('3', '3 1/2', '1/3')
    """
    if isinstance(score, int):
        return str(score)
    whole, part = divmod(Fraction(score), 1)
    return f"{whole} {part}" if whole and part else str(whole or part)


def format_points_with_unit(score: Score) -> str:
    """Format points with their unit.

    >>> format_points_with_unit(1), format_points_with_unit(12)
    ('1 point', '12 points')
    """
    return f"{format_points(score)} point{'' if score == 1 else 's'}"


def build_clause(verb: str, names: Sequence[str]) -> str:
    """Return a subject and its verb with the right ending; the reader is `You`.

    >>> build_clause("take", ["You"]), build_clause("share", ["Ann", "Bob"])
    ('You take', 'Ann and Bob share')
    >>> build_clause("take", ["Ann"])
    'Ann takes'
    """
    ending = "" if len(names) > 1 or names[0] == YOU else "s"
    return f"{join_words(names)} {verb}{ending}"


def describe_winners(winners: Sequence[str], players: int) -> str:
    """Describe the outcome of a game.

    >>> describe_winners(["Ann", "Bob"], 3), describe_winners(["Ann", "Bob"], 2)
    ('Ann and Bob share the win.', 'A draw.')
    """
    if len(winners) == players:
        return "A draw."
    if len(winners) > 1:
        return f"{join_words(winners)} share the win."
    return f"{build_clause('win', winners)}."
