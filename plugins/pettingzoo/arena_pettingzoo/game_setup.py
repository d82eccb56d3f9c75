"""The setup of an environment: a game, a variant, and the number of seats."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Self

from attrs import frozen

from arena import Game, load_game
from arena_pettingzoo.actions import Actions


@frozen
class GameSetup:
    """A game with actions, its variant, and the number of seats."""

    game: Game
    variant: Any
    seats: int

    @classmethod
    def of(cls, game: str | Game, seats: int | None, options: Mapping[str, Any]) -> Self:
        """Check the arguments of a user; raise UnknownNameError or ValueError."""
        game = resolve_game(game)
        seats = game.seats[0] if seats is None else seats
        if seats not in game.seats:
            least, most = game.seats[0], game.seats[-1]
            allowed = f"{least}" if least == most else f"{least} to {most}"
            raise ValueError(f"{game.name} is for {allowed} seats, not {seats}")
        setup = cls(game, game.read_variant(options), seats)
        Actions.of(game, setup.variant, seats)  # raises ValueError now if there are none
        return setup


def resolve_game(game: str | Game) -> Game:
    """Return a game, loaded by its name if needed; raise UnknownNameError."""
    return _load_game(game) if isinstance(game, str) else game


@cache
def _load_game(name: str) -> Game:
    """Load a game once, since a policy may play in thousands of matches."""
    return load_game(name)
