"""Briscola for machines that learn: all answers in order, and what a seat was told in figures."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from arena import Seat
from arena.cards import Card, Cards, suit_of
from arena_briscola.messages import Hand, Played, Trick
from arena_briscola.pack import FORTY, SUITS, pack, points
from arena_briscola.rules import Briscola

ALL_POINTS = points(FORTY)


def actions(variant: Briscola, seats: int) -> Cards:  # noqa: ARG001  # all variants have these
    """Give every card that may ever be played, in the order of the pack."""
    return pack(seats)


def encode(events: Sequence[Any]) -> list[float]:
    """Give the own hand, the trick, the cards that are gone, the trump, the stock, the scores.

    Cards are marked in the order of the pack: those held, those of the trick by each of the
    others (the next seat first), those played before it in this deal, the one turned up.
    Four figures mark its suit, one says how much of the pack is still in the stock, and one
    for each seat its share of all points there are, the own first.
    """
    greeting = events[0]
    seats, cards = greeting.seats, pack(greeting.seats)
    trick, hand, laid, gone = latest(events)
    order = [(greeting.seat + step) % seats for step in range(seats)]
    figures = marked(cards, hand)
    for seat in order[1:]:
        figures += marked(cards, [card for by, card in laid if by == seat])
    figures += marked(cards, gone) + marked(cards, [trick.trump] if trick else [])
    figures += marked(SUITS, [suit_of(trick.trump)] if trick else [])
    figures.append(trick.stock / len(cards) if trick else 0.0)
    most = ALL_POINTS * greeting.variant.deals
    scores = trick.scores if trick else (0,) * seats
    return figures + [scores[seat] / most for seat in order]


def latest(
    events: Sequence[Any],
) -> tuple[Trick | None, Cards, list[tuple[Seat, Card]], list[Card]]:
    """Give the trick that is played, the own hand, who laid what, and what is gone before."""
    trick: Trick | None = None
    hand: Cards = ()
    laid: list[tuple[Seat, Card]] = []
    gone: list[Card] = []
    for event in events:
        match event:
            case Trick(stock=stock):
                fresh = trick is None or stock > trick.stock
                gone = [] if fresh else gone + [card for _, card in laid]
                trick, laid = event, []
            case Hand(cards):
                hand = cards
            case Played(seat, card):
                laid.append((seat, card))
                hand = tuple(held for held in hand if held != card)
    return trick, hand, laid, gone


def marked(things: Collection[str], here: Collection[str]) -> list[float]:
    """Give 1 for each of the things that is here, 0 for each other."""
    return [float(thing in here) for thing in things]
