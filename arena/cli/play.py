"""`arena play`: sit down at the terminal against bots."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common import option_option, seed_option
from arena.cli.lazy import Examples
from arena.cli.match import a_path
from arena.plugins import load_command
from arena.rules import UserError


@click.command(
    cls=Examples,
    short_help="Play against bots at the terminal.",
    examples=(
        "play {game}",
        "play {game} --against {bot},{other} --transcripts mine/",
        "play {game} --web",
    ),
)
@click.argument("game")
@click.option("--against", multiple=True, metavar="BOT[,BOT...]",
              help="Whom to play against; may be repeated. Asked for at a terminal.")  # fmt: skip
@option_option
@seed_option
@click.option("--transcripts", type=a_path, help="Record each match, in this folder.")
@click.option("--web", is_flag=True, help="Play in the browser.")
@click.option("--no-open", is_flag=True, help="Only say at which address, with --web.")
def play(
    game: str,
    against: tuple[str, ...],
    options: tuple[str, ...],
    seed: str | None,
    transcripts: Path | None,
    web: bool,
    no_open: bool,
) -> None:
    """Play GAME yourself, against one bot or several.

    You have all the time you want; what cannot be played is asked again. `help` says the
    rules. Ctrl-D leaves.
    """
    if web:
        if transcripts:
            raise click.UsageError("with --web the page offers each match's transcript")
        _in_browser(game, against, options, seed, browse=not no_open)
        return
    from arena.cli.sitting import sit_down

    sit_down(game, against, options, seed, transcripts)


def _in_browser(
    game: str,
    against: tuple[str, ...],
    options: tuple[str, ...],
    seed: str | None,
    *,
    browse: bool,
) -> None:
    """Hand over to the command that a plugin brings, on a port that is free."""
    command = load_command("web")
    if command is None:
        raise UserError("the browser needs a plugin: pip install arena-web")
    words = ["--port", "0", "--play", game]
    words += [word for bots in against for word in ("--against", bots)]
    words += [word for option in options for word in ("--option", option)]
    words += ["--seed", seed] if seed is not None else []
    with command.make_context("arena web", [*words, *["--open"] * browse]) as context:
        command.invoke(context)
