"""The state of a game, without its history.

Bots keep a `Scoreboard`, which lists all prizes and bids in order. Most bots use only the current
state, so that many histories are equivalent for them.
"""

from __future__ import annotations

from typing import Any, NoReturn

from attrs import define

from arena import OneOf
from arena_gops import Bids, Gops, Prize, Scoreboard
from arena_gops_solver.bot_state import BotPickler
from arena_gops_solver.bot_strategy_extraction import ExtractionError


class SnapshotError(ExtractionError):
    """A bot that reads more of the board than a BoardSnapshot has."""


@define
class BoardSnapshot:
    """The part of a `Scoreboard` that does not depend on the order of events.

    Access to anything else raises SnapshotError, and not AttributeError, which `hasattr` and
    similar functions would hide.
    """

    variant: Gops
    seats: int
    hands: tuple[OneOf[int], ...]
    scores: tuple[Any, ...]
    carried: int
    round: int
    face_down: tuple[int, ...]
    prize: int

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # special methods, which copying looks up
            raise AttributeError(name)
        raise SnapshotError(f"it reads the board's {name}")

    @property
    def stake(self) -> int:
        """Return the value of the current prize in points, with carried points."""
        return self.prize + self.carried

    def hear(self, event: Any) -> None:
        """Record a prize or bids."""
        if isinstance(event, Prize):
            self.prize, self.round = event.card, self.round + 1
            self.face_down = tuple(card for card in self.face_down if card != event.card)
        elif isinstance(event, Bids):
            self._settle(event)

    def _settle(self, bids: Bids) -> None:
        """Score bids with a Scoreboard that starts from here."""
        board = Scoreboard(self.variant, self.seats)
        board.prizes, board.hands = [self.prize], self.hands
        board.scores, board.carried = self.scores, self.carried
        board.hear(bids)
        self.hands, self.scores, self.carried = board.hands, board.scores, board.carried


class SnapshotWriter(BotPickler):
    """Pickles a bot with a BoardSnapshot in place of every Scoreboard that it holds."""

    def reducer_override(self, thing: Any) -> Any:
        """Return the recipe that rebuilds a scoreboard as a snapshot."""
        if type(thing) is not Scoreboard:
            return super().reducer_override(thing)
        up = thing.prize if thing.prizes else 0
        known = (thing.scores, thing.carried, thing.round, thing.face_down, up)
        return BoardSnapshot, (thing.variant, thing.seats, thing.hands, *known)
