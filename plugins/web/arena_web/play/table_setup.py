"""The setup of a table: the game, its options and its players."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from arena import Game, UserError, Variant
from arena.extend import find_game, parse_variant
from arena.host import Entrant, Limits, check_seat_count, parse_entrants

PERSON = "player"
"""The default name of a person, and the bot name in transcripts."""
START_SECONDS = 10.0  # seconds more for the first answer where programs have to start


@frozen
class TableSetup:
    """The setup of a table; enough to play the same match again."""

    game: Game
    variant: Variant
    persons: tuple[str, ...]  #: what they are called
    others: tuple[Entrant, ...]
    clock: float | None = None  #: seconds a person has for each answer; None: all the time
    seed: str | None = None  #: of the deal, for trying things out; else it is drawn

    @property
    def limits(self) -> Limits:
        """The limits of the match, which also hold for programs."""
        start = START_SECONDS if any(entrant.factory.is_program for entrant in self.others) else 0.0
        return Limits(move=self.clock, start=start) if self.clock else Limits(start=start)


def count_usual_players(game: Game) -> int:
    """Return the usual number of players of a game."""
    number = len(game.demo)
    return number if number in game.seats else game.seats[0]


def parse_setup(
    game: str | None, against: Sequence[str], options: Sequence[str], seed: str | None
) -> TableSetup | None:
    """Return the table that a command line asks for; None if it names no opponent.

    Raises:
        UserError: where that cannot be played.
    """
    if game is None:
        return None
    rules = find_game(game)
    variant = parse_variant(rules, tuple(options))
    named = [bot.strip() for bot in ",".join(against).split(",") if bot.strip()]
    if not named and (options or seed is not None):
        raise UserError("options and a seed need an opponent: add --against BOT")
    if not named:
        return None
    others = parse_entrants(rules, named)
    check_seat_count(rules, len(others) + 1)
    for entrant in others:
        entrant.check_support(variant, len(others) + 1)
    return TableSetup(rules, variant, (PERSON,), others, seed=seed)
