"""The game of `higher`, with one thing wrong in what it offers: bots, figures, other positions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from arena import Bot, Question, Seat, Table
from tests.testing.games.higher import Figures, Hand, Higher, HigherPosition, Lay, actions, higher


class Cheat(Bot):
    """Lays a card that it does not have."""

    def choose(self, question: Question[Any]) -> Any:
        return 99 if isinstance(question, Lay) else question.default


class Moody(Bot):
    """Does not take its chance from its seed."""

    chance = random.Random(1)  # of all that ever play; one of its own might do the same by chance

    def choose(self, question: Question[Any]) -> Any:
        return question.options.draw(self.chance)


class WithoutAnother(HigherPosition):
    """Says that nothing is hidden."""

    def resample_hidden(self, seat: Seat, random: Any) -> HigherPosition:
        return self


class WithTooMuchOfAnother(HigherPosition):
    """Says that a seat does not know its own hand."""

    def mixed(self, seat: Seat, random: Any) -> dict[str, Any]:
        return super().mixed((seat + 1) % len(self.hands), random)


class WithTooLittleOfAnother(HigherPosition):
    """Mixes the stock alone."""

    def mixed(self, seat: Seat, random: Any) -> dict[str, Any]:
        return {"stock": tuple(random.sample(self.stock, len(self.stock)))}


class TellingAllAlike(WithTooLittleOfAnother):
    """Tells each seat alone what is always the same, which all may know."""

    def show(self, table: Table, seat: Seat) -> None:
        table.tell(seat, Hand((1, seat)))


def fewer(variant: Higher, seats: int) -> Sequence[Any]:
    return actions(variant, seats)[:-1]


def twice(variant: Higher, seats: int) -> Sequence[Any]:
    return (*actions(variant, seats), 1)


class Longer(Figures):
    """Has a figure for each event."""

    def tell(self, event: Any) -> None:
        super().tell(event)
        self.gone.append(0.0)


class Larger(Figures):
    """Gives cards as their numbers."""

    def tell(self, event: Any) -> None:
        super().tell(event)
        if isinstance(event, Hand):
            self.held[0] = float(event.cards[0])


class Fading(Figures):
    """Forgets what it was asked for."""

    def observation(self) -> list[float]:
        figures = super().observation()
        self.gone = [0.0] * len(self.gone)
        return figures


class Confusing(Figures):
    """Calls all answers alike."""

    def rename(self, answer: Any) -> Any:
        return 1


WITH_A_CHEAT = higher(bots={"cheat": Cheat})
WITH_A_MOODY_BOT = higher(bots={"moody": Moody})
WITHOUT_ANOTHER = higher(WithoutAnother)
WITH_TOO_MUCH_OF_ANOTHER = higher(WithTooMuchOfAnother)
WITH_TOO_LITTLE_OF_ANOTHER = higher(WithTooLittleOfAnother)
TELLING_ALL_ALIKE = higher(TellingAllAlike)
WITH_FEWER_ACTIONS = higher(actions=fewer)
WITH_AN_ACTION_TWICE = higher(actions=twice)
WITH_LONGER_FIGURES = higher(encoder=Longer)
WITH_LARGER_FIGURES = higher(encoder=Larger)
WITH_FADING_FIGURES = higher(encoder=Fading)
WITH_ONE_NAME_FOR_ALL = higher(encoder=Confusing)
