"""`arena standings`: who is best, and how surely."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from arena.cli.common import Examples, json_option, with_numbers
from arena.cli.stored import the_store, the_tournament

if TYPE_CHECKING:
    from arena.tournament.ratings import HeadToHead
    from arena.tournament.results import Results

DOUBT = 0.05  # that a cycle which is named is none


@click.command(
    cls=Examples,
    short_help="Rank the entrants of a tournament.",
    examples=(
        "standings hill.toml",
        "standings hill.db --head-to-head",
        "standings hill.db --json",
    ),
)
@the_tournament
@click.option("--head-to-head", "duels", is_flag=True, help="Show who finished ahead of whom.")
@click.option("--evenness", is_flag=True, help="Say how evenly everybody has sat.")
@click.option("--nash", is_flag=True, help="Rank against the best mixture of all (Nash averaging).")
@json_option
@with_numbers
def standings(tournament: str, duels: bool, nash: bool, evenness: bool, as_json: bool) -> None:
    """Rank the entrants of TOURNAMENT, with intervals.

    TOURNAMENT is the tournament's file, or its database; it may be running. Ratings are Elo points
    above the mean, fitted anew from all stored matches; the interval holds with the level
    of the file (usually 95 %), with the deal as the unit of chance.
    """
    from arena.tournament.ratings import head_to_head
    from arena.tournament.standings import how_even, own_ranking, ranked, rated

    with the_store(tournament) as store:
        results = store.results()
        fit = rated(store, results)
        found = ranked(store, results, fit)
        own = own_ranking(store)
        even = how_even(store) if evenness else None
    if as_json:
        for one in found:
            click.echo(json.dumps(one.pack()))
        return
    from rich.console import Console

    from arena.cli import ranking

    console = Console(highlight=False)
    if own:
        console.print(ranking.own(own))
    console.print(ranking.table(found, console.width))
    if even:
        console.print(ranking.evenness(even))
    met = head_to_head(results)
    if duels:
        console.print(ranking.duels(met, fit))
    if nash:
        console.print(ranking.nash(met))
    for line in _remarks(results, met):
        console.print(line, markup=False)


def _remarks(results: Results, met: HeadToHead) -> Iterator[str]:
    """Say what a ranking cannot show."""
    from arena.tournament.plan import name_of
    from arena.tournament.ratings import connectivity, dominance

    groups = [group for group in connectivity(results).groups if len(group) > 1]
    if len(groups) > 1:
        listed = " | ".join(", ".join(map(name_of, group)) for group in groups)
        yield f"These never met; ratings compare only within a group: {listed}"
    pairs = max(1, len(met.entrants) * (len(met.entrants) - 1) // 2)
    cycle = dominance(met, 1 - DOUBT / pairs).cycle  # among many pairs some differ by chance
    if cycle:
        names = map(name_of, (*cycle, cycle[0]))
        yield f"The order is not transitive: {' beats '.join(names)}."
