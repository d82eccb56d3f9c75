"""Card names for people: A, 2 to 10, J, Q, K; plain numbers if a suit has more cards."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from arena import MalformedLineError
from arena_gops.rules import Hand

OWN, OTHER, PRIZE = "♣", "♠", "♦"
FACES = {**{card: str(card) for card in range(2, 11)}, 1: "A", 11: "J", 12: "Q", 13: "K"}
FRENCH_CARDS = max(FACES)  # cards of a suit with face cards


@frozen
class CardNames:
    """Converts cards of a game to names and back."""

    cards: int  # cards in a suit

    def name(self, card: int) -> str:
        """Return a card's name.

        >>> CardNames(13).name(12), CardNames(20).name(12)
        ('Q', '12')
        """
        return FACES[card] if self.cards <= FRENCH_CARDS and card in FACES else str(card)

    def names(self, cards: Iterable[int]) -> str:
        """Return the names of cards, joined by spaces."""
        return " ".join(map(self.name, cards))

    def read(self, hand: Hand, typed: str) -> int:
        """Return the card of this hand with this name; raise MalformedLineError for others."""
        card = self._card(typed.replace(OWN, "").strip().casefold())
        held = f"you hold {OWN} {self.names(hand)}"
        if card is None:
            shown = f"{typed[:20]!r} is not a card" if typed.strip() else "type a card"
            raise MalformedLineError(f"{shown}; {held}")
        if card not in hand:
            raise MalformedLineError(f"{OWN}{self.name(card)} has already been played; {held}")
        return card

    def _card(self, typed: str) -> int | None:
        suit = range(1, self.cards + 1)
        return next((card for card in suit if typed in self._spellings(card)), None)

    def _spellings(self, card: int) -> tuple[str, str]:
        return str(card), self.name(card).casefold()
