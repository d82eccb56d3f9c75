"""The game of `higher`, with something in it that a seat should not learn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from attrs import evolve, field, frozen

from arena import IllegalAnswerError, OneOf, Score, Seat, Table
from tests.testing.games.higher import (
    GUESS,
    MESSAGES,
    Guessed,
    Hand,
    Higher,
    HigherNarrator,
    HigherPosition,
    Laid,
    Lay,
    Lines,
    higher,
)


class InAnEvent(HigherPosition):
    """Announces what the next card is, and not what was guessed."""

    def guessed(self, seat: Seat, guess: str) -> Any:
        return Guessed(seat, "odd" if self.stock[0] % 2 else "even")


class InTheNumberOfMessages(HigherPosition):
    """Shows a hand twice where the next card is odd."""

    def show(self, table: Table, seat: Seat) -> None:
        for _ in range(1 + self.stock[0] % 2):
            super().show(table, seat)


class BetterThanOthers(HigherPosition):
    """Knows the cards of a seat that are higher than all that the others hold."""

    def winning(self, seat: Seat) -> list[int]:
        others = [card for at, hand in enumerate(self.hands) if at != seat for card in hand]
        return [card for card in self.hands[seat] if card > max(others)]


class InTheOptions(BetterThanOthers):
    """Lists what would win first."""

    def asked(self, seat: Seat) -> Lay:
        best, hand = self.winning(seat), self.hands[seat]
        return Lay(OneOf([*best, *[card for card in hand if card not in best]]))


class InTheDefault(BetterThanOthers):
    """Has the fallback bot win, where it can."""

    def asked(self, seat: Seat) -> Lay:
        hand = self.hands[seat]
        return Lay(OneOf(hand), default=(*self.winning(seat), *hand)[0])


class Noting(OneOf[int]):
    """Options that say in their errors what stands in a note."""

    note: Any = ""

    @classmethod
    def of(cls, hand: Iterable[int], note: Any) -> Noting:
        made = cls(hand)
        made.note = note
        return made

    def read(self, answer: object) -> int:
        try:
            return super().read(answer)
        except IllegalAnswerError:
            raise IllegalAnswerError(f"not that, but {self.note}") from None


class InAnError(BetterThanOthers):
    """Says in its errors what would have won."""

    def asked(self, seat: Seat) -> Lay:
        return Lay(Noting.of(self.hands[seat], self.winning(seat)))


class Remembering(Noting):
    """Options that write into their note what was answered."""

    def read(self, answer: object) -> int:
        card = super().read(answer)
        self.note.append(card)
        return card


class InASealedAsk(HigherPosition):
    """Says in its errors what the others have laid already."""

    def questions(self, table: Table) -> dict[Seat, Lay]:
        note = list[int]()
        return {seat: Lay(Remembering.of(self.hands[seat], note)) for seat in table.seats}


@frozen
class Marked:
    """You hold these cards; the mark is on no line of JSON."""

    cards: tuple[int, ...]
    mark: int = field(default=0, init=False, eq=False)


class WithMarks(HigherPosition):
    """Hands that are marked with the next card of the stock."""

    def show(self, table: Table, seat: Seat) -> None:
        event = Marked(self.hands[seat])
        object.__setattr__(event, "mark", self.stock[0])
        table.tell(seat, event)


class Marking(Lines):
    """Writes the mark."""

    def tell(self, event: Any) -> Iterable[str]:
        if isinstance(event, Marked):
            return (f"hand {event.cards} {event.mark}",)
        return super().tell(event)


class Unmarking(Lines):
    """Leaves the mark out."""

    def tell(self, event: Any) -> Iterable[str]:
        return super().tell(Hand(event.cards) if isinstance(event, Marked) else event)


class MarkingNarrator(HigherNarrator):
    """Says the mark to people."""

    def describe(self, message: Any) -> Iterable[str]:
        if isinstance(message, Marked):
            return [f"You hold {message.cards}, and {message.mark} is next."]
        return super().describe(message)


class UnmarkingNarrator(HigherNarrator):
    """Does not."""

    def describe(self, message: Any) -> Iterable[str]:
        return super().describe(Hand(message.cards) if isinstance(message, Marked) else message)


class Gossiping(Lines):
    """All seats' wires share what they have heard, and the last seat's says it."""

    heard: ClassVar[dict[Seat, Any]] = {}

    def tell(self, event: Any) -> Iterable[str]:
        """Return a line for each event, and what the first seat holds."""
        if isinstance(event, Hand):
            self.heard[self.seat] = event.cards
        gossip = () if self.seat == 0 else (f"gossip {self.heard.get(0)}",)
        return (*super().tell(event), *gossip)


class InARoundThatAsksNobody(HigherPosition):
    """Beside the rounds there are some in which the next card is shown to all."""

    shows: ClassVar[bool] = False

    async def round(self, table: Table) -> HigherPosition:
        if self.shows:
            table.announce(Guessed(0, f"{self.stock[0]}"))
            return Asking(self.variant, self.hands, self.stock, self.points)
        return await super().round(table)

    def after(self, laid: tuple[int, ...], right: Seat | None) -> HigherPosition:
        then = super().after(laid, right)
        return Showing(then.variant, then.hands, then.stock, then.points)


class Asking(InARoundThatAsksNobody):
    """A round that asks."""


class Showing(InARoundThatAsksNobody):
    """A round that shows."""

    shows: ClassVar[bool] = True


class InTheTurn(HigherPosition):
    """Has the seat guess to which the next card points."""

    def guesser(self, table: Table) -> Seat:
        return self.stock[0] % len(table.seats)


class InTheScores(HigherPosition):
    """Gives a part of a point for what the next card is."""

    @property
    def scores(self) -> Sequence[Score]:
        more = self.stock[0] / 100 if self.stock else 0
        return [point + more for point in self.points]


class InTheScoresAfterARound(HigherPosition):
    """Gives a point to all where the first card that another seat holds is odd."""

    def after(self, laid: tuple[int, ...], right: Seat | None) -> HigherPosition:
        then = super().after(laid, right)
        more = then.hands[1][0] % 2 if then.hands[1] else 0
        return evolve(then, points=tuple(point + more for point in then.points))


@frozen
class Holding:
    """Seat 1 holds these cards."""

    cards: tuple[int, ...]


class AsAdvised(InTheScoresAfterARound):
    """Shows before what these points are for."""

    def reveal(self, table: Table, cards: tuple[int, ...]) -> None:
        super().reveal(table, cards)
        table.announce(Holding(tuple(card for card in self.hands[1] if card != cards[1])))


class InASeldomAsk(InASealedAsk):
    """Asks five times for a guess first: laws that look at every second answer look elsewhere."""

    async def round(self, table: Table) -> HigherPosition:
        for _ in range(4):
            await table.ask(self.guesser(table), GUESS)
        return await super().round(table)


class InTheDeal(Higher):
    """Shows a card when it deals."""

    def shuffled(self, table: Table, cards: int) -> list[int]:
        pile = super().shuffled(table, cards)
        table.announce(Hand(tuple(pile[:1])))
        return pile


class BehindItsOwnAnswer(HigherPosition):
    """Shows who has guessed what nobody may know."""

    async def round(self, table: Table) -> HigherPosition:
        seat = self.guesser(table)
        await table.ask(seat, GUESS)
        table.tell(seat, Hand(self.stock))
        laid = tuple((await table.ask_all(self.questions(table))).values())
        table.announce(self.laid(laid))
        return self.after(laid, None)


class BehindAnEqualReveal(HigherPosition):
    """Shows who has guessed what nobody may know, behind an event that reveals nothing of it."""

    async def round(self, table: Table) -> HigherPosition:
        """Let a seat guess, announce its guess, and show it the stock."""
        seat = self.guesser(table)
        table.announce(self.guessed(seat, await table.ask(seat, GUESS)))
        table.tell(seat, Hand(self.stock))
        laid = tuple((await table.ask_all(self.questions(table))).values())
        table.announce(self.laid(laid))
        return self.after(laid, None)


class OneByOne(HigherPosition):
    """Shows each card as soon as it is laid."""

    async def round(self, table: Table) -> HigherPosition:
        laid = []
        for seat in table.seats:
            laid.append(await table.ask(seat, self.asked(seat)))
            table.announce(Laid(tuple(laid), self.stock[0]))
        return self.after(tuple(laid), None)


MARKED = (*MESSAGES, Marked)

IN_AN_EVENT = higher(InAnEvent)
IN_THE_NUMBER_OF_MESSAGES = higher(InTheNumberOfMessages)
IN_THE_OPTIONS = higher(InTheOptions)
IN_THE_DEFAULT = higher(InTheDefault)
IN_AN_ERROR = higher(InAnError)
IN_A_SEALED_ASK = higher(InASealedAsk)
IN_A_LINE = higher(WithMarks, messages=MARKED, wires={"text": Marking}, narrator=UnmarkingNarrator)
IN_A_NARRATOR = higher(
    WithMarks, messages=MARKED, wires={"text": Unmarking}, narrator=MarkingNarrator
)
IN_A_SHARED_WIRE = higher(wires={"text": Gossiping})
IN_A_ROUND_THAT_ASKS_NOBODY = higher(Asking)
IN_A_SELDOM_ASK = higher(InASeldomAsk)
ONE_BY_ONE = higher(OneByOne)
IN_THE_DEAL = higher(variant=InTheDeal)
BEHIND_ITS_OWN_ANSWER = higher(BehindItsOwnAnswer)
BEHIND_AN_EQUAL_REVEAL = higher(BehindAnEqualReveal, reveals=(Guessed, Laid))
IN_THE_SCORES = higher(InTheScores)
IN_THE_SCORES_AFTER_A_ROUND = higher(InTheScoresAfterARound)
AS_ADVISED = higher(AsAdvised, messages=(*MESSAGES, Holding), reveals=(Laid, Holding))
IN_THE_TURN = higher(InTheTurn)
