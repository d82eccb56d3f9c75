"""Where a game stands, without how it came about.

Bots keep a `Scoreboard`, which lists all prizes and bids in their order. Most look at nothing but
where the game stands, so that a great many histories come to the same for them.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from io import BytesIO
from typing import Any

from attrs import define

from arena import Bot, OneOf
from arena_gops import Bids, Gops, Prize, Scoreboard


@define
class Snapshot:
    """As much of a `Scoreboard` as does not tell of the order of things.

    Who asks for more of it than there is gets an AttributeError.
    """

    variant: Gops
    seats: int
    hands: tuple[OneOf[int], ...]
    scores: tuple[Any, ...]
    carried: int
    round: int
    face_down: tuple[int, ...]
    prize: int

    @property
    def stake(self) -> int:
        """Give the points that the prize that is up is worth, with what was carried."""
        return self.prize + self.carried

    def hear(self, event: Any) -> None:
        """Take note of a prize or of bids."""
        if isinstance(event, Prize):
            self.prize, self.round = event.card, self.round + 1
            self.face_down = tuple(card for card in self.face_down if card != event.card)
        elif isinstance(event, Bids):
            self._settle(event)

    def _settle(self, bids: Bids) -> None:
        """Have a Scoreboard that begins here say what comes of them."""
        board = Scoreboard(self.variant, self.seats)
        board.prizes, board.hands = [self.prize], self.hands
        board.scores, board.carried = self.scores, self.carried
        board.hear(bids)
        self.hands, self.scores, self.carried = board.hands, board.scores, board.carried


class Forgetting(pickle.Pickler):
    """Takes down a Snapshot of every Scoreboard that it comes upon."""

    def reducer_override(self, thing: Any) -> tuple[Callable[..., Snapshot], tuple[Any, ...]] | Any:
        """Say how each thing is made again (see the manual of `pickle`)."""
        if type(thing) is not Scoreboard:
            return NotImplemented
        up = thing.prize if thing.prizes else 0
        known = (thing.scores, thing.carried, thing.round, thing.face_down, up)
        return Snapshot, (thing.variant, thing.seats, thing.hands, *known)


def forget_order(bot: Bot) -> None:
    """Have a bot that keeps a Scoreboard, wherever it does, go on with where the game stands."""
    memory = vars(bot)
    kept = {name: thing for name, thing in memory.items() if name != "random"}
    down = BytesIO()
    Forgetting(down).dump(kept)
    memory.update(pickle.loads(down.getvalue()))  # noqa: S301  # it was pickled here
