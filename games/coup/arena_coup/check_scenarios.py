"""Difficult situations in Coup, for `arena check`: scripted players lead a bot into them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from arena import FailingBot, Scenario, Seat
from arena_coup.bots import Bold, Trusting
from arena_coup.bots.base import CoupBot
from arena_coup.characters import (
    ASSASSINATE,
    COUP,
    EXCHANGE,
    FOREIGN_AID,
    INCOME,
    STEAL,
    ActionKind,
    Cards,
    Character,
    format_action,
)

SHORT = {"max_turns": 60}


class Doubter(Trusting):
    """Challenges every claim."""

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Challenge every claim."""
        return True


class Blocker(Trusting):
    """Blocks whenever it can, honestly or not."""

    def blocks(self, characters: Cards) -> Character:
        """Block with the first character that can."""
        return characters[-1]


class ScriptedAction(CoupBot):
    """Takes its one action whenever it can, and saves its coins otherwise."""

    deed: ActionKind = INCOME

    def act(self, actions: tuple[str, ...]) -> str:
        """Take the action, against the strongest opponent; launch a coup if there is no choice."""
        target = self.strongest if self.deed.targeted else None
        wishes = (
            format_action(self.deed, target),
            INCOME.name,
            format_action(COUP, self.strongest),
        )
        return next(action for action in wishes if action in actions)

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Never challenge."""
        return False


class Murderer(ScriptedAction):
    """Assassinates whenever it has three coins."""

    deed = ASSASSINATE


class Thief(ScriptedAction):
    """Steals in every turn."""

    deed = STEAL


class Ambassador(ScriptedAction):
    """Exchanges cards in every turn."""

    deed = EXCHANGE


class ForeignAidSeeker(ScriptedAction):
    """Asks for foreign aid in every turn."""

    deed = FOREIGN_AID


SCENARIOS: Sequence[Scenario] = (
    Scenario("whatever is claimed is challenged, by two at once", (Doubter, Doubter), 1),
    Scenario("five challenge at once", (Doubter,) * 5, 0),
    Scenario("whatever can be blocked is blocked", (Blocker, Blocker), 2),
    Scenario("the opponent assassinates whenever it can", (Murderer,), 1),
    Scenario("all others steal in every turn", (Thief,) * 3, 0, SHORT),
    Scenario("the others exchange cards in every turn", (Ambassador, Ambassador), 1, SHORT),
    Scenario("the others ask for foreign aid, which can be blocked", (ForeignAidSeeker,) * 3, 3),
    Scenario("the others lie in every turn", (Bold, Bold, Bold), 2),
    Scenario("six play, and the bot may be out early", (Bold,) * 5, 4),
    Scenario("an opponent fails in the middle, and the fallback bot plays on",
              (partial(FailingBot, Trusting), Trusting), 1),
    Scenario("answers count in the order of arrival", (Doubter, Doubter), 0, {"order": "arrival"}),
    Scenario("the game ends at its turn limit, and nobody has won", (Thief, Thief), 0,
              {"max_turns": 5}),
)  # fmt: skip
