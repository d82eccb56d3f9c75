"""Briscola for learning programs: the list of all answers, and observations as numbers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from arena import Greeting, Seat
from arena.cards import Card, Cards, suit_of
from arena_briscola.cards import FULL_PACK, SUITS, build_pack, count_points
from arena_briscola.messages import Hand, Played, Trick
from arena_briscola.rules import Briscola

POINTS_PER_DEAL = count_points(FULL_PACK)


def actions(variant: Briscola, seats: int) -> Cards:  # noqa: ARG001  # all variants have these
    """Return all cards that can be played, in the order of the pack."""
    return build_pack(seats)


class BriscolaObservationEncoder:
    """The own hand, the trick, the cards that are gone, the trump, the stock, the scores.

    Cards are marked in the order of the pack: those held, those of the trick by each of the
    others (the next seat first), those played before it in this deal, the one turned up.
    Four figures mark its suit, one says how much of the pack is still in the stock, and one
    for each seat its share of all points there are, the own first.
    """

    def __init__(self, greeting: Greeting) -> None:
        self._own_first = (*range(greeting.seat, greeting.seats), *range(greeting.seat))
        self._cards = build_pack(greeting.seats)
        self._most = POINTS_PER_DEAL * greeting.variant.deals
        self._trick: Trick | None = None
        self._hand: Cards = ()
        self._laid: list[tuple[Seat, Card]] = []  # in this trick
        self._gone: list[Card] = []  # in the tricks before, of this deal

    def tell(self, event: Any) -> None:
        """Record an event."""
        match event:
            case Trick(stock=stock):
                fresh = self._trick is None or stock > self._trick.stock
                self._gone = [] if fresh else self._gone + [card for _, card in self._laid]
                self._trick, self._laid = event, []
            case Hand(cards):
                self._hand = cards
            case Played(seat, card):
                self._laid.append((seat, card))
                self._hand = tuple(held for held in self._hand if held != card)

    def observation(self) -> list[float]:
        """Return the observation as numbers."""
        trick, cards = self._trick, self._cards
        figures = mark_present(cards, self._hand)
        for seat in self._own_first[1:]:
            figures += mark_present(cards, [card for by, card in self._laid if by == seat])
        figures += mark_present(cards, self._gone) + mark_present(
            cards, [trick.trump] if trick else []
        )
        figures += mark_present(SUITS, [suit_of(trick.trump)] if trick else [])
        figures.append(trick.stock / len(cards) if trick else 0.0)
        scores = trick.scores if trick else (0,) * len(self._own_first)
        return figures + [scores[seat] / self._most for seat in self._own_first]


def mark_present(things: Collection[str], here: Collection[str]) -> list[float]:
    """Return 1 for each item that is present, 0 for the others."""
    return [float(thing in here) for thing in things]
