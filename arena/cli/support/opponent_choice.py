"""The choice of a person's opponents: on the command line, or at a prompt."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from arena.cli.support.shared_options import check_player_count, check_support
from arena.host import Entrant, parse_entrants
from arena.players import Keyboard, Screen
from arena.plugins import Game
from arena.rules import UserError, Variant

TWO_PLAYERS = 2  # seats


def parse_opponents(game: Game, variant: Variant, texts: Iterable[str]) -> tuple[Entrant, ...]:
    """Return the named bots, which may be separated by commas; raise a usage error for others.

    A single bot takes all other seats of the smallest table.
    """
    bots = [bot.strip() for bot in ",".join(texts).split(",") if bot.strip()]
    others = parse_entrants(game, bots * max(1, game.seats[0] - 1) if len(bots) == 1 else bots)
    check_player_count(game, len(others) + 1)
    check_support(others, variant, len(others) + 1)
    return others


def require_terminal(game: Game) -> None:
    """Raise a usage error if there is no terminal for a prompt."""
    if not sys.stdin.isatty():
        known = ", ".join(game.opponent_names) or "a program"
        raise click.UsageError(f"name an opponent with --against BOT (available: {known})")


def ask_for_opponents(
    game: Game, variant: Variant, keyboard: Keyboard, screen: Screen
) -> tuple[Entrant, ...]:
    """Prompt for opponents until they can play; raise a usage error at the end of input."""
    screen.show(_list_bots(game))
    while True:
        screen.show([f"Who do you want to play against?{_describe_input(game)}"])
        keyboard.prompt(screen.file)
        if (line := keyboard.wait()) is None:
            raise click.UsageError("no opponent was named")
        try:
            return parse_opponents(game, variant, _parse_choice(game, line))
        except (UserError, click.UsageError) as problem:
            screen.show([f"  Invalid: {problem}"])


def _list_bots(game: Game) -> list[str]:
    """Return a line for each bot to choose from."""
    width = max(map(len, game.opponent_names), default=0)
    return [f"  {name:<{width}}  {_get_summary(game, name)}" for name in game.opponent_names]


def _get_summary(game: Game, name: str) -> str:
    return (game.bots[name].__doc__ or "").strip().partition("\n")[0]


def _describe_input(game: Game) -> str:
    """Return a hint on the default opponent, and on naming several."""
    enter = f" (Enter: {game.opponent_names[0]})" if game.opponent_names else ""
    several = " Separate several with commas." if game.seats[-1] > TWO_PLAYERS else ""
    return f"{enter}{several}"


def _parse_choice(game: Game, line: str) -> list[str]:
    """Return the bots named in a line, or the default for an empty line."""
    return line.split(",") if line else [*game.opponent_names[:1]]
