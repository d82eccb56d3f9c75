"""`arena gops analyse`: explain matches by the exact solution."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from arena import UserError
from arena.cli.lazy import Examples
from arena_gops_solver.cli.options import OBJECTIVES, json_option, table_option

if TYPE_CHECKING:
    from arena_gops_solver.matches.analysis import Analysis, Solving
    from arena_gops_solver.matches.corrected import Panel
    from arena_gops_solver.matches.gathering import Gathered

T = TypeVar("T")


@click.command(
    cls=Examples,
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
    help="By the difference of points, or by who wins. [default: both]",
)
@table_option
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the expected result, round by round, into this file: .svg or .png.",
)
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="How many of the costliest bids to list.",
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
    """Say what decided matches of GOPS, of two with shuffled prizes: luck, or bids.

    A TRANSCRIPT is a file, a folder of them, or a tournament: its file, its database, or a
    server's address. Void and forfeited matches are left out. The result is split into the luck
    of the prizes, what each side lost by bids that the solution would not make, and how the bids
    met. For several matches there are means by bot, also corrected for luck: that of the prizes,
    and that of the bids of bundled bots, whose probabilities are known. Of two such bots how the
    bids met is split, too, into the luck of their bids and what one outguessed the other by.

    Without a table, and where solving the whole game would take long, the last rounds are
    explained, as many as are solved within seconds: what they can still come to is little. What
    the rounds before have brought is then `left_out`.

    With --json there is an object for each match, with its rounds, and a last one, `summary`.
    Each has `points` and `win`; a round that is left out has not. A match is seen from seat 0;
    its losses, 0 or more, are in seat order. Intervals hold with 95 %, by deal; `needed` is the
    share of the games
    that would do as well with the correction as all of them without. `bids_luck` and `outguessed`
    add up to `meeting`, and are null where not known. In `worst` all is as the bidder saw it, the
    prize that was up among the `prizes`. `doubted` are bots that do not bid as they say, so that
    what is corrected for their luck may be wrong.
    """
    from arena.plugins import plugins
    from arena_gops_solver.cli import accounts, rows
    from arena_gops_solver.matches.analysis import Analysis
    from arena_gops_solver.matches.corrected import Panel
    from arena_gops_solver.matches.gathering import Gathered, transcripts
    from arena_gops_solver.matches.late import Late
    from arena_gops_solver.matches.picture import draw, see_drawable

    if picture:
        see_drawable(picture)
    gathered = Gathered.of(_watched(transcripts(words), "reading", None))
    if not gathered.matches:
        raise UserError(f"nothing to explain: {gathered.unfinished} void or forfeited matches")
    found = {by: Analysis(one, worst) for by, one in _solving(objective, table, gathered)}
    if picture and any(isinstance(one.solving, Late) for one in found.values()):
        raise UserError(f"{picture}: drawn from the first round on, which is not solved")
    panel = Panel(plugins().game("gops"))
    _explain(gathered, found, panel, as_json)
    if as_json:
        click.echo(json.dumps({"summary": rows.of_all(gathered, found, panel)}))
    else:
        accounts.show_all(gathered, found, panel, table)
    if picture:
        draw(picture, found, panel)


def _explain(gathered: Gathered, found: dict[str, Analysis], panel: Panel, as_json: bool) -> None:
    """Explain match by match."""
    from arena_gops_solver.cli import accounts, rows

    alone = len(gathered.matches) == 1
    for match in _watched(gathered.matches, "explaining", len(gathered.matches)):
        mixes = panel.mixes(match)
        steps = {by: one.add(match, mixes) for by, one in found.items()}
        if as_json:
            click.echo(json.dumps(rows.of_match(match, steps)))
        elif alone:
            accounts.show_match(match, steps)


def _solving(
    objective: str | None, file: Path | None, gathered: Gathered
) -> Iterator[tuple[str, Solving]]:
    """Yield what explains matches by each objective; without a table, their last rounds."""
    from arena_gops_solver.matches.late import Late, Whole
    from arena_gops_solver.table_cache import solved
    from arena_gops_solver.tables import opened

    cards = max(match.variant.cards for match in gathered.matches)
    if file:
        objective = objective or opened(file).kind.objective
        yield objective, Whole(solved(objective, cards, file))
        return
    for by in [objective] if objective else OBJECTIVES:
        try:
            yield by, Whole(solved(by, cards))
        except UserError as problem:
            late = Late.of(by, len(gathered.matches))
            click.echo(f"Only the last {late.rounds} rounds ({by}): {problem}", err=True)
            yield by, late


def _watched(some: Iterable[T], words: str, total: int | None) -> Iterable[T]:
    """Pass them on, with a bar where somebody watches a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    quiet = not console.is_terminal or total == 1
    return track(some, words, total, console=console, transient=True, disable=quiet)
