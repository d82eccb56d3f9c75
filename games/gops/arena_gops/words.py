"""How GOPS is said in English: points, players, what became of a prize."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from arena import Score, spoken_list

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


def points(score: Score) -> str:
    """Write points, parts of one as a fraction.

    >>> points(3), points(Fraction(7, 2)), points(Fraction(1, 3))
    ('3', '3 1/2', '1/3')
    """
    if isinstance(score, int):
        return str(score)
    whole, part = divmod(Fraction(score), 1)
    return f"{whole} {part}" if whole and part else str(whole or part)


def worth(score: Score) -> str:
    """Write points with their unit.

    >>> worth(1), worth(12)
    ('1 point', '12 points')
    """
    return f"{points(score)} point{'' if score == 1 else 's'}"


def does(verb: str, names: Sequence[str]) -> str:
    """Say who does it, with the verb's ending; you are `You`.

    >>> does("take", ["You"]), does("take", ["Ann"]), does("share", ["Ann", "Bob"])
    ('You take', 'Ann takes', 'Ann and Bob share')
    """
    ending = "" if len(names) > 1 or names[0] == YOU else "s"
    return f"{spoken_list(names)} {verb}{ending}"


def won(winners: Sequence[str], players: int) -> str:
    """Say how a game came out.

    >>> won(["Ann", "Bob"], 3), won(["Ann", "Bob"], 2)
    ('Ann and Bob share the win.', 'A draw.')
    """
    if len(winners) == players:
        return "A draw."
    if len(winners) > 1:
        return f"{spoken_list(winners)} share the win."
    return f"{does('win', winners)}."
