"""A bot that lies whenever a lie helps."""

from __future__ import annotations

from attrs import define, field, validators

from arena import Seat
from arena_coup.bots.base import CoupBot
from arena_coup.characters import ASSASSINATE, COUP, TAX, Cards, Character, format_action


@define(eq=False)
class Bold(CoupBot):
    """Claims the Duke, the Assassin and any blocker; challenges others with this `chance`."""

    chance: float = field(default=0.1, validator=[validators.ge(0), validators.le(1)])

    def act(self, actions: tuple[str, ...]) -> str:
        """Launch a coup or assassinate if it has the coins, else take the tax."""
        coup, murder = (
            format_action(COUP, self.strongest),
            format_action(ASSASSINATE, self.strongest),
        )
        return next(action for action in (coup, murder, TAX.name) if action in actions)

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Challenge impossible claims, and others at random."""
        return super().doubts(claimant, character) or self.random.random() < self.chance

    def blocks(self, characters: Cards) -> Character:
        """Block, with a character that it holds if possible."""
        return super().blocks(characters) or self.random.choice(characters)
