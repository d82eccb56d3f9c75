"""Where a game stands, without how it came about.

Bots keep a `Scoreboard`, which lists all prizes and bids in their order. Most look at nothing but
where the game stands, so that a great many histories come to the same for them.
"""

from __future__ import annotations

from typing import Any

from attrs import define

from arena import Bot
from arena_gops import Bids, Gops, Prize, Scoreboard
from arena_gops.rules import Hand, Scores, award, without


@define
class Snapshot:
    """As much of a `Scoreboard` as does not tell of the order of things.

    Who asks for more of it than there is gets an AttributeError.
    """

    variant: Gops
    seats: int
    hands: tuple[Hand, ...]
    scores: Scores
    face_down: tuple[int, ...]
    prize: int = 0
    carried: int = 0
    round: int = 0

    @property
    def stake(self) -> int:
        """Give the points that the prize that is up is worth, with what was carried."""
        return self.prize + self.carried

    def hear(self, event: Any) -> None:
        """Take note of a prize or of bids."""
        if isinstance(event, Prize):
            self.prize, self.round = event.card, self.round + 1
            self.face_down = without(self.face_down, event.card)
        elif isinstance(event, Bids):
            won = award(self.variant.ties, self.stake, self.scores, event.cards)
            self.scores, self.carried = won
            self.hands = tuple(map(without, self.hands, event.cards))


def forget_order(bot: Bot) -> None:
    """Have a bot that keeps a Scoreboard in `board` go on with where the game stands."""
    board = vars(bot).get("board")
    if type(board) is Scoreboard:
        vars(bot)["board"] = Snapshot(
            board.variant, board.seats, board.hands, board.scores, board.face_down
        )
