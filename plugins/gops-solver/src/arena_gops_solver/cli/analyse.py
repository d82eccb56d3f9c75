"""`arena gops analyse`: explain matches by the exact solution."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from arena import UserError
from arena.cli.support.commands import ExampleCommand
from arena_gops_solver.cli.shared import OBJECTIVES, json_option, table_option

if TYPE_CHECKING:
    from arena_gops_solver.analysis import AnalysisResults, BidProbabilitySource, Solving
    from arena_gops_solver.recorded_matches import MatchCollection

T = TypeVar("T")


@click.command(
    cls=ExampleCommand,
    short_help="Explain matches by the exact solution.",
    examples=(
        "gops analyse match.jsonl",
        "gops analyse transcripts/ --worst 20 --picture expected.svg",
        "gops analyse hill.toml --objective win --json",
    ),
)
@click.argument("words", nargs=-1, required=True, metavar="TRANSCRIPT...")
@click.option(
    "--objective",
    type=click.Choice(OBJECTIVES),
    help="Explain the difference of points, or who wins. [default: both]",
)
@table_option
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a chart of the expected result by round to this file (.svg or .png).",
)
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Number of costliest bids to list.",
)
@json_option
def analyse(
    words: tuple[str, ...],
    objective: str | None,
    table: Path | None,
    picture: Path | None,
    worst: int,
    as_json: bool,
) -> None:
    """Explain what decided matches of GOPS (two bots, shuffled prizes): luck or bids.

    A TRANSCRIPT is a file, a folder of files, or a tournament: its file, its database, or the
    address of a server. Void and forfeited matches are left out. The result of a match is the sum
    of the luck of the prizes, the points each side lost by bids that the solution would not make,
    and the way the bids met. Several matches also get means by bot, corrected for the luck of the
    prizes and for the luck of the bids of bundled bots, whose probabilities are known. For two
    such bots, the way the bids met is split into the luck of the bids and the points by which one
    outguessed the other.

    Without a table, if solving the whole game would take long, only the last rounds are
    explained: as many as can be solved within seconds. The result of the rounds before is then
    `left_out`.

    With --json, there is an object for each match, with its rounds, and a last one, `summary`. Each
    has `points` and `win`, except for rounds that are left out. A match is seen from seat 0;
    losses, 0 or more, are in seat order. Intervals have 95 % confidence, by deal. `needed` is the
    share of the games that is as informative with the correction as all games are without it.
    `bids_luck` and `outguessed` add up to `meeting`, and are null if unknown. `worst` is seen by
    the bidder, with the current prize among the `prizes`. `doubted` are bots whose bids do not
    match their stated probabilities, so that their corrected results may be wrong.
    """
    from arena.plugins import get_plugins
    from arena_gops_solver.analysis import AnalysisResults, BidProbabilitySource, EndgameSolver
    from arena_gops_solver.cli import analyse_report
    from arena_gops_solver.cli.analyse_report import check_drawable, draw
    from arena_gops_solver.recorded_matches import MatchCollection, find_transcripts

    if picture:
        check_drawable(picture)
    gathered = MatchCollection.of(_show_progress(find_transcripts(words), "reading", None))
    if not gathered.matches:
        raise UserError("nothing to explain: every match is void or forfeited")
    found = {
        by: AnalysisResults(solving, worst)
        for by, solving in _build_solvers(objective, table, gathered)
    }
    if picture and any(isinstance(analysis.solving, EndgameSolver) for analysis in found.values()):
        raise UserError(f"{picture}: the chart needs all rounds, but only the last ones are solved")
    panel = BidProbabilitySource(get_plugins().find_game("gops"))
    _explain(gathered, found, panel, as_json)
    if as_json:
        click.echo(json.dumps({"summary": analyse_report.pack_all(gathered, found, panel)}))
    else:
        analyse_report.show_all(gathered, found, panel, table)
    if picture:
        draw(picture, found, panel)


def _explain(
    gathered: MatchCollection,
    found: dict[str, AnalysisResults],
    panel: BidProbabilitySource,
    as_json: bool,
) -> None:
    """Explain match by match."""
    from arena_gops_solver.cli import analyse_report

    alone = len(gathered.matches) == 1
    for match in _show_progress(gathered.matches, "explaining", len(gathered.matches)):
        mixes = panel.list_mixes(match)
        steps = {by: analysis.add(match, mixes) for by, analysis in found.items()}
        if as_json:
            click.echo(json.dumps(analyse_report.pack_match(match, steps)))
        elif alone:
            analyse_report.show_match(match, steps)


def _build_solvers(
    objective: str | None, file: Path | None, gathered: MatchCollection
) -> Iterator[tuple[str, Solving]]:
    """Yield the solver of each objective; without a table, it solves the last rounds only."""
    from arena_gops_solver.analysis import EndgameSolver, WholeGameSolution
    from arena_gops_solver.table_cache import find_solution
    from arena_gops_solver.value_table import open_table

    cards = max(match.variant.cards for match in gathered.matches)
    if file:
        objective = objective or open_table(file).kind.objective
        yield objective, WholeGameSolution(find_solution(objective, cards, file))
        return
    for by in [objective] if objective else OBJECTIVES:
        try:
            yield by, WholeGameSolution(find_solution(by, cards))
        except UserError as problem:
            late = EndgameSolver.of(by, len(gathered.matches))
            click.echo(f"Explaining only the last {late.rounds} rounds ({by}): {problem}", err=True)
            yield by, late


def _show_progress(some: Iterable[T], words: str, total: int | None) -> Iterable[T]:
    """Yield the items, with a progress bar on a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    quiet = not console.is_terminal or total == 1
    return track(some, words, total, console=console, transient=True, disable=quiet)
