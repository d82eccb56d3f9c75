"""An opponent that reserves its certain wins for the best prizes."""

from __future__ import annotations

from arena import Greeting
from arena_gops.bots.base import ScoreKeeper
from arena_gops.rules import Hand


class Planner(ScoreKeeper):
    """Bids the winning card that it has reserved for the prize, else its lowest card.

    Source: Ruby Quiz 116 (2007). A card above the opponent's highest remaining card is a certain
    win; a reservation is never changed.
    """

    reserved: dict[int, int]  # the card reserved for each prize

    def greet(self, greeting: Greeting) -> None:
        """Start without reservations."""
        super().greet(greeting)
        self.reserved = {}

    def bid(self, hand: Hand) -> int:
        """Bid the card reserved for this prize, else the lowest card.

        If a list of prizes repeats a value, the card reserved for it may have been bid already.
        """
        self._reserve_cards(hand)
        card = self.reserved.get(self.board.prize)
        return min(hand) if card is None or card not in hand else card

    def _reserve_cards(self, hand: Hand) -> None:
        """Reserve each new certain win, highest first, for the best prize without a card."""
        beaten = max(self.board.hands[self.opponent])
        sure = {card for card in hand if card > beaten} - set(self.reserved.values())
        prizes = {self.board.prize, *self.board.face_down} - self.reserved.keys()
        best_first = sorted(prizes, reverse=True), sorted(sure, reverse=True)
        self.reserved.update(zip(*best_first, strict=False))
