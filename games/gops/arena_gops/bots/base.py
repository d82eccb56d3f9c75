"""Base classes of the opponents, which remember the prize or the whole scoreboard."""

from __future__ import annotations

from typing import Any

from arena import Bot, Greeting, Question, Seat
from arena_gops.rules import Gops, Hand, Prize
from arena_gops.scoreboard import Scoreboard


def find_nearest(hand: tuple[int, ...], target: int) -> int:
    """Return the card nearest to this one, the lower of two as near.

    >>> find_nearest((1, 4, 8), 6)
    4
    """
    return min(hand, key=lambda card: (abs(card - target), card))


class Bidder(Bot):
    """A bot for a game whose only question is a bid."""

    variant: Gops

    def choose(self, question: Question[Any]) -> int:
        """Return a bid from the hand."""
        hand: Any = question.options
        return self.bid(hand)

    def bid(self, hand: Hand) -> int:
        """Return a card of this hand."""
        raise NotImplementedError


class PrizeBidder(Bidder):
    """A bot that knows the current prize, and nothing of earlier rounds."""

    prize: int

    def hear(self, event: Any) -> None:
        """Record the prize."""
        if isinstance(event, Prize):
            self.prize = event.card


class ScoreKeeper(Bidder):
    """A bot that keeps the score."""

    board: Scoreboard

    def greet(self, greeting: Greeting) -> None:
        """Start a new scoreboard."""
        super().greet(greeting)
        self.board = Scoreboard(self.variant, self.seats)

    def hear(self, event: Any) -> None:
        """Record an event on the scoreboard."""
        self.board.hear(event)

    @property
    def opponent(self) -> Seat:
        """The other seat; of several, the first with the highest score."""
        others = [seat for seat in range(self.seats) if seat != self.seat]
        return max(others, key=lambda seat: self.board.scores[seat])
