"""A secret of the game higher: what its second card is, until the last answer."""

from __future__ import annotations

from arena.testing import SecretAlternatives
from tests.testing.games.higher import Higher, HigherPosition

SEALED = SecretAlternatives(
    HigherPosition(Higher(), ((2, 4), (1, 6)), (3, 5), (0, 0)),
    answers=[(0, "odd"), (1, 1), (0, 2)],
    other_answers=[(0, "odd"), (1, 6), (0, 2)],
    blind_seats=(0,),
    until=2,  # with the last answer the cards are shown
)
