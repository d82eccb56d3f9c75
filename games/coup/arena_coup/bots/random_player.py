"""A bot that plays at random."""

from __future__ import annotations

from typing import Any

from attrs import define, field, validators

from arena import Bot, Question
from arena_coup.messages import Block, Challenge


@define(eq=False)
class RandomPlayer(Bot):
    """Takes a random action, and objects to one with this `chance`."""

    chance: float = field(default=0.1, validator=[validators.ge(0), validators.le(1)])

    def choose(self, question: Question[Any]) -> Any:
        """Choose a random answer."""
        if isinstance(question, Challenge | Block) and self.random.random() >= self.chance:
            return question.default
        if isinstance(question, Block):
            return self.random.choice(list(question.options)[1:])
        return question.options.draw(self.random)
