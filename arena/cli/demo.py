"""`arena demo`: play example matches between bundled bots, and say what to do next."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
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
    """Play example matches between bundled bots, and show how they ended.

    The matches are saved as transcripts, which replace those of an earlier demo. The last line
    of the output is the command that shows them in a browser, where you can play, too.
    """
    from arena.plugins import get_plugins, load_command

    arena, last = find_own_command(), ""
    for game in get_plugins().require_games().values():
        if game.presentation.demo:
            last = game.name
            click.secho(game.summary, bold=True)
            for line in _play_demo(game, seed, transcripts):
                click.echo(f"  {line}")
    if last:
        file = shlex.quote(str(get_transcript_path(transcripts, last)))
        click.echo(f"\nMove by move:         {arena} replay {file}")
        click.echo(f"Play yourself:        {arena} play {last}")
    if load_command("web"):
        click.secho("Watch or play, card by card, in your browser (Ctrl-C ends it):", bold=True)
        click.echo(f"{arena} web {shlex.quote(str(transcripts))} --open")


def find_own_command() -> str:
    """Return the typed form of this command: `arena` if on the path, else its own path."""
    called = sys.argv[0]
    found = shutil.which("arena")
    by_name = found is not None and os.path.realpath(found) == os.path.realpath(called)
    return "arena" if by_name else shlex.quote(called)


def get_transcript_path(folder: Path, game: str) -> Path:
    """Return the path of a game's transcript."""
    from arena.records import SUFFIX

    return folder / f"{game}{SUFFIX}"


def _play_demo(game: Game, seed: str, transcripts: Path) -> Iterator[str]:
    """Play a match of a game; yield how it ended, and its last turning point."""
    from arena.cli.support.transcript_files import TranscriptRecorder
    from arena.cli.support.turn_collector import TurnCollector
    from arena.host import HostConfig, Series, host, parse_entrants
    from arena.records import Perspective, Spectator
    from arena.rules import format_count

    recording = TranscriptRecorder(get_transcript_path(transcripts, game.name), several=False)
    entrants = parse_entrants(game, game.presentation.demo)
    series = Series(game, parse_variant(game, ()), entrants, seed)
    for spec, seated in series.iter_matches(1):
        eye = Perspective(game, spec.variant, spec.names, Spectator.PUBLIC, page=True)
        turns = TurnCollector(eye)
        watchers = [turns, recording.build_observer(spec, 0)]
        outcome = host(spec, seated, HostConfig(), watchers).outcome
        scores = outcome.scores or ()  # bundled bots finish their matches
        places = outcome.places or ()
        order = sorted(range(len(spec.names)), key=places.__getitem__)
        ranks = [f"{spec.names[seat]} {float(scores[seat]):g}" for seat in order]
        yield f"{', '.join(ranks)} after {format_count(outcome.rounds, game.unit)}"
        if turns.last:
            yield f"The last turning point: {turns.last}"
