"""A bot that plays at random."""

from __future__ import annotations

from typing import Any

from attrs import define, field, validators

from arena import Bot, Question
from arena_bs.messages import ChooseCards, Declare


@define(eq=False)
class RandomPlayer(Bot):
    """Lays one to `most` random cards, and declares with this `chance`.

    With more cards at a time it would empty its hand, and end the game, within a few turns.
    """

    most: int = field(default=2, validator=validators.ge(1))
    chance: float = field(default=0.1, validator=[validators.ge(0), validators.le(1)])

    def choose(self, question: Question[Any]) -> Any:
        """Choose a random answer."""
        match question:
            case ChooseCards(options):
                return options.draw(self.random)[: self.random.randint(1, self.most)]
            case Declare((silence, word)):
                return word if self.random.random() < self.chance else silence
        return type(self).__name__
