"""The events and questions of Hearts."""

from __future__ import annotations

from attrs import frozen

from arena import OneOf, Question, Seat, SomeOf
from arena.cards import Card, Cards

LEFT, RIGHT, ACROSS, HOLD = "left", "right", "across", "hold"


@frozen
class DealStarted:
    """Cards are dealt: which deal it is, counted from 1, and where three cards go.

    `points` are those of each seat, of all deals before.
    """

    number: int
    direction: str  # left, right, across; hold: nobody passes cards
    points: tuple[int, ...]


@frozen
class Hand:
    """These are your cards, as a deal or a trick begins."""

    cards: Cards


@frozen
class Received:
    """A seat has passed you these."""

    seat: Seat
    cards: Cards


@frozen
class Played:
    """A seat plays a card to the trick."""

    seat: Seat
    card: Card


@frozen
class Taken:
    """A seat takes the trick, with so many points in it, and leads to the next."""

    seat: Seat
    points: int


@frozen
class Scored:
    """The deal is over: what each seat gets for it, and has in all."""

    deal: tuple[int, ...]
    points: tuple[int, ...]


@frozen
class PassCards(Question[Cards]):
    """Asks which three cards to pass to that seat."""

    options: SomeOf[Card]
    to: Seat


@frozen
class PlayCard(Question[Card]):
    """Which card do you play? The options are those that may be played."""

    options: OneOf[Card]


MESSAGES = (DealStarted, Hand, Received, Played, Taken, Scored, PassCards, PlayCard)
