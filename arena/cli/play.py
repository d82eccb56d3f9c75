"""`arena demo`, `arena play`: watch bundled bots, and play against bots at the terminal."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

import click

from arena.cli.command_group import PLUGIN_COMMANDS
from arena.cli.match import PATH_TYPE
from arena.cli.support.commands import (
    ExampleCommand,
    option_option,
    seed_option,
    table_option,
    with_option,
)
from arena.cli.support.demo_matches import (
    DEMO_FOLDER,
    DEMO_SEED,
    get_transcript_path,
    list_demo_games,
    play_demo_match,
)
from arena.plugins import load_command
from arena.rules import UserError


@click.command(
    cls=ExampleCommand, short_help="Watch example matches.", examples=("demo", "demo --seed 7")
)
@click.option("--seed", default=DEMO_SEED, show_default=True, help="Seed of the matches.")
@click.option("--transcripts", type=click.Path(path_type=Path), default=DEMO_FOLDER,
              show_default=True, metavar="FOLDER",
              help="Save the transcripts in FOLDER.")  # fmt: skip
def demo(seed: str, transcripts: Path) -> None:
    """Play example matches between bundled bots, and show how they ended.

    The matches are saved as transcripts, which replace those of an earlier demo. The last line
    of the output is the command that shows them in a browser, where you can play, too.
    """
    arena, last = find_own_command(), ""
    for game in list_demo_games():
        last = game.name
        click.secho(game.summary, bold=True)
        for line in play_demo_match(game, seed, transcripts):
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


@click.command(
    cls=ExampleCommand,
    short_help="Play against bots at the terminal.",
    examples=(
        "play {game}",
        "play {game} --against {bot},{other} --transcripts mine/",
        "play {game} --web",
    ),
)
@click.argument("game")
@click.option("--against", multiple=True, metavar="BOT[,BOT...]",
              help="Opponents; may be repeated. [default: ask at the terminal]")  # fmt: skip
@with_option
@table_option
@option_option
@seed_option
@click.option(
    "--transcripts", type=PATH_TYPE, help="Save a transcript of each match in this folder."
)
@click.option("--web", is_flag=True, help="Play in the browser.")
@click.option("--open/--no-open", "browse", default=True, show_default=True,
              help="With --web, open the page in a browser or only print its address.")  # fmt: skip
def play(
    game: str,
    against: tuple[str, ...],
    beside: tuple[str, ...],
    table: int | None,
    options: tuple[str, ...],
    seed: str | None,
    transcripts: Path | None,
    web: bool,
    browse: bool,
) -> None:
    """Play GAME yourself, against one or more bots.

    In a game of teams a bot plays all seats of a team. Name your partner with --with; otherwise it
    is the first opponent.

    There is no time limit, and after an invalid answer you are asked again. Type `help` for
    the rules, and Ctrl-D to leave.
    """
    if web:
        if transcripts:
            raise click.UsageError(
                "--transcripts does not work with --web: the page offers each match's transcript"
            )
        words = [word for bots in against for word in ("--against", bots)]
        words += [word for bots in beside for word in ("--with", bots)]
        words += [word for option in options for word in ("--option", option)]
        words += ["--seed", seed] if seed is not None else []
        words += ["--table", str(table)] if table is not None else []
        _play_in_browser(game, words, browse=browse)
        return
    from arena.cli.support.match_reports import check_folder_name
    from arena.cli.support.play_session import run_session

    if transcripts:
        check_folder_name(transcripts, "--transcripts")
    run_session(game, against, options, seed, transcripts, beside=beside, table=table)


def _play_in_browser(game: str, words: list[str], *, browse: bool) -> None:
    """Run the command `arena web` of a plugin, on a free port."""
    command = load_command("web")
    if command is None:
        raise UserError(
            "playing in a browser needs a plugin; install it with: " + PLUGIN_COMMANDS["web"]
        )
    words = ["--port", "0", "--play", game, *words, *["--open"] * browse]
    with command.make_context("arena web", words) as context:
        command.invoke(context)
