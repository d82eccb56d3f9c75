"""`arena demo`: show example matches between bundled bots."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.support.commands import ExampleCommand
from arena.cli.support.shared_options import parse_variant

if TYPE_CHECKING:
    from arena.plugins import Game

DEFAULT_SEED = "demo"
DEFAULT_FOLDER = Path("demo")


@click.command(
    cls=ExampleCommand, short_help="Watch example matches.", examples=("demo", "demo --seed 7")
)
@click.option("--seed", default=DEFAULT_SEED, show_default=True, help="Seed of the matches.")
@click.option("--transcripts", type=click.Path(path_type=Path), default=DEFAULT_FOLDER,
              show_default=True, metavar="FOLDER",
              help="Save the transcripts in FOLDER.")  # fmt: skip
def demo(seed: str, transcripts: Path) -> None:
    """Watch example matches, played by bundled bots.

    The matches are saved as transcripts, which replace those of an earlier demo. The last line
    of the output is the command that shows them in a browser.
    """
    from arena.plugins import get_plugins, load_command

    for game in get_plugins().require_games().values():
        if game.presentation.demo:
            click.secho(f"\n{game.summary}\n", bold=True)
            _play_demo(game, seed, transcripts)
    click.secho("\nTry next: arena games, arena play --help, arena match --help", bold=True)
    if load_command("web"):
        click.secho("The same matches, card by card, in your browser (Ctrl-C ends it):", bold=True)
        click.echo(f"{find_own_command()} web {shlex.quote(str(transcripts))} --open")


def find_own_command() -> str:
    """Return the typed form of this command: `arena` if on the path, else its own path."""
    called = sys.argv[0]
    found = shutil.which("arena")
    by_name = found is not None and os.path.realpath(found) == os.path.realpath(called)
    return "arena" if by_name else shlex.quote(called)


def _play_demo(game: Game, seed: str, transcripts: Path) -> None:
    from arena.cli.support.transcript_files import TranscriptRecorder
    from arena.host import HostConfig, Series, host, parse_entrants
    from arena.records import SUFFIX, MatchPrinter

    recording = TranscriptRecorder(transcripts / f"{game.name}{SUFFIX}", several=False)
    entrants = parse_entrants(game, game.presentation.demo)
    series = Series(game, parse_variant(game, ()), entrants, seed)
    for spec, seated in series.iter_matches(1):
        watcher = MatchPrinter(spec, lambda line: click.echo(f"  {line}".rstrip()))
        host(spec, seated, HostConfig(), [watcher, recording.build_observer(spec, 0)])
