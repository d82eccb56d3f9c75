"""The state that a turn changes: cards, coins, and the players who are out."""

from __future__ import annotations

from random import Random

from attrs import define

from arena import Seat
from arena.cards import remove_cards
from arena_coup.characters import Cards, Character, sort_cards


@define
class TurnState:
    """All cards and coins while a turn is played; lists are in seat order."""

    hands: list[Cards]
    revealed: list[Cards]
    coins: list[int]
    deck: Cards  # in the order in which cards are drawn from it
    gone: list[Seat]  # the seats that are out, in the order in which they went

    @property
    def alive(self) -> list[Seat]:
        """Return the seats that have influence."""
        return [seat for seat, hand in enumerate(self.hands) if hand]

    @property
    def over(self) -> bool:
        """Whether only one player is left."""
        return sum(map(bool, self.hands)) == 1

    def others(self, seat: Seat) -> list[Seat]:
        """Return the other seats that have influence."""
        return [other for other, hand in enumerate(self.hands) if hand and other != seat]

    def reveal(self, seat: Seat, card: Character) -> None:
        """Turn up this card of a seat; remove the seat's coins with its last card."""
        self.hands[seat] = remove_cards(self.hands[seat], [card])
        self.revealed[seat] = sort_cards((*self.revealed[seat], card))
        if not self.hands[seat]:
            self.coins[seat] = 0
            self.gone.append(seat)

    def replace(self, seat: Seat, card: Character, random: Random) -> Character:
        """Shuffle a seat's card into the court deck; return the card drawn in its place."""
        deck = (*self.deck, card)
        first, *rest = random.sample(deck, len(deck))
        self.deck = tuple(rest)
        self.hands[seat] = sort_cards((*remove_cards(self.hands[seat], [card]), first))
        return first

    def exchange(self, seat: Seat, kept: Cards, drawn: int, random: Random) -> None:
        """Set a seat's hand to the kept cards; shuffle its other cards and draws into the deck."""
        back = remove_cards((*self.hands[seat], *self.deck[:drawn]), kept)
        deck = (*self.deck[drawn:], *back)
        self.deck = tuple(random.sample(deck, len(deck)))
        self.hands[seat] = sort_cards(kept)
