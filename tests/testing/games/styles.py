"""Sound games that hide something, in styles that the contract should not complain of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from attrs import evolve, field, frozen, validators

from arena import Game, Narrator, OneOf, Question, Score, Seat, SomeOf, Table
from tests.support.toys import change


@frozen
class Card:
    """You hold this card."""

    rank: int


@frozen
class Done:
    """A seat has done this."""

    seat: Seat
    what: Any


class Do(Question[Any]):
    """What do you do?"""


@frozen
class Claims:
    """One card each; in turn all say whether they hold more than 3; who holds none must not."""

    async def deal(self, table: Table) -> ClaimsPosition:
        return ClaimsPosition(self, tuple(table.random.sample(range(1, 8), len(table.seats))))


@frozen
class ClaimsPosition:
    """The cards. What may be said depends on them, and all hear it."""

    variant: Claims
    cards: tuple[int, ...]
    scores: tuple[int, ...] = (0, 0, 0)
    over: bool = False

    async def round(self, table: Table) -> ClaimsPosition:
        """Ask in turn, from the last seat on; the honest win a point."""
        scores = [0, 0, 0]
        for seat in table.seats:
            table.tell(seat, Card(self.cards[seat]))
        for seat in reversed(table.seats):
            may = ("low", "high") if self.cards[seat] > 3 else ("low", "none")
            said = await table.ask(seat, Do(OneOf(may)))
            scores[seat] = int(said == may[-1])
            table.announce(Done(seat, said))
        return evolve(self, scores=tuple(scores), over=True)

    def resample_hidden(self, seat: Seat, random: Random) -> ClaimsPosition:
        """Return the others any cards that this seat does not hold."""
        rest = [card for card in range(1, 8) if card != self.cards[seat]]
        drawn = random.sample(rest, len(self.cards))
        cards = [mine if at == seat else drawn[at] for at, mine in enumerate(self.cards)]
        return evolve(self, cards=tuple(cards))


@frozen
class Discards:
    """Each lays down some of its hidden cards, one after the other; the fewest left win."""

    async def deal(self, table: Table) -> DiscardsPosition:
        pile = table.random.sample(range(1, 10), 3 * len(table.seats))
        hands = tuple(tuple(sorted(pile[seat::2])) for seat in table.seats)
        return DiscardsPosition(self, hands)


@frozen
class DiscardsPosition:
    """Hands, and whose turn it is."""

    variant: Discards
    hands: tuple[tuple[int, ...], ...]
    turn: int = 0

    @property
    def over(self) -> bool:
        return self.turn == 9 or not all(self.hands)

    @property
    def scores(self) -> Sequence[Score]:
        return [3 - len(hand) for hand in self.hands]

    async def round(self, table: Table) -> DiscardsPosition:
        """Let one lay down one or two cards, or none, and tell how many they were."""
        seat = self.turn % 2
        hand = self.hands[seat]
        laid = await table.ask(seat, Do(SomeOf(hand, 0, 2), default=()))
        table.announce(Done(seat, len(laid)))
        left = tuple(card for card in hand if card not in laid)
        hands = tuple(left if at == seat else other for at, other in enumerate(self.hands))
        return evolve(self, hands=hands, turn=self.turn + 1)

    def resample_hidden(self, seat: Seat, random: Random) -> DiscardsPosition:
        rest = [card for card in range(1, 10) if card not in self.hands[seat]]
        other = tuple(sorted(random.sample(rest, len(self.hands[1 - seat]))))
        hands = (self.hands[0], other) if seat == 0 else (other, self.hands[1])
        return evolve(self, hands=hands)


@frozen
class Patience:
    """For one: is the next card higher than the last?"""

    cards: int = field(default=5, validator=[validators.ge(1), validators.le(9)])

    async def deal(self, table: Table) -> PatiencePosition:
        return PatiencePosition(self, tuple(table.random.sample(range(1, 14), self.cards + 1)))


@frozen
class PatiencePosition:
    """The pile, and points."""

    variant: Patience
    pile: tuple[int, ...]
    scores: tuple[int, ...] = (0,)

    @property
    def over(self) -> bool:
        return len(self.pile) == 1

    async def round(self, table: Table) -> PatiencePosition:
        """Show a card, ask for the next, and turn it up."""
        table.announce(Card(self.pile[0]))
        higher = await table.ask(0, Do(OneOf((False, True)), default=True))
        table.announce(Done(0, self.pile[1]))
        right = higher == (self.pile[1] > self.pile[0])
        return evolve(self, pile=self.pile[1:], scores=(self.scores[0] + right,))

    def resample_hidden(self, seat: Seat, random: Random) -> PatiencePosition:
        down = self.pile[1:]
        return evolve(self, pile=(self.pile[0], *random.sample(down, len(down))))


class Counting(Narrator):
    """A narrator that counts its lines."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        super().__init__(seat, names)
        self.count = 0

    def describe(self, message: Any) -> Iterable[str]:
        for line in super().describe(message):
            self.count += 1
            yield f"{self.count}. {line}"


def small(name: str, variant: type, seats: int, **more: Any) -> Game:
    game = Game(
        name=name,
        summary=f"a small game of {name}",
        variant=variant,
        seats=range(seats, seats + 1),
        messages=(Card, Done, Do),
    )
    return change(game, **more)


CLAIMS = small("claims", Claims, 3, narrator=Counting)
DISCARDS = small("discards", Discards, 2)
PATIENCE = small("patience", Patience, 1, reveals=(Done,))
