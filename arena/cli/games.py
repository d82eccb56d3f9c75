"""`arena games`, `arena bots`: list the installed games and their bots."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from arena.cli.support.commands import ExampleCommand
from arena.cli.support.shared_options import find_game, json_option

if TYPE_CHECKING:
    from arena.players import Bot
    from arena.plugins import Game

MIN_WIDTH = 76
"""The width in characters at which the table of games wraps only its summaries."""


@click.command(cls=ExampleCommand, short_help="List the games.", examples=("games", "games --json"))
@json_option
def games(as_json: bool) -> None:
    """List the games, with their numbers of players, protocols and options."""
    from arena.plugins import get_plugins

    described = [_describe_game(game) for game in get_plugins().require_games().values()]
    if as_json:
        for game in described:
            click.echo(json.dumps(game))
    else:
        rows = [{key: value for key, value in game.items() if key != "bots"} for game in described]
        _print_table("games", rows, caption="The bots of a game: arena bots GAME")


@click.command(
    cls=ExampleCommand, short_help="List a game's bundled bots.", examples=("bots {game}",)
)
@click.argument("game")
@json_option
def bots(game: str, as_json: bool) -> None:
    """List the bundled bots of GAME, with their parameters."""
    described = [_describe_bot(name, kind) for name, kind in find_game(game).bots.items()]
    if as_json:
        for bot in described:
            click.echo(json.dumps(bot))
    else:
        _print_table(f"bots of {game}", described)


def _describe_game(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "summary": game.summary,
        "seats": [game.seats[0], game.seats[-1]],
        "protocols": game.protocols,
        "options": _list_parameters(game.variant),
        "bots": list(game.bots),
    }


def _describe_bot(name: str, kind: type[Bot]) -> dict[str, Any]:
    summary = (kind.__doc__ or "").strip().partition("\n")[0]
    return {"name": name, "summary": summary, "parameters": _list_parameters(kind)}


def _list_parameters(kind: type) -> dict[str, Any]:
    """Return each parameter with its default, or None if it is required."""
    from attrs import NOTHING, fields, has

    if not has(kind):
        return {}
    chosen = [attribute for attribute in fields(kind) if attribute.init]
    return {
        attribute.name: None if attribute.default is NOTHING else attribute.default
        for attribute in chosen
    }


def _print_table(title: str, rows: list[dict[str, Any]], *, caption: str | None = None) -> None:
    """Print the rows for people: lists joined by commas, options as text to type."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    fits = console.width >= MIN_WIDTH  # else all columns are wrapped
    table = Table(title=title, caption=caption, caption_justify="left")
    for heading in rows[0] if rows else ():
        table.add_column(heading, overflow="fold", no_wrap=fits and heading != "summary")
    for row in rows:
        table.add_row(*[_format_cell(heading, value) for heading, value in row.items()])
    console.print(table)


def _format_cell(heading: str, value: Any) -> str:
    if heading == "seats":
        least, most = value
        return f"{least}" if least == most else f"{least} to {most}"
    if isinstance(value, dict):
        return "\n".join(f"{name}={default}" for name, default in value.items())
    return ", ".join(value) if isinstance(value, list | tuple) else str(value)
