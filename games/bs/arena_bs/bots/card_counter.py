"""A bot that counts cards and estimates how the others play from their record."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from attrs import define, field

from arena import Seat
from arena.cards import Card, Cards, remove_cards
from arena_bs.bots.base import CardPlayer
from arena_bs.bots.hand_plans import count_turns
from arena_bs.bots.memory import PILE
from arena_bs.cards import SUITS

CARDS_PER_RANK = len(SUITS)


@define(eq=False)
class CardCounter(CardPlayer):
    """Calls impossible claims; weighs the expected gain of other calls and of its own lies.

    The weights were found by playing against the other bundled bots.
    """

    lie_turns: float = field(default=1.0, metadata={"min": 0.0, "max": 4.0})
    """The cost of a turn in which it has to lie."""
    card_turns: float = field(default=0.6, metadata={"min": 0.0, "max": 2.0})
    """The cost in turns of each card that it takes."""
    last_card_gain: float = field(default=13.0, metadata={"min": 0.0, "max": 40.0})
    """The gain in cards of stopping a player from going out."""
    misjudging_cost: float = field(default=3.0, metadata={"min": 0.0, "max": 12.0})
    """The cost in cards of a wrong call, besides the pile."""

    def lay(self) -> Cards:
        """Lay the cards of the rank, with as many others as are worth the risk."""
        honest = self.memory.cards_of_rank
        others = remove_cards(self.memory.hand_by_need, honest)
        fewest = 0 if honest else 1
        counts = range(fewest, CARDS_PER_RANK - len(honest) + 1)
        return min((honest + others[:count] for count in counts), key=self._cost)

    def doubts(self) -> bool:
        """Call an impossible claim, or a lie so likely that calling pays."""
        memory = self.memory
        if memory.is_impossible:
            return True
        lie = memory.records[memory.current].lie_probability(memory.claim)
        prize = memory.pile_height / (self.seats - 1)  # all the others gain as well
        if memory.is_going_out:
            prize += self.last_card_gain
        return lie * prize > (1 - lie) * (memory.pile_height + self.misjudging_cost)

    def _cost(self, laid: Cards) -> float:
        """Estimate the number of turns to empty the hand after laying these cards."""
        memory = self.memory
        after = self._count_turns(remove_cards(memory.hand, laid))
        if len(laid) <= len(memory.cards_of_rank):
            return after
        called = self._chance_of_call(len(laid))
        caught = self._count_turns(memory.hand) + self.card_turns * memory.pile_height
        return (1 - called) * after + called * caught

    def _count_turns(self, hand: Cards) -> float:
        return count_turns(hand, self.memory.rank, self.seats, self.lie_turns)

    def _chance_of_call(self, claim: int) -> float:
        """Estimate the probability that somebody calls a claim of this number of cards."""
        memory = self.memory
        last = claim == len(memory.hand)
        others = [(seat, record) for seat, record in memory.records.items() if seat != self.seat]
        return 1 - prod(
            (1 - record.call_probability(last)) * (1 - self._chance_to_know(seat, claim))
            for seat, record in others
        )

    def _chance_to_know(self, seat: Seat, claim: int) -> float:
        """Estimate the probability that a seat knows from its own cards that the claim is false."""
        cards = (self.memory.rank + suit for suit in SUITS)
        chances = [self._chance_to_hold(seat, card) for card in cards]
        return probability_at_least(CARDS_PER_RANK + 1 - claim, chances)

    def _chance_to_hold(self, seat: Seat, card: Card) -> float:
        """Estimate the probability that a seat holds a card, from the sizes of possible places."""
        memory = self.memory
        places = memory.places[card]
        if seat not in places:
            return 0.0
        sizes = {at: memory.pile_height if at == PILE else memory.counts[at] for at in places}
        return sizes[seat] / sum(sizes.values())


def probability_at_least(count: int, chances: Iterable[float]) -> float:
    """Return the probability that at least `count` of some independent events happen."""
    many = [1.0]  # the probabilities of 0, 1, 2 ... events so far
    for chance in chances:
        pairs = zip([0.0, *many], [*many, 0.0], strict=True)
        many = [fewer * chance + same * (1 - chance) for fewer, same in pairs]
    return sum(many[count:])
