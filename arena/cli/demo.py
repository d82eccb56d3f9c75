"""`arena demo`: a match of each game, on bundled bots, shown as people like to watch."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.common import the_variant
from arena.cli.lazy import Examples

if TYPE_CHECKING:
    from arena.plugins import Game

SEED = "demo"
FOLDER = Path("demo")


@click.command(
    cls=Examples, short_help="Watch a match of each game.", examples=("demo", "demo --seed 7")
)
@click.option("--seed", default=SEED, show_default=True, help="Other seeds, other matches.")
@click.option("--transcripts", type=click.Path(path_type=Path), default=FOLDER, show_default=True,
              metavar="FOLDER", help="Where the matches are recorded.")  # fmt: skip
def demo(seed: str, transcripts: Path) -> None:
    """Watch a match of each game that brings a demonstration, on its own bots.

    The matches are recorded, over those of an earlier demonstration; the last line shows them in a
    browser.
    """
    from arena.plugins import load_command, plugins

    for game in plugins().games.values():
        if game.demo:
            click.secho(f"\n{game.summary}\n", bold=True)
            _show(game, seed, transcripts)
    click.secho("\nNow yourself: arena games, arena play --help, arena match --help", bold=True)
    if load_command("web"):
        click.secho("The same matches, card by card, in your browser (Ctrl-C ends it):", bold=True)
        click.echo(f"{ourselves()} web {shlex.quote(str(transcripts))} --open")


def ourselves() -> str:
    """Return how this command is called from here: by its name, where that is found."""
    called = sys.argv[0]
    found = shutil.which("arena")
    by_name = found is not None and os.path.realpath(found) == os.path.realpath(called)
    return "arena" if by_name else shlex.quote(called)


def _show(game: Game, seed: str, transcripts: Path) -> None:
    from arena.cli.recording import Transcripts
    from arena.host import HostConfig, Series, entrants, host
    from arena.records import SUFFIX, Watcher

    recording = Transcripts(transcripts / f"{game.name}{SUFFIX}", several=False)
    series = Series(game, the_variant(game, ()), entrants(game, game.demo), seed)
    for spec, seated in series.matches(1):
        watcher = Watcher(spec, lambda line: click.echo(f"  {line}"))
        host(spec, seated, HostConfig(), [watcher, recording.arena_observer(spec)])
