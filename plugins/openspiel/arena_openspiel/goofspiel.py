"""GOPS, which OpenSpiel has as `goofspiel`: its cards are numbered from 0.

All bids are public here and there (`imp_info=False`), so the state is exact. OpenSpiel does
not ask for the last bid, where nobody has a choice; neither does the bridge ask the bot.
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
MOST_CARDS, MOST_SEATS = 13, 10


@define(eq=False, slots=False)
class Goofspiel(Bridge):
    """The prizes that were turned up, and the bids, in seat order."""

    returned: str = "total_points"
    prizes: list[int] = field(factory=list)
    bids: list[tuple[int, ...]] = field(factory=list)

    explained: ClassVar[Mapping[str, str]] = {
        "no choice": "OpenSpiel lays the last card of each hand itself, and ours asks for it: "
        "Ross (1971) has as many bids as prizes; the result is the same.",
    }

    @classmethod
    def drawn(cls, random: Random) -> SampledVariant:
        """Return 1 to 13 cards and 2 to 10 seats, prizes and returns of any kind."""
        cards, seats = random.randint(1, MOST_CARDS), random.randint(2, MOST_SEATS)
        options = {"cards": cards, "prizes": random.choice([*ORDERS])}
        return SampledVariant(options, seats, {"returned": random.choice(RETURNS)})

    @property
    def player(self) -> int:
        """Return the seat, or 0 where players bid in turn.

        Who bids second there would find a bid of this round in the state, and must not. The
        game is the same from every seat, so each is put first.
        """
        return 0 if self.turn_based else super().player

    @property
    def amiss(self) -> str:
        """Return the option that OpenSpiel lacks: other ties than `discard`, or other prizes."""
        if self.variant.ties != "discard":
            return f"OpenSpiel discards ties, and this is ties={self.variant.ties}"
        if self.variant.values != tuple(range(1, self.variant.cards + 1)):
            return "OpenSpiel has each prize from 1 to the number of cards once"
        return ""

    def _load(self) -> Any:
        order = ORDERS.get(self.variant.prizes, "random")  # a list is an order of chance's
        load = pyspiel.load_game_as_turn_based if self.turn_based else pyspiel.load_game
        return load("goofspiel", {
            "imp_info": False, "num_cards": self.variant.cards, "players": self.seats,
            "points_order": order, "returns_type": self._returned,
        })  # fmt: skip

    @property
    def _returned(self) -> str:
        return "win_loss" if self.opposing else self.returned

    def hear(self, seat: Seat, event: Any) -> None:
        """Take note of a prize, or of the bids, one's own first if it is put first."""
        match type(event).__name__:
            case "Prize":
                self.prizes.append(event.card)
            case "Bids":
                first = seat if self.turn_based else 0
                self.bids.append(event.cards[first:] + event.cards[:first])

    def chance(self, state: State) -> int:
        """Return the prize that is up: one for each round, as rounds went before."""
        return self.prizes[self._rounds(state)] - 1

    def _rounds(self, state: State) -> int:
        """Count the rounds played: a node of chance, and each player's bid."""
        return len(state.history()) // (1 + self.seats)

    def moves(self) -> Iterable[Sequence[int]]:
        """Return each round's bids but the last possible one, which OpenSpiel lays itself."""
        rounds = self.bids[: max(1, self.variant.cards - 1)]
        return [tuple(map(self.action, bids)) for bids in rounds]

    def action(self, value: int) -> int:
        """Return the number of a card."""
        return value - 1

    def value(self, action: int) -> int:
        """Return the card of this number."""
        return action + 1

    def points(self, state: State) -> tuple[float, ...]:
        """Return the points that stand in the state's text."""
        found = re.search(r"^Points: (.*)$", str(state), re.MULTILINE)
        return tuple(map(float, found[1].split())) if found else ()

    def returns(self, scores: Sequence[Score]) -> tuple[float, ...]:
        """Return OpenSpiel's returns for these points."""
        if self._returned == "win_loss":
            return won(scores)
        mean = sum(scores) / len(scores) if self._returned == "point_difference" else 0
        return tuple(float(score - mean) for score in scores)


def won(scores: Sequence[Score]) -> tuple[float, ...]:
    """Return each winner its part of 1, each loser its part of -1, and 0 if all are equal.

    >>> won((5, 5, 2)), won((3, 3))
    ((0.5, 0.5, -1.0), (0.0, 0.0))
    """
    winners = [score == max(scores) for score in scores]
    if all(winners):
        return (0.0,) * len(scores)
    win, loss = 1 / sum(winners), -1 / (len(winners) - sum(winners))
    return tuple(win if winner else loss for winner in winners)
