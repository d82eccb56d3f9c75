"""English phrases about GOPS: points, players, and the award of a prize."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from arena import Phrases, Score, Seat, begin_sentence

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


def describe_winners(phrases: Phrases, winners: Sequence[Seat]) -> str:
    """Describe the outcome of a game.

    >>> table = Phrases(["Ann", "Bob", "Cleo"], you=1)
    >>> describe_winners(table, [0, 1]), describe_winners(table, [1])
    ('Ann and you share the win.', 'You win.')
    """
    if len(winners) == len(phrases.names):
        return "A draw."
    verb = "share" if len(winners) > 1 else "win"
    clause = begin_sentence(phrases.clause(verb, *winners))
    return f"{clause} the win." if len(winners) > 1 else f"{clause}."
