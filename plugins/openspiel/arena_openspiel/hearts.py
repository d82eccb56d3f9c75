"""Hearts, which OpenSpiel has as `hearts`: four seats, and each deal is a game.

A card's number is four times its rank, plus its suit, clubs, diamonds, hearts and spades.
OpenSpiel asks for the three cards to pass one at a time and seat after seat; ours asks all
at once. Its returns are 26 less the points of the deal.
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
from arena_openspiel.constrained_deals import dealt

SUITS = "CDHS"  # in OpenSpiel's order
DIRECTIONS = {"hold": 0, "left": 1, "across": 2, "right": 3}
SEATS, HAND, PASSED, MOST = 4, 13, 3, 26
PLAIN = "CDS"


@define(eq=False, slots=False)
class HeartsBridge(Bridge):
    """One deal: the hands as dealt, the cards passed, and who played what."""

    number: int = 0
    direction: int = 0
    hands: dict[Seat, Cards] = field(factory=dict)
    passed: dict[Seat, Cards] = field(factory=dict)  # by who passed them
    played: list[tuple[Seat, Card]] = field(factory=list)

    @classmethod
    def drawn(cls, random: Random) -> SampledVariant:
        """Return four deals, one with each direction."""
        return SampledVariant(
            {"deals": 4, "limit": 1000, "queen_breaks": random.random() < 1 / 2}, SEATS
        )

    @property
    def deals(self) -> int:
        """Count the deals."""
        return self.number

    @property
    def amiss(self) -> str:
        """Return the option that OpenSpiel lacks: other numbers of seats, or other moons."""
        if self.seats != SEATS:
            return f"OpenSpiel's hearts has {SEATS} seats, and this has {self.seats}"
        if self.variant.moon != "others":
            return f"OpenSpiel gives a moon to the others, and this is moon={self.variant.moon}"
        return ""

    def _load(self) -> Any:
        return pyspiel.load_game("hearts", {
            "pass_cards": self.variant.passing, "qs_breaks_hearts": self.variant.queen_breaks,
        })  # fmt: skip

    def hear(self, seat: Seat, event: Any) -> None:
        """Take note of the deal, of the own cards, and of what is passed and played."""
        match type(event).__name__:
            case "DealStarted":
                self.number, self.direction = event.number, DIRECTIONS[event.direction]
                self.hands, self.passed, self.played = {}, {}, []
            case "Hand":
                self._look(seat, event.cards)
            case "Received":
                self.passed[event.seat] = event.cards
            case "Played":
                self.played.append((event.seat, event.card))

    def _look(self, seat: Seat, cards: Cards) -> None:
        """See the own hand as it was dealt, and later what is no longer there: it was passed."""
        before = self.hands.setdefault(seat, cards)
        if self.direction and before != cards and not self.played:
            self.passed[seat] = tuple(card for card in before if card not in cards)

    def chance(self, state: State) -> int:
        """Return the direction, and then the cards as they are dealt in turn."""
        history = len(state.history())
        if not history:
            return self.direction
        at, seat = divmod(history - 1, SEATS)
        return self.action(self.hands[seat][at])

    def moves(self) -> Iterable[Sequence[int]]:
        """Return the cards that were passed, as far as seats have, and those played."""
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
        """Return the points of the tricks that were taken, as scores."""
        return tuple(-points for points in state.to_struct().points)

    def returns(self, scores: Sequence[Score]) -> tuple[float, ...]:
        """Return 26 less each point."""
        return tuple(float(MOST + score) for score in scores)

    def completed(self, random: Random) -> Self:
        """Deal the others what this seat has not seen, and let them pass some of it.

        They hold what they have played, what this seat passed to them, and no suit that they
        did not follow or, while hearts were not broken, did not lead instead of a heart.
        """
        seat = self.player
        after = self._after_passing(seat, random)
        passed = self._passed(seat, after, random)
        hands = {other: tuple(self._before_passing(other, after[other], passed)) for other in after}
        if not self._all_passed:  # OpenSpiel asks those before this seat first
            passed = {other: cards for other, cards in passed.items() if other < seat}
        return evolve(self, hands=hands, passed=passed)

    @property
    def _all_passed(self) -> bool:
        return not self.direction or self.player in self.passed

    def _after_passing(self, seat: Seat, random: Random) -> dict[Seat, list[Card]]:
        """Return the hands with which the first trick began, or as dealt if none has."""
        known = {
            other: [card for who, card in self.played if who == other] for other in range(SEATS)
        }
        mine = self.passed.get(seat, ())
        known[seat] = [card for card in self.hands[seat] if card not in mine]
        if mine:
            known[seat] += self.passed[self._from(seat)]
            to = known[(seat + self.direction) % SEATS]
            to += [card for card in mine if card not in to]
        seen = {card for cards in known.values() for card in cards}
        unseen = [card for card in build_deck() if card not in seen]
        sizes = {other: HAND - len(cards) for other, cards in known.items()}
        voids = self._voids()
        rest = dealt(unseen, sizes, lambda other, card: (other, suit_of(card)) not in voids, random)
        return {other: [*known[other], *rest[other]] for other in known}

    def _voids(self) -> set[tuple[Seat, str]]:
        """Return the seats that have shown a void, each with the suit."""
        voids, broken = set(), False
        for _, trick in groupby(enumerate(self.played), lambda pair: pair[0] // SEATS):
            (_, (leader, led)), *others = trick
            suit = suit_of(led)
            if suit == "H" and not broken:
                voids |= {(leader, plain) for plain in PLAIN}
            voids |= {(seat, suit) for _, (seat, card) in others if suit_of(card) != suit}
            broken = broken or any(map(self._breaks, (led, *(card for _, (_, card) in others))))
        return voids

    def _breaks(self, card: Card) -> bool:
        return suit_of(card) == "H" or (card == "QS" and self.variant.queen_breaks)

    def _passed(
        self, seat: Seat, after: dict[Seat, list[Card]], random: Random
    ) -> dict[Seat, Cards]:
        """Return the cards each passed: those this seat knows, else a sample of those received."""
        if not self.direction:
            return {}
        if not self._all_passed:
            return {other: tuple(random.sample(after[other], PASSED)) for other in range(seat)}
        drawn = {self._from(to): tuple(random.sample(after[to], PASSED)) for to in after}
        return {other: self.passed.get(other, cards) for other, cards in sorted(drawn.items())}

    def _from(self, seat: Seat) -> Seat:
        """Return the seat that passes to this seat."""
        return (seat - self.direction) % SEATS

    def _before_passing(
        self, seat: Seat, after: list[Card], passed: dict[Seat, Cards]
    ) -> Iterable[Card]:
        """Return a hand as it was dealt."""
        if not self._all_passed or not self.direction:
            return after
        received = passed[self._from(seat)]
        return [*(card for card in after if card not in received), *passed[seat]]
