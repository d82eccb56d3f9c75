"""`arena demo`: a match of each game, on bundled bots, shown as people like to watch."""

from __future__ import annotations

import click

from arena.cli.common import Examples, the_variant
from arena.entrants import entrants
from arena.game import Game
from arena.hosting import House, host
from arena.plugins import plugins
from arena.series import Series
from arena.watch import Watcher

SEED = "demo"


@click.command(
    cls=Examples, short_help="Watch a match of each game.", examples=("demo", "demo --seed 7")
)
@click.option("--seed", default=SEED, show_default=True, help="Other seeds, other matches.")
def demo(seed: str) -> None:
    """Watch a match of each game that brings a demonstration, on its own bots."""
    for game in plugins().games.values():
        if game.demo:
            click.secho(f"\n{game.summary}\n", bold=True)
            _show(game, seed)
    click.secho("\nNow yourself: arena games, arena play --help, arena match --help", bold=True)


def _show(game: Game, seed: str) -> None:
    series = Series(game, the_variant(game, ()), entrants(game, game.demo), seed)
    for setting, seated in series.matches(1):
        watcher = Watcher.of(setting, lambda line: click.echo(f"  {line}"))
        host(setting, seated, House(), [watcher])
