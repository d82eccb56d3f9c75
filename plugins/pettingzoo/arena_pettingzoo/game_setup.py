"""What is played: a game, a variant, and how many seats."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Self

from attrs import frozen

from arena import Game, load_game
from arena_pettingzoo.actions import Actions


@frozen
class Setup:
    """A game that machines can learn, with its parameters and the number of seats."""

    game: Game
    variant: Any
    seats: int

    @classmethod
    def of(cls, game: str | Game, seats: int | None, options: Mapping[str, Any]) -> Self:
        """Read what a user asks for; raise UnknownNameError, or ValueError in one line."""
        game = the_game(game)
        seats = game.seats[0] if seats is None else seats
        if seats not in game.seats:
            least, most = game.seats[0], game.seats[-1]
            allowed = f"{least}" if least == most else f"{least} to {most}"
            raise ValueError(f"{game.name} is for {allowed} seats, not {seats}")
        setup = cls(game, game.read_variant(options), seats)
        Actions.of(game, setup.variant, seats)  # it is said now if there are none
        return setup


def the_game(game: str | Game) -> Game:
    """Return the game, which may be named; raise UnknownNameError where there is none."""
    return _installed(game) if isinstance(game, str) else game


@cache
def _installed(name: str) -> Game:
    """Look once: a policy may sit in thousands of matches."""
    return load_game(name)
