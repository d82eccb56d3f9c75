"""Hard corners of Coup, for `arena check`: scripted players who bring a bot into them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from arena import FailingBot, Seat, Situation
from arena_coup.bots import Bold, Trusting
from arena_coup.bots.base import Courtier
from arena_coup.characters import (
    ASSASSINATE,
    COUP,
    EXCHANGE,
    FOREIGN_AID,
    INCOME,
    STEAL,
    Cards,
    Character,
    Deed,
    written,
)

SHORT = {"max_turns": 60}


class Doubter(Trusting):
    """Challenges whatever is claimed."""

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Trust nobody."""
        return True


class Blocker(Trusting):
    """Blocks whatever it can, true or not."""

    def blocks(self, characters: Cards) -> Character:
        """Deny everything."""
        return characters[-1]


class Doing(Courtier):
    """Does one thing whenever it can, and saves its coins otherwise."""

    deed: Deed = INCOME

    def act(self, actions: tuple[str, ...]) -> str:
        """Do it, to the strongest; a coup if nothing else is left."""
        target = self.strongest if self.deed.targeted else None
        wishes = (written(self.deed, target), INCOME.name, written(COUP, self.strongest))
        return next(action for action in wishes if action in actions)

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Trust everybody."""
        return False


class Murderer(Doing):
    """Assassinates whenever it has three coins."""

    deed = ASSASSINATE


class Thief(Doing):
    """Steals in every turn."""

    deed = STEAL


class Ambassador(Doing):
    """Exchanges cards in every turn."""

    deed = EXCHANGE


class Asking(Doing):
    """Asks for foreign aid in every turn."""

    deed = FOREIGN_AID


SITUATIONS: Sequence[Situation] = (
    Situation("whatever is claimed is challenged, by two at once", (Doubter, Doubter), 1),
    Situation("five challenge at once", (Doubter,) * 5, 0),
    Situation("whatever can be blocked is blocked", (Blocker, Blocker), 2),
    Situation("it is to be assassinated again and again", (Murderer,), 1),
    Situation("all others steal from it", (Thief,) * 3, 0, SHORT),
    Situation("the others exchange their cards", (Ambassador, Ambassador), 1, SHORT),
    Situation("the others ask for foreign aid, and may be blocked", (Asking,) * 3, 3),
    Situation("the others lie in every turn", (Bold, Bold, Bold), 2),
    Situation("six play, and it may be out early", (Bold,) * 5, 4),
    Situation("an opponent fails in the middle, and the fallback bot plays on",
              (partial(FailingBot, Trusting), Trusting), 1),
    Situation("who speaks first is first", (Doubter, Doubter), 0, {"order": "arrival"}),
    Situation("the game is broken off, and nobody has won", (Thief, Thief), 0, {"max_turns": 5}),
)  # fmt: skip
