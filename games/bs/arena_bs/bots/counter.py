"""A bot that counts cards, and judges the others by what they did so far."""

from __future__ import annotations

from arena import Seat

from arena_bs.bots.base import CardPlayer
from arena_bs.bots.memory import PILE, Places
from arena_bs.cards import Cards, without

MOST = 4  # cards of a rank


class Counter(CardPlayer):
    """Calls what cannot be; weighs, in cards, what else a call or a lie may win or cost."""

    def lay(self) -> Cards:
        """Lay what is of the rank, with as many others as are worth the risk."""
        honest = self.memory.honest
        others = without(self.memory.needed_last, honest)
        sizes = range(not honest, MOST - len(honest) + 1)
        return max((honest + others[:size] for size in sizes), key=self._worth)

    def doubts(self) -> bool:
        """Call if the chance of a lie, times what that wins, outweighs the rest."""
        if self.memory.impossible:
            return True
        lie = self._chance_of_lie()
        return lie * self._prize() > (1 - lie) * self.memory.pile

    def _worth(self, laid: Cards) -> float:
        """Say by how many cards the hand shrinks, on average, if these are laid."""
        bluffing = len(laid) > len(self.memory.honest)
        if not bluffing:
            return len(laid)
        called = self._chance_of_call(len(laid))
        return (1 - called) * len(laid) - called * self.memory.pile

    def _chance_of_call(self, claim: int) -> float:
        """Guess how likely somebody calls a claim of so many, by their records."""
        silence = 1.0
        for seat, record in self.memory.records.items():
            if seat != self.seat:
                habit = (record.calls + 1) / (record.heard + 6)
                silence *= (1 - habit) * (1 - self._chance_to_hold(seat, MOST + 1 - claim))
        return 1 - silence

    def _chance_of_lie(self) -> float:
        """Guess how likely the claim is false, by the cards and the player's record."""
        memory = self.memory
        record = memory.records[memory.current]
        liar = (record.bluffs + 1) / (record.tested + 3)
        truth = (1 - liar) * self._chance_to_hold(memory.current, memory.claim)
        lie = liar
        if memory.claim == 1:
            lie += (1 - liar) * (1 - self._chance_to_hold(memory.current, 1))
        return lie / (lie + truth)

    def _prize(self) -> float:
        """Say in cards what it wins that another player takes the pile."""
        memory = self.memory
        if not memory.counts[memory.current]:
            return 52.0
        return memory.pile / (self.seats - 1)

    def _chance_to_hold(self, seat: Seat, count: int) -> float:
        """Guess how likely a seat holds at least so many of the rank."""
        chances = [1.0]  # of holding 0, 1, 2 ... of the cards looked at
        for suit in "SCHD":
            one = self._chance_at(seat, self.memory.places[self.memory.rank + suit])
            more = [0.0, *[chance * one for chance in chances]]
            chances = [a + b * (1 - one) for a, b in zip(more, [*chances, 0.0], strict=True)]
        return sum(chances[count:])

    def _chance_at(self, seat: Seat, places: Places) -> float:
        if seat not in places:
            return 0.0
        memory = self.memory
        sizes = {at: memory.pile if at == PILE else memory.counts[at] for at in places}
        return sizes[seat] / max(1, sum(sizes.values()))
