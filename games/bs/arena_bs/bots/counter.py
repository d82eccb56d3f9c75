"""A bot that counts cards, and judges the others by what they did so far."""

from __future__ import annotations

from collections.abc import Sequence

from arena import Seat

from arena_bs.bots.base import CardPlayer
from arena_bs.bots.memory import PILE
from arena_bs.cards import SUITS, RANKS, Cards, without, of_rank

MOST = 4  # cards of a rank


class Counter(CardPlayer):
    """Calls what cannot be; weighs, in cards, what else a call or a lie may win or cost."""

    LIEW = 3.0
    W = 0.1
    CALLP = 0.1
    CALLW = 6.0
    LASTP = 0.5
    LASTW = 2.0
    OUT = 13.0
    MARGIN = 0.0
    EXTRA = 4
    TAKE = 0.6
    LIE = 0.3

    def lay(self) -> Cards:
        """Lay what is of the rank, with as many others as are worth the risk."""
        honest = self.memory.honest
        others = without(self.memory.needed_last, honest)
        sizes = range(not honest, max(1, min(self.EXTRA, MOST - len(honest))) + 1)
        return min((honest + others[:size] for size in sizes), key=self._price)

    def doubts(self) -> bool:
        """Call if the chance of a lie, times what that wins, outweighs the rest."""
        if self.memory.impossible:
            return True
        lie = self._chance_of_lie()
        return lie * self._prize() > (1 - lie) * (self.memory.height + self.MARGIN)

    def _price(self, laid: Cards) -> float:
        after = self._turns(without(self.memory.hand, laid))
        if len(laid) <= len(self.memory.honest):
            return after
        called = self._chance_of_call(len(laid))
        caught = self._turns(self.memory.hand) + self.TAKE * (self.memory.height)
        return (1 - called) * after + called * caught

    def _turns(self, hand):
        m = self.memory
        at = RANKS.index(m.rank)
        cost = 0
        while hand:
            at = (at + self.seats) % 13
            rank = RANKS[at]
            honest = of_rank(hand, rank)
            cost += 1
            if not honest:
                cost += self.LIE
                honest = (max(hand, key=lambda c: m.turns_until(c, rank)),)
            hand = without(hand, honest)
        return cost

    def _chance_of_call(self, claim: int) -> float:
        """Guess how likely somebody calls a claim of so many, by their records."""
        silence = 1.0
        last = claim == len(self.memory.hand)
        for seat, record in self.memory.records.items():
            if seat != self.seat:
                sure = self._chance_to_hold(seat, MOST + 1 - claim)
                habit = record.calls(last).share(self.LASTP, self.LASTW) if last else record.calls(last).share(self.CALLP, self.CALLW)
                silence *= (1 - habit) * (1 - sure)
        return 1 - silence

    def _chance_of_lie(self) -> float:
        """Guess how likely the claim is false, by the player's record and the cards."""
        seat, claim = self.memory.current, self.memory.claim
        record = self.memory.records[seat]
        w = record.several.share(self.W, self.LIEW)
        usual = tail([self._share(seat)] * MOST, claim) or 1.0
        hold = self._chance_to_hold(seat, claim)
        if claim > 1:
            truth = (1-w) * hold/usual
            return w / (w + truth)
        r = record.single.share(.35, self.LIEW)
        usual = min(max(usual, .05), .95)
        hold = min(hold, .999)
        odds = r/(1-r) * (1 - hold)/hold*usual/(1-usual)
        f = odds/(1+odds)
        return w+(1-w)*f

    def _share(self, seat):
        m = self.memory
        return (m.counts[seat] + (m.claim if seat == m.current else 0)) / 52

    def _prize(self) -> float:
        """Say in cards what it wins that another player takes the pile."""
        memory = self.memory
        if not memory.counts[memory.current]:
            return memory.height/ (self.seats - 1) + self.OUT
        return memory.height / (self.seats - 1)

    def _chance_to_hold(self, seat: Seat, count: int) -> float:
        """Guess how likely a seat holds at least so many of the rank."""
        rank = self.memory.rank
        return tail([self._chance_at(seat, rank + suit) for suit in SUITS], count)

    def _chance_at(self, seat: Seat, card: str) -> float:
        """Guess how likely a seat holds a card, all hidden places being alike."""
        memory = self.memory
        places = memory.places[card]
        if seat not in places:
            return 0.0
        sizes = {at: memory.height if at == PILE else memory.counts[at] for at in places}
        if memory.pile and seat == memory.current:
            sizes[seat] += memory.claim
            if PILE in sizes: sizes[PILE] -= memory.claim
        return sizes[seat] / max(1,sum(sizes.values()))


def tail(chances: Sequence[float], count: int) -> float:
    """Give how likely at least `count` of these happen."""
    many = [1.0]  # the chances of 0, 1, 2 ... among those looked at
    for chance in chances:
        more = [was * chance for was in many]
        fewer = [was * (1 - chance) for was in many]
        many = [a + b for a, b in zip([0.0, *more], [*fewer, 0.0], strict=True)]
    return sum(many[count:])
