"""The opponent that sets its sure wins aside for the best prizes."""

from __future__ import annotations

from arena import Greeting
from arena_gops.bots.base import ScoreKeeper
from arena_gops.rules import Hand


class Planner(ScoreKeeper):
    """Bids a card that cannot lose where it has set one aside, else its lowest.

    Source: Ruby Quiz 116 (2007). A card above the opponent's highest card left is a sure
    win; what is set aside for a prize stays so.
    """

    reserved: dict[int, int]  # for which prize, which card

    def greet(self, greeting: Greeting) -> None:
        """Begin with nothing set aside."""
        super().greet(greeting)
        self.reserved = {}

    def bid(self, hand: Hand) -> int:
        """Bid what is set aside for this prize, else the lowest card.

        Where a list of prizes repeats a value, what was set aside for it may be gone.
        """
        self._reserve_cards(hand)
        card = self.reserved.get(self.board.prize)
        return min(hand) if card is None or card not in hand else card

    def _reserve_cards(self, hand: Hand) -> None:
        """Set each new sure win, from the highest down, for the best prize without a card."""
        beaten = max(self.board.hands[self.opponent])
        sure = {card for card in hand if card > beaten} - set(self.reserved.values())
        prizes = {self.board.prize, *self.board.face_down} - self.reserved.keys()
        best_first = sorted(prizes, reverse=True), sorted(sure, reverse=True)
        self.reserved.update(zip(*best_first, strict=False))
