"""The game of `higher`, with one thing wrong in its rules or its data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve, field, frozen

from arena import IllegalAnswerError, OneOf, Score, Seat, Table
from tests.support.toys import change
from tests.testing.games.higher import HIGHER, MESSAGES, Higher, HigherPosition, Laid, Lay, higher
from tests.testing.games.leaky import Noting


class WithoutAScore(HigherPosition):
    """Has no score for the last seat."""

    @property
    def scores(self) -> Sequence[Score]:
        return self.points[:-1]


class WithAScoreMore(HigherPosition):
    """Has a score for nobody."""

    @property
    def scores(self) -> Sequence[Score]:
        return (*self.points, 0)


class WithNoNumber(HigherPosition):
    """Has scores that are no numbers."""

    @property
    def scores(self) -> Sequence[Score]:
        return [float("nan") for _ in self.points]


class Mutable(HigherPosition):
    """Can be changed."""

    __setattr__ = object.__setattr__
    __hash__ = HigherPosition.__hash__


class Listing(HigherPosition):
    """Has a list in it."""

    def after(self, laid: tuple[int, ...], right: Seat | None) -> HigherPosition:
        then = super().after(laid, right)
        hands: Any = [*then.hands]
        return evolve(then, hands=hands)


class Identical(HigherPosition):
    """Is equal to nothing but itself."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


@frozen
class Tally:
    """So many cards have been laid by each seat; no JSON has numbers as keys."""

    laid: Any


class WithATally(HigherPosition):
    """Tells how many cards have been laid."""

    def laid(self, cards: tuple[int, ...]) -> Any:
        return Tally(dict.fromkeys(cards, 1))


@frozen
class OnTheTable:
    """These cards have been laid in this round."""

    cards: Any = field(eq=tuple)


class Changing(HigherPosition):
    """Has one list of what is on the table, in events that were told before, too."""

    async def round(self, table: Table) -> HigherPosition:
        """Ask in turn, and tell each time what is on the table."""
        laid = list[int]()
        for seat in table.seats:
            table.announce(OnTheTable(laid))
            laid.append(await table.ask(seat, self.asked(seat)))
        return self.after(tuple(laid), None)


class Shy(OneOf[int]):
    """Options that do not read the last thing that they list."""

    def read(self, answer: object) -> int:
        card = super().read(answer)
        if len(self) > 1 and card == self[-1]:
            raise IllegalAnswerError("I would rather not")
        return card


class WithShyOptions(HigherPosition):
    """Does not take the highest card."""

    def asked(self, seat: Seat) -> Lay:
        return Lay(Shy(self.hands[seat]))


class WithAnIllegalDefault(HigherPosition):
    """Has the fallback bot lay a card that is not in the hand."""

    def asked(self, seat: Seat) -> Lay:
        return Lay(OneOf(self.hands[seat]), default=99)


class Curt(OneOf[int]):
    """Options that give no reason."""

    def read(self, answer: object) -> int:
        try:
            return super().read(answer)
        except IllegalAnswerError:
            raise IllegalAnswerError from None


class WithoutReasons(HigherPosition):
    """Refuses without a reason."""

    def asked(self, seat: Seat) -> Lay:
        return Lay(Curt(self.hands[seat]))


class Counting(Noting):
    """Options that count what they refuse."""

    def read(self, answer: object) -> int:
        try:
            return super(Noting, self).read(answer)
        except IllegalAnswerError:
            self.note.append(answer)
            raise


@frozen
class Impatient(HigherPosition):
    """Turns no card up for those who tried something illegal."""

    refused: list[object] = field(factory=list, eq=False)

    def questions(self, table: Table) -> dict[Seat, Lay]:
        self.refused.clear()
        hands = enumerate(self.hands)
        return {seat: Lay(Counting.of(hand, self.refused)) for seat, hand in hands}

    def laid(self, cards: tuple[int, ...]) -> Any:
        return Laid(cards, 0 if self.refused else self.stock[0])


class Failing(HigherPosition):
    """Fails with three seats."""

    def laid(self, cards: tuple[int, ...]) -> Any:
        if len(cards) == 3:
            raise ZeroDivisionError("three cards")
        return super().laid(cards)


class Asserting(HigherPosition):
    """Has no words for what it takes for granted."""

    def laid(self, cards: tuple[int, ...]) -> Any:
        assert cards[0] < cards[1]
        return super().laid(cards)


class FailingLow(HigherPosition):
    """Fails where the lowest card wins."""

    def laid(self, cards: tuple[int, ...]) -> Any:
        if self.variant.lowest:
            raise ZeroDivisionError("the lowest card")
        return super().laid(cards)


class Refusing(HigherPosition):
    """Refuses what its options allow."""

    def laid(self, cards: tuple[int, ...]) -> Any:
        if cards[0] > cards[1]:
            raise IllegalAnswerError("not higher than the next")
        return super().laid(cards)


def one_more(cards: int) -> int:
    return cards + 1


@frozen
class Growing(Higher):
    """A variant that has a card more each time it is read."""

    cards: int = field(default=2, converter=one_more)


class LeavingOneOut(HigherPosition):
    """Does not show the last hand."""

    def show(self, table: Table, seat: Seat) -> None:
        if seat < len(self.hands) - 1:
            super().show(table, seat)


class Forgetful(HigherPosition):
    """Forgets an `await`."""

    async def round(self, table: Table) -> HigherPosition:
        self.rest()  # type: ignore[unused-coroutine]
        return await super().round(table)

    async def rest(self) -> None:
        """Do something that would have to be awaited."""


WITHOUT_A_SCORE = higher(WithoutAScore)
WITH_A_SCORE_MORE = higher(WithAScoreMore)
WITH_NO_NUMBER = higher(WithNoNumber)
MUTABLE = higher(Mutable)
LISTING = higher(Listing)
IDENTICAL = higher(Identical)
WITH_AN_UNLISTED_EVENT = change(HIGHER, messages=tuple({*MESSAGES} - {Laid}), reveals=())
WITH_A_TALLY = higher(WithATally, messages=(*MESSAGES, Tally))
CHANGING = higher(Changing, messages=(*MESSAGES, OnTheTable))
WITH_SHY_OPTIONS = higher(WithShyOptions)
WITH_AN_ILLEGAL_DEFAULT = higher(WithAnIllegalDefault)
WITHOUT_REASONS = higher(WithoutReasons)
IMPATIENT = higher(Impatient)
FAILING_FOR_THREE = higher(Failing)
ASSERTING = higher(Asserting)
FAILING_LOW = higher(FailingLow)
REFUSING = higher(Refusing)
FORGETFUL = higher(Forgetful)
GROWING = higher(variant=Growing)
LEAVING_ONE_OUT = higher(LeavingOneOut)
