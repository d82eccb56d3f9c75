"""The game of `higher`, with one thing wrong in what it offers: bots, figures, other positions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from arena import Bot, Question, Seat
from tests.contract.higher import Hand, Higher, HigherPosition, Lay, actions, encode, higher


class Cheat(Bot):
    """Lays a card that it does not have."""

    def choose(self, question: Question[Any]) -> Any:
        """Give it."""
        return 99 if isinstance(question, Lay) else question.default


class Moody(Bot):
    """Does not take its chance from its seed."""

    def choose(self, question: Question[Any]) -> Any:
        """Draw."""
        return question.options.draw(random.Random())


class WithoutAnother(HigherPosition):
    """Says that nothing is hidden."""

    def another(self, seat: Seat, random: Any) -> HigherPosition:
        """Give itself."""
        return self


class WithTooMuchOfAnother(HigherPosition):
    """Says that a seat does not know its own hand."""

    def mixed(self, seat: Seat, random: Any) -> dict[str, Any]:
        """Shuffle the hand of the next seat, too."""
        return super().mixed((seat + 1) % len(self.hands), random)


def fewer(variant: Higher, seats: int) -> Sequence[Any]:
    """Leave out the highest card."""
    return actions(variant, seats)[:-1]


def twice(variant: Higher, seats: int) -> Sequence[Any]:
    """Give a card twice."""
    return (*actions(variant, seats), 1)


def longer(events: Sequence[Any]) -> list[float]:
    """Encode with a figure for each event."""
    return [*encode(events), *[0.0] * len(events)]


def larger(events: Sequence[Any]) -> list[float]:
    """Give cards as their numbers."""
    hands = [event.cards[0] for event in events if isinstance(event, Hand)]
    return [*encode(events), float([0, *hands][-1])]


WITH_A_CHEAT = higher(bots={"cheat": Cheat})
WITH_A_MOODY_BOT = higher(bots={"moody": Moody})
WITHOUT_ANOTHER = higher(WithoutAnother)
WITH_TOO_MUCH_OF_ANOTHER = higher(WithTooMuchOfAnother)
WITH_FEWER_ACTIONS = higher(actions=fewer)
WITH_AN_ACTION_TWICE = higher(actions=twice)
WITH_LONGER_FIGURES = higher(encode=longer)
WITH_LARGER_FIGURES = higher(encode=larger)
