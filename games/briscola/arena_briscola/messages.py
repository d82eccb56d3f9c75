"""The events and questions of Briscola."""

from __future__ import annotations

from attrs import frozen

from arena import OneOf, Question, Seat
from arena.cards import Card, Cards


@frozen
class Trick:
    """A trick begins: who leads, the card turned up, how many cards the stock has, the scores.

    The card turned up is one of the stock, the last to be drawn. The first trick of a deal
    is the one that finds the most cards there.
    """

    leader: Seat
    trump: Card
    stock: int
    scores: tuple[int, ...]  # of each seat, in all deals so far


@frozen
class Hand:
    """These are your cards."""

    cards: Cards


@frozen
class Played:
    """A seat has played this card."""

    seat: Seat
    card: Card


@frozen
class Taken:
    """A seat has taken the trick, which counts so much."""

    seat: Seat
    points: int


@frozen
class PlayCard(Question[Card]):
    """Which of your cards do you play? Any will do."""

    options: OneOf[Card]


MESSAGES = (Trick, Hand, Played, Taken, PlayCard)
