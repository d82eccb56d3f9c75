"""`arena games`, `arena bots`: what can be played, and against whom."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import json_option, the_game
from arena.cli.lazy import Examples

if TYPE_CHECKING:
    from arena.players import Bot
    from arena.plugins import Game


@click.command(cls=Examples, short_help="List the games.", examples=("games", "games --json"))
@json_option
def games(as_json: bool) -> None:
    """List the games, with their seats, wires and options."""
    from arena.plugins import plugins

    described = [_game(game) for game in plugins().games.values()]
    if as_json:
        for game in described:
            click.echo(json.dumps(game))
    else:
        _table("games", described)


@click.command(cls=Examples, short_help="List a game's bundled bots.", examples=("bots {game}",))
@click.argument("game")
@json_option
def bots(game: str, as_json: bool) -> None:
    """List the bots that GAME brings, with their parameters."""
    described = [_bot(name, kind) for name, kind in the_game(game).bots.items()]
    if as_json:
        for bot in described:
            click.echo(json.dumps(bot))
    else:
        _table(f"bots of {game}", described)


def _game(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "summary": game.summary,
        "seats": [game.seats[0], game.seats[-1]],
        "protocols": game.protocols,
        "options": _parameters(game.variant),
        "bots": list(game.bots),
    }


def _bot(name: str, kind: type[Bot]) -> dict[str, Any]:
    summary = (kind.__doc__ or "").strip().partition("\n")[0]
    return {"name": name, "summary": summary, "parameters": _parameters(kind)}


def _parameters(kind: type) -> dict[str, Any]:
    """Return each parameter with its default, None where it has to be given."""
    from attrs import NOTHING, fields, has

    if not has(kind):
        return {}
    chosen = [one for one in fields(kind) if one.init]
    return {one.name: None if one.default is NOTHING else one.default for one in chosen}


def _table(title: str, rows: list[dict[str, Any]]) -> None:
    """Print the rows as people like them: lists as words, options as they are typed."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title)
    for heading in rows[0] if rows else ():
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*[_cell(heading, value) for heading, value in row.items()])
    Console(highlight=False).print(table)


def _cell(heading: str, value: Any) -> str:
    if heading == "seats":
        least, most = value
        return f"{least}" if least == most else f"{least} to {most}"
    if isinstance(value, dict):
        return "\n".join(f"{name}={default}" for name, default in value.items())
    return ", ".join(value) if isinstance(value, list | tuple) else str(value)
