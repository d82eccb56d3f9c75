"""GOPS, which OpenSpiel has as `goofspiel`: its cards are numbered from 0.

All bids are public in both games (`imp_info=False`), so the state is exact. OpenSpiel does not ask
for the last bid, since nobody has a choice, and the bridge does not ask the bot for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

import pyspiel
from attrs import define, field

from arena import Score, Seat
from arena_openspiel.bridge import Bridge, SampledVariant, State

ORDERS = {"shuffled": "random", "ascending": "ascending", "descending": "descending"}
RETURNS = ("total_points", "point_difference", "win_loss")
MAX_CARDS, MAX_SEATS = 13, 10


@define(eq=False, slots=False)
class GoofspielBridge(Bridge):
    """The bridge for GOPS: the prizes that were turned up, and the bids, in seat order."""

    returns_type: str = "total_points"
    prizes: list[int] = field(factory=list)
    bids: list[tuple[int, ...]] = field(factory=list)

    explained: ClassVar[Mapping[str, str]] = {
        "no choice": "OpenSpiel plays the last card of each hand itself; the arena asks for it, "
        "as in Ross (1971). The result is the same.",
    }

    @classmethod
    def sample_variant(cls, random: Random) -> SampledVariant:
        """Draw 1 to 13 cards, 2 to 10 seats, an order of prizes and a kind of returns."""
        cards, seats = random.randint(1, MAX_CARDS), random.randint(2, MAX_SEATS)
        options = {"cards": cards, "prizes": random.choice([*ORDERS])}
        return SampledVariant(options, seats, {"returns_type": random.choice(RETURNS)})

    @property
    def player(self) -> int:
        """The seat, or 0 where players bid in turn.

        In a turn-based game, the second player would see the first bid of the round in the state.
        The game is the same from every seat, so each bot is put first.
        """
        return 0 if self.turn_based else super().player

    @property
    def mismatch(self) -> str:
        """The option that OpenSpiel does not support (ties, prizes), or ""."""
        if self.variant.ties != "discard":
            return f"OpenSpiel supports only ties=discard, not ties={self.variant.ties}"
        if self.variant.values != tuple(range(1, self.variant.cards + 1)):
            return "OpenSpiel supports only the prizes from 1 to the number of cards, each once"
        return ""

    def _load(self) -> Any:
        order = ORDERS.get(self.variant.prizes, "random")  # a list is a random order
        load = pyspiel.load_game_as_turn_based if self.turn_based else pyspiel.load_game
        return load("goofspiel", {
            "imp_info": False, "num_cards": self.variant.cards, "players": self.seats,
            "points_order": order, "returns_type": self._returns_type,
        })  # fmt: skip

    @property
    def _returns_type(self) -> str:
        return "win_loss" if self.opposing else self.returns_type

    def hear(self, seat: Seat, event: Any) -> None:
        """Record a prize or the bids; in a turn-based game this seat's own bid comes first."""
        match type(event).__name__:
            case "Prize":
                self.prizes.append(event.card)
            case "Bids":
                first = seat if self.turn_based else 0
                self.bids.append(event.cards[first:] + event.cards[:first])

    def chance(self, state: State) -> int:
        """Return the prize of the current round."""
        return self.prizes[self._rounds(state)] - 1

    def _rounds(self, state: State) -> int:
        """Count the rounds played; each has a chance node and the players' bids."""
        return len(state.history()) // (1 + self.seats)

    def moves(self) -> Iterable[Sequence[int]]:
        """Return the bids of each round but the last one, which OpenSpiel plays itself."""
        rounds = self.bids[: max(1, self.variant.cards - 1)]
        return [tuple(map(self.action, bids)) for bids in rounds]

    def action(self, value: int) -> int:
        """Return the number of a card."""
        return value - 1

    def value(self, action: int) -> int:
        """Return the card of this number."""
        return action + 1

    def points(self, state: State) -> tuple[float, ...]:
        """Return the points, read from the text of the state."""
        found = re.search(r"^Points: (.*)$", str(state), re.MULTILINE)
        return tuple(map(float, found[1].split())) if found else ()

    def returns(self, scores: Sequence[Score]) -> tuple[float, ...]:
        """Return OpenSpiel's returns for these points."""
        if self._returns_type == "win_loss":
            return split_win_loss(scores)
        mean = sum(scores) / len(scores) if self._returns_type == "point_difference" else 0
        return tuple(float(score - mean) for score in scores)


def split_win_loss(scores: Sequence[Score]) -> tuple[float, ...]:
    """Share 1 among the winners and -1 among the losers; all get 0 if all scores are equal.

    >>> split_win_loss((5, 5, 2)), split_win_loss((3, 3))
    ((0.5, 0.5, -1.0), (0.0, 0.0))
    """
    winners = [score == max(scores) for score in scores]
    if all(winners):
        return (0.0,) * len(scores)
    win, loss = 1 / sum(winners), -1 / (len(winners) - sum(winners))
    return tuple(win if winner else loss for winner in winners)
