"""`arena gops analyse` for people: a match as a sum, bots as tables, the costliest bids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, isfinite, log10
from pathlib import Path
from textwrap import fill

import click
from rich.table import Table
from rich.text import Text

from arena.wires import printable
from arena_gops_solver.bots import SEATS
from arena_gops_solver.cli.blunders import command, costliest
from arena_gops_solver.cli.figures import adding_up, interval, plain, signed, table_of
from arena_gops_solver.cli.options import exact
from arena_gops_solver.cli.screen import UNBROKEN, show, sign
from arena_gops_solver.matches.analysis import Analysis, Shares
from arena_gops_solver.matches.corrected import OTHERWISE, Panel
from arena_gops_solver.matches.estimates import Standing, by_pair, ranked
from arena_gops_solver.matches.gathering import Gathered
from arena_gops_solver.matches.recorded import Recorded
from arena_gops_solver.matches.split import Step

RESULT = {"points": "difference of points", "win": "1 won, 0 level, -1 lost"}
CORRECTED = ("result", "corrected for luck")
WIDTH = 80  # of a line that is no table
NO_BREAK = "\xa0"  # where a line is not broken


def show_match(match: Recorded, steps: Mapping[str, Sequence[Step]]) -> None:
    """Print a match round by round, for each objective, and its result as a sum."""
    for by, some in steps.items():
        show(_rounds(match, by, some))
        click.echo(_sum(match, by, some))


def _rounds(match: Recorded, by: str, steps: Sequence[Step]) -> Table:
    first, second = map(printable, match.names)
    headings = ["expected", "prize", "prize's\nluck", "bids"]
    headings += [f"{fill(name, UNBROKEN)}\nlost" for name in (first, second)]
    headings += ["how the\nbids met"]
    left_out = len(match.rounds) - len(steps)
    late = f", from round {left_out + 1} on" if left_out else ""
    table = table_of(f"{first} against {second} ({by}, as {first} sees it{late})", headings)
    for step in steps:
        table.add_row(
            signed(by, step.before),
            str(step.round.prize),
            signed(by, step.prize_luck),
            " : ".join(map(str, step.round.bids)),
            signed(by, -step.losses[0]),
            signed(by, step.losses[1]),
            signed(by, step.meeting),
        )
    table.add_row(signed(by, steps[-1].after))
    return table


def _sum(match: Recorded, by: str, steps: Sequence[Step]) -> str:
    """Write the result as the sum of its parts, except for those that are 0."""
    first, second = map(printable, match.names)
    each = [(step.prize_luck, -step.losses[0], step.losses[1], step.meeting) for step in steps]
    what = ["luck of the prizes", f"lost by {first}", f"lost by {second}", "how the bids met"]
    result = float(steps[-1].after)
    left_out = len(match.rounds) - len(steps)
    sums = [float(sum(some)) for some in zip(*each, strict=True)]
    if left_out:
        what, sums = [f"expected after round {left_out}", *what], [float(steps[0].before), *sums]
    parts = adding_up(by, sums, result)
    terms = [
        f"{'-' if part < 0 else '+'} {plain(by, abs(part))} ({words})".replace(" ", NO_BREAK)
        for part, words in zip(parts, what, strict=True)
        if part
    ]
    equation = " ".join([f"{result:g} =", *(terms or ["0"])]).replace(f"= +{NO_BREAK}", "= ")
    lines = fill(equation, WIDTH, break_long_words=False, break_on_hyphens=False)
    return lines.replace(NO_BREAK, " ")


def show_all(
    gathered: Gathered, found: Mapping[str, Analysis], panel: Panel, table: Path | None
) -> None:
    """Print means if there are several matches, the costliest bids, and what is left out."""
    for by, one in found.items():
        if len(gathered.matches) > 1:
            _show_means(by, one, panel)
        _show_worst(by, one, [match.where for match in gathered.matches], table)
    if gathered.unfinished:
        click.echo(f"Left out: {gathered.unfinished} void or forfeited matches.")
    for bot, why in panel.unasked.items():
        click.echo(printable(f"Not corrected for the luck of its bids: {bot} ({why})."))
    for bot in dict.fromkeys(bot for one in found.values() for bot in one.doubted(panel)):
        what = "it does not bid as it says"
        click.echo(printable(f"Doubt the corrected results of {bot}: {what}; {OTHERWISE}"))


def _show_means(by: str, one: Analysis, panel: Panel) -> None:
    bots = ranked(one.accounts, panel)
    show(_results(by, one, bots))
    if len(bots) == SEATS:
        click.echo(_verdict(by, bots[0]))
    else:
        order = [bot.names[0] for bot in bots]
        show(_pairs(by, by_pair(one.accounts, panel, order)))
    show(_shares(by, [(bot, one.shares(bot.names[0], panel)) for bot in bots], one.whole))
    click.echo("Each row adds up to the result.")


def _show_worst(by: str, one: Analysis, matches: Sequence[str], table: Path | None) -> None:
    blunders = [blunder for blunder in one.blunders if exact(blunder.loss)]
    if blunders:
        show(costliest(by, blunders, matches))
    if blunders and one.whole:
        click.echo(f"The first of them: {command(by, blunders[0], table)}")


def _results(by: str, one: Analysis, bots: Sequence[Standing]) -> Table:
    title = f"{len(one.accounts)} matches ({by}: {RESULT[by]})"
    table = table_of(title, ["games", *CORRECTED, "counts as"], "bot")
    for bot in bots:
        intervals = (interval(by, each) for each in (bot.result, bot.corrected))
        table.add_row(Text(printable(bot.names[0])), str(bot.games), *intervals, _counts_as(bot))
    return table


def _counts_as(one: Standing) -> str:
    """Say how many games would tell as much without the correction."""
    if one.needed is None:
        return "?"
    number = f"{one.games / one.needed:,.0f}" if exact(one.needed) else sign("∞", "oo")
    return f"{number} games"


def _verdict(by: str, best: Standing) -> str:
    """Say of two bots which is better, or how many games would tell."""
    if exact(best.corrected.low) > 0:
        bot = printable(best.names[0])
        return f"{bot} is better (corrected {interval(by, best.corrected)})."
    words = "Which is better is not known yet"
    if not (isfinite(best.telling) and exact(best.corrected.mean)):
        return f"{words}."
    games = f"some {_roughly(best.telling):,} games would tell"
    return f"{words}: if the difference is what it seems, {games}."


def _roughly(number: float) -> int:
    """Round up to two digits."""
    unit: int = 10 ** max(0, floor(log10(number)) - 1)
    return ceil(number / unit) * unit


def _pairs(by: str, pairs: Sequence[Standing]) -> Table:
    table = table_of(f"head to head ({by})", ["games", *CORRECTED], "bot", "against")
    for pair in pairs:
        names = (Text(printable(name)) for name in pair.names)
        intervals = (interval(by, each) for each in (pair.result, pair.corrected))
        table.add_row(*names, str(pair.games), *intervals)
    return table


def _shares(by: str, bots: Sequence[tuple[Standing, Shares]], whole: bool) -> Table:
    """Return what each result is made of; the meeting of bids is split where it can be."""
    split = [isfinite(made.bids_luck) for _, made in bots]
    headings = [] if whole else ["rounds\nleft out"]
    headings += ["luck of\nprizes", "lost\nearly", "lost\nmid-game", "lost\nlate", "others\nlost"]
    headings += ["luck\nof bids", "out-\nguessed"] if any(split) else []
    headings += [] if all(split) else ["how the\nbids met"]
    table = table_of(f"what the results are made of, a game ({by})", headings, "bot")
    for bot, made in bots:
        table.add_row(Text(printable(bot.names[0])), *_parts(by, bot, made, split)[whole:])
    return table


def _parts(by: str, bot: Standing, made: Shares, split: Sequence[bool]) -> list[str]:
    """Return a row of figures that add up; what belongs to no column of its own is left empty."""
    met = [made.bids_luck, made.outguessed] if isfinite(made.bids_luck) else [made.meeting]
    parts = [
        made.left_out,
        made.prize_luck,
        *(-loss for loss in made.lost),
        made.lost_by_others,
        *met,
    ]
    shown = [signed(by, part) for part in adding_up(by, parts, bot.result.mean)]
    if all(split) or not any(split):
        return shown
    return [*shown, ""] if isfinite(made.bids_luck) else [*shown[:-1], "", "", shown[-1]]
