"""`arena demo`: a match of each game, on bundled bots, shown as people like to watch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.cli.common import the_variant
from arena.cli.lazy import Examples

if TYPE_CHECKING:
    from arena.plugins import Game

SEED = "demo"


@click.command(
    cls=Examples, short_help="Watch a match of each game.", examples=("demo", "demo --seed 7")
)
@click.option("--seed", default=SEED, show_default=True, help="Other seeds, other matches.")
def demo(seed: str) -> None:
    """Watch a match of each game that brings a demonstration, on its own bots."""
    from arena.plugins import plugins

    for game in plugins().games.values():
        if game.demo:
            click.secho(f"\n{game.summary}\n", bold=True)
            _show(game, seed)
    click.secho("\nNow yourself: arena games, arena play --help, arena match --help", bold=True)


def _show(game: Game, seed: str) -> None:
    from arena.host import HostConfig, Series, entrants, host
    from arena.records import Watcher

    series = Series(game, the_variant(game, ()), entrants(game, game.demo), seed)
    for spec, seated in series.matches(1):
        watcher = Watcher(spec, lambda line: click.echo(f"  {line}"))
        host(spec, seated, HostConfig(), [watcher])
