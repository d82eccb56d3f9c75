"""Hearts, which OpenSpiel has as `hearts`: four seats, and each deal is a game.

A card's number is four times its rank, plus its suit, clubs, diamonds, hearts and spades. OpenSpiel
asks for the three cards to pass one at a time, seat by seat; the arena asks all seats at once. Its
returns are 26 minus the points of the deal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from random import Random
from typing import Any, Self

import pyspiel
from attrs import define, evolve, field

from arena import Score, Seat
from arena.cards import RANKS, Card, Cards, build_deck, suit_of
from arena_openspiel.bridge import Bridge, SampledVariant, State
from arena_openspiel.constrained_deals import deal_hands

SUITS = "CDHS"  # in OpenSpiel's order
DIRECTIONS = {"hold": 0, "left": 1, "across": 2, "right": 3}
SEATS, HAND_CARDS, PASSED_CARDS, MAX_POINTS = 4, 13, 3, 26
SUITS_BUT_HEARTS = "CDS"


@define(eq=False, slots=False)
class HeartsBridge(Bridge):
    """The bridge for Hearts, for one deal: the dealt hands, the passed and the played cards."""

    number: int = 0
    direction: int = 0
    hands: dict[Seat, Cards] = field(factory=dict)
    passed: dict[Seat, Cards] = field(factory=dict)  # by the passing seat
    played: list[tuple[Seat, Card]] = field(factory=list)

    @classmethod
    def sample_variant(cls, random: Random) -> SampledVariant:
        """Draw a variant with four deals, one for each direction of passing."""
        return SampledVariant(
            {"deals": 4, "limit": 1000, "queen_breaks": random.random() < 1 / 2}, SEATS
        )

    @property
    def deals(self) -> int:
        """The number of deals so far."""
        return self.number

    @property
    def mismatch(self) -> str:
        """The option that OpenSpiel does not support (seats, moon), or ""."""
        if self.seats != SEATS:
            return f"OpenSpiel's hearts has {SEATS} seats, not {self.seats}"
        if self.variant.moon != "others":
            return f"OpenSpiel supports only moon=others, not moon={self.variant.moon}"
        return ""

    def _load(self) -> Any:
        return pyspiel.load_game("hearts", {
            "pass_cards": self.variant.passing, "qs_breaks_hearts": self.variant.queen_breaks,
        })  # fmt: skip

    def hear(self, seat: Seat, event: Any) -> None:
        """Record the deal, the seat's own cards, and the cards passed and played."""
        match type(event).__name__:
            case "DealStarted":
                self.number, self.direction = event.number, DIRECTIONS[event.direction]
                self.hands, self.passed, self.played = {}, {}, []
            case "Hand":
                self._note_hand(seat, event.cards)
            case "Received":
                self.passed[event.seat] = event.cards
            case "Played":
                self.played.append((event.seat, event.card))

    def _note_hand(self, seat: Seat, cards: Cards) -> None:
        """Record a hand as it was dealt; cards missing from it later have been passed."""
        before = self.hands.setdefault(seat, cards)
        if self.direction and before != cards and not self.played:
            self.passed[seat] = tuple(card for card in before if card not in cards)

    def chance(self, state: State) -> int:
        """Return the direction of passing first, and then the cards in the order of the deal."""
        history = len(state.history())
        if not history:
            return self.direction
        at, seat = divmod(history - 1, SEATS)
        return self.action(self.hands[seat][at])

    def moves(self) -> Iterable[Sequence[int]]:
        """Yield the cards that seats have passed so far, and then the cards played."""
        for seat in range(SEATS):
            if seat in self.passed:
                yield tuple(map(self.action, self.passed[seat]))
        yield from ((self.action(card),) for _, card in self.played)

    def action(self, value: Card) -> int:
        """Return the number of a card."""
        return len(SUITS) * RANKS.index(value[0]) + SUITS.index(value[1])

    def value(self, action: int) -> Card:
        """Return the card of this number."""
        rank, suit = divmod(action, len(SUITS))
        return RANKS[rank] + SUITS[suit]

    def points(self, state: State) -> tuple[float, ...]:
        """Return the points of the tricks taken so far, as scores."""
        return tuple(-points for points in state.to_struct().points)

    def returns(self, scores: Sequence[Score]) -> tuple[float, ...]:
        """Return 26 minus the points of each seat."""
        return tuple(float(MAX_POINTS + score) for score in scores)

    def sample_hidden_information(self, random: Random) -> Self:
        """Deal the cards that this seat has not seen to the others, and let them pass some.

        The others hold what they have played and what this seat passed to them. They hold no suit
        that they did not follow, and none that they could have led instead of an unbroken heart.
        """
        seat = self.player
        after = self._sample_hands(seat, random)
        passed = self._choose_passed_cards(seat, after, random)
        hands = {
            other: tuple(self._restore_dealt_hand(other, after[other], passed)) for other in after
        }
        if not self._is_passing_over:  # OpenSpiel asks those before this seat first
            passed = {other: cards for other, cards in passed.items() if other < seat}
        return evolve(self, hands=hands, passed=passed)

    @property
    def _is_passing_over(self) -> bool:
        return not self.direction or self.player in self.passed

    def _sample_hands(self, seat: Seat, random: Random) -> dict[Seat, list[Card]]:
        """Sample the hands after passing; while seats still pass, the hands as dealt."""
        known = {
            other: [card for who, card in self.played if who == other] for other in range(SEATS)
        }
        mine = self.passed.get(seat, ())
        known[seat] = [card for card in self.hands[seat] if card not in mine]
        if mine:
            known[seat] += self.passed[self._find_passer(seat)]
            to = known[(seat + self.direction) % SEATS]
            to += [card for card in mine if card not in to]
        seen = {card for cards in known.values() for card in cards}
        unseen = [card for card in build_deck() if card not in seen]
        sizes = {other: HAND_CARDS - len(cards) for other, cards in known.items()}
        voids = self._find_voids()
        rest = deal_hands(
            unseen, sizes, lambda other, card: (other, suit_of(card)) not in voids, random
        )
        return {other: [*known[other], *rest[other]] for other in known}

    def _find_voids(self) -> set[tuple[Seat, str]]:
        """Return the pairs of a seat and a suit in which it has shown a void."""
        voids, broken = set(), False
        for _, trick in groupby(enumerate(self.played), lambda pair: pair[0] // SEATS):
            (_, (leader, led)), *others = trick
            suit = suit_of(led)
            if suit == "H" and not broken:
                voids |= {(leader, plain) for plain in SUITS_BUT_HEARTS}
            voids |= {(seat, suit) for _, (seat, card) in others if suit_of(card) != suit}
            broken = broken or any(map(self._breaks, (led, *(card for _, (_, card) in others))))
        return voids

    def _breaks(self, card: Card) -> bool:
        return suit_of(card) == "H" or (card == "QS" and self.variant.queen_breaks)

    def _choose_passed_cards(
        self, seat: Seat, after: dict[Seat, list[Card]], random: Random
    ) -> dict[Seat, Cards]:
        """Return the cards each seat passed: known ones, else some that the receiver holds."""
        if not self.direction:
            return {}

        def draw(holder: Seat) -> Cards:
            return tuple(random.sample(after[holder], PASSED_CARDS))

        if not self._is_passing_over:
            return {other: draw(other) for other in range(seat)}
        drawn = {self._find_passer(to): draw(to) for to in after}
        return {other: self.passed.get(other, cards) for other, cards in sorted(drawn.items())}

    def _find_passer(self, seat: Seat) -> Seat:
        """Return the seat that passes to this seat."""
        return (seat - self.direction) % SEATS

    def _restore_dealt_hand(
        self, seat: Seat, after: list[Card], passed: dict[Seat, Cards]
    ) -> Iterable[Card]:
        """Return a hand as it was dealt, before passing."""
        if not self._is_passing_over or not self.direction:
            return after
        received = passed[self._find_passer(seat)]
        return [*(card for card in after if card not in received), *passed[seat]]
