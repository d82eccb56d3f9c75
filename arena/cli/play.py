"""`arena play`: sit down at the terminal against bots."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common import option_option, seed_option
from arena.cli.lazy import Examples
from arena.cli.match import a_path


@click.command(
    cls=Examples,
    short_help="Play against bots at the terminal.",
    examples=(
        "play {game}",
        "play {game} --against {bot},{other} --transcripts mine/",
    ),
)
@click.argument("game")
@click.option("--against", multiple=True, metavar="BOT[,BOT...]",
              help="Whom to play against; may be repeated. Asked for at a terminal.")  # fmt: skip
@option_option
@seed_option
@click.option("--transcripts", type=a_path, help="Record each match, in this folder.")
def play(
    game: str,
    against: tuple[str, ...],
    options: tuple[str, ...],
    seed: str | None,
    transcripts: Path | None,
) -> None:
    """Play GAME yourself, against one bot or several.

    You have all the time you want; what cannot be played is asked again. `help` says the
    rules. Ctrl-D leaves.
    """
    from arena.cli.sitting import sit_down

    sit_down(game, against, options, seed, transcripts)
