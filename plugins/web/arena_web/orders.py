"""What is to be played at a table with persons, and by whom."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from arena.cli.common import the_game, the_variant
from arena.host import Entrant, Limits, entrants, see_seats
from arena.plugins import Game
from arena.rules import UserError, Variant

PERSON = "player"
"""What a person is called who gives no name, and what a transcript says sat there."""
START = 10.0  # seconds more for the first answer where programs have to start


@frozen
class Order:
    """What is to be played, by whom; enough to play it again."""

    game: Game
    variant: Variant
    persons: tuple[str, ...]  #: what they are called
    others: tuple[Entrant, ...]
    clock: float | None = None  #: seconds a person has for each answer; None: all the time
    seed: str | None = None  #: of the deal, for trying things out; else it is drawn

    @property
    def limits(self) -> Limits:
        """Return the limits of the match, which hold for programs, too."""
        start = START if any(one.factory.runs for one in self.others) else 0.0
        return Limits(move=self.clock, start=start) if self.clock else Limits(start=start)


def usual(game: Game) -> int:
    """Return how many usually play it."""
    number = len(game.demo)
    return number if number in game.seats else game.seats[0]


def asked_for(
    game: str | None, against: Sequence[str], options: Sequence[str], seed: str | None
) -> Order | None:
    """Return what a command line asks for; None where nobody is named to play against.

    Raises:
        UserError: where that cannot be played.
    """
    if game is None:
        return None
    rules = the_game(game)
    variant = the_variant(rules, tuple(options))
    named = [bot.strip() for bot in ",".join(against).split(",") if bot.strip()]
    if not named and (options or seed is not None):
        raise UserError("options and a seed want to know whom to play against: --against BOT")
    if not named:
        return None
    others = entrants(rules, named)
    see_seats(rules, len(others) + 1)
    for one in others:
        one.check_supported(variant, len(others) + 1)
    return Order(rules, variant, (PERSON,), others, seed=seed)
