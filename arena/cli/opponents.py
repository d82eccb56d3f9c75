"""Whom a person plays against: named on the command line, or asked for at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from arena.cli.common import all_fit, fits
from arena.host import Entrant, entrants
from arena.players import Keyboard, Screen
from arena.plugins import Game
from arena.rules import UserError, Variant

PAIR = 2  # seats


def named(game: Game, variant: Variant, texts: Iterable[str]) -> tuple[Entrant, ...]:
    """Return those who are named, several in a text with commas between them; or refuse."""
    others = entrants(game, [bot.strip() for bot in ",".join(texts).split(",") if bot.strip()])
    fits(game, len(others) + 1)
    all_fit(others, variant, len(others) + 1)
    return others


def can_be_asked(game: Game) -> None:
    """Refuse where there is no terminal at which to ask."""
    if not sys.stdin.isatty():
        known = ", ".join(game.offered) or "a program"
        raise click.UsageError(f"say whom to play against: --against BOT (there is: {known})")


def asked_for(
    game: Game, variant: Variant, keyboard: Keyboard, screen: Screen
) -> tuple[Entrant, ...]:
    """Ask the person at the terminal until somebody is named who can play; or refuse."""
    screen.show(_offer(game))
    while True:
        screen.show([f"Against whom?{_usually(game)}"])
        keyboard.prompt(screen.file)
        if (line := keyboard.wait()) is None:
            raise click.UsageError("nobody was named to play against")
        try:
            return named(game, variant, _filled(game, line))
        except (UserError, click.UsageError) as problem:
            screen.show([f"  That cannot be: {problem}"])


def _offer(game: Game) -> list[str]:
    """List the bots that people are offered."""
    width = max(map(len, game.offered), default=0)
    return [f"  {name:<{width}}  {_summary(game, name)}" for name in game.offered]


def _summary(game: Game, name: str) -> str:
    return (game.bots[name].__doc__ or "").strip().partition("\n")[0]


def _usually(game: Game) -> str:
    """Say what Enter means, and how several are named."""
    enter = f" (Enter: {game.offered[0]})" if game.offered else ""
    several = " Several go with commas between them." if game.seats[-1] > PAIR else ""
    return f"{enter}{several}"


def _filled(game: Game, line: str) -> list[str]:
    """Return whom a line names; one alone takes as many seats as have to be taken."""
    bots = line.split(",") if line else [*game.offered[:1]]
    return bots * (game.seats[0] - 1) if len(bots) == 1 else bots
