"""`arena insights`: how the entrants of a tournament play."""

from __future__ import annotations

import json

import click

from arena.cli.support.lazy_commands import ExampleCommand
from arena.cli.support.shared_options import json_option, require_tournament_extra
from arena.cli.support.tournament_argument import open_store, tournament_argument


@click.command(
    cls=ExampleCommand,
    short_help="Show playing styles.",
    examples=("insights hill.toml", "insights hill.db --bot mine", "insights hill.db --json"),
)
@tournament_argument
@click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="NAME",
    help="Show this entrant with all plots (NAME, or NAME@VERSION); may be repeated.",
)
@json_option
@require_tournament_extra
def insights(tournament: str, bots: tuple[str, ...], as_json: bool) -> None:
    """Show the playing styles of a TOURNAMENT, as observed in its transcripts.

    TOURNAMENT is the tournament's file or its database; it may be running. A deal counts once all
    its rotations are over. What was counted is kept beside the database, so that the next call
    reads new matches only.
    """
    from rich.console import Console

    from arena.tournament.insights.playing_styles import PlayingStyles

    with open_store(tournament) as store:
        styles = PlayingStyles.of(store)
    if bots:
        styles = styles.choose(bots)
    if as_json:
        for style in styles:
            click.echo(json.dumps(style.pack()))
    elif not styles:
        click.echo("No deals are over yet, or no transcripts were kept.")
    elif bots:
        console = Console(highlight=False)
        for table in [table for style in styles for table in style.build_tables()]:
            console.print(table)
    else:
        Console(highlight=False).print(styles)
