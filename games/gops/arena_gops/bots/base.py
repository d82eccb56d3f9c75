"""What the opponents have in common: the prize in mind, or all that can be known."""

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
    """A bot that is asked for nothing but bids."""

    variant: Gops

    def choose(self, question: Question[Any]) -> int:
        """Bid from the hand, which is what may be answered."""
        hand: Any = question.options
        return self.bid(hand)

    def bid(self, hand: Hand) -> int:
        """Return a card of this hand."""
        raise NotImplementedError


class PrizeBidder(Bidder):
    """A bot that goes by the prize that is up, and by nothing that was."""

    prize: int

    def hear(self, event: Any) -> None:
        """See the prize."""
        if isinstance(event, Prize):
            self.prize = event.card


class ScoreKeeper(Bidder):
    """A bot that keeps the score."""

    board: Scoreboard

    def greet(self, greeting: Greeting) -> None:
        """Begin a new score."""
        super().greet(greeting)
        self.board = Scoreboard(self.variant, self.seats)

    def hear(self, event: Any) -> None:
        """Keep the score."""
        self.board.hear(event)

    @property
    def opponent(self) -> Seat:
        """Return the other seat; of several the one with the highest score, the first of equals."""
        others = [seat for seat in range(self.seats) if seat != self.seat]
        return max(others, key=lambda seat: self.board.scores[seat])
