"""`arena insights`: how the entrants of a tournament play."""

from __future__ import annotations

import json

import click

from arena.cli.support.commands import ExampleCommand
from arena.cli.support.shared_options import (
    json_option,
    open_store,
    require_tournament_extra,
    tournament_argument,
)


@click.command(
    cls=ExampleCommand,
    short_help="Show playing styles.",
    examples=(
        "insights hill.toml",
        "insights hill.db --bot mine",
        "insights hill.db --compare mine theirs",
        "insights hill.db --json",
    ),
)
@tournament_argument
@click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="NAME",
    help="Show this entrant with all plots (NAME, or NAME@VERSION); may be repeated.",
)
@click.option(
    "--compare",
    "pair",
    nargs=2,
    metavar="NAME NAME",
    help="Show two entrants side by side: ratings, results and playing styles.",
)
@json_option
@require_tournament_extra
def insights(tournament: str, bots: tuple[str, ...], pair: tuple[str, str] | None,
             as_json: bool) -> None:  # fmt: skip
    """Show the playing styles of a TOURNAMENT, as observed in its transcripts.

    TOURNAMENT is the tournament's file or its database; it may be running. A deal counts once all
    its rotations are over. What was counted is kept beside the database, so that the next call
    reads new matches only.
    """
    from rich.console import Console

    from arena.tournament.insights import PlayingStyles

    if pair and bots:
        raise click.UsageError("--compare and --bot cannot be combined")
    if pair:
        _compare(tournament, *pair, as_json=as_json)
        return
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


def _compare(tournament: str, first: str, second: str, *, as_json: bool) -> None:
    """Print two entrants side by side."""
    from rich.console import Console

    from arena.tournament.bot_comparison import compare_bots, load_styles
    from arena.tournament.insights import InsightsCounter
    from arena.tournament.standings import Summary

    with open_store(tournament) as store:
        found = compare_bots(Summary.of(store), first, second)
        counter = InsightsCounter.of(store)
        with counter.tallies:
            counter.count_all(store)
            styles = load_styles(store, counter, found.standings)
    if as_json:
        packed = [[entry.pack() for entry in style] for style in styles]
        click.echo(json.dumps({**found.pack(), "statistics": packed}))
        return
    console = Console(highlight=False)
    for table in found.build_tables(styles):
        console.print(table)
