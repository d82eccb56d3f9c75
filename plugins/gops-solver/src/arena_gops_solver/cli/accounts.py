"""`arena gops analyse` for people: a match as a sum, bots as a table, the costliest bids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.printable import printable
from arena_gops_solver.cli.options import exact
from arena_gops_solver.matches.analysis import Analysis, Blunder
from arena_gops_solver.matches.corrected import Panel
from arena_gops_solver.matches.estimates import Estimate, Standing, by_bot
from arena_gops_solver.matches.gathering import Gathered
from arena_gops_solver.matches.recorded import Recorded
from arena_gops_solver.matches.split import Step

DIGITS = {"points": 2, "win": 3}
RESULT = {"points": "difference of points", "win": "1 won, 0 level, -1 lost"}
LIKELIEST = 4  # bids of the solution that are shown
PER_CENT = 100


def show_match(match: Recorded, steps: Mapping[str, Sequence[Step]]) -> None:
    """Print a match round by round, for each objective, and its result as a sum."""
    console = Console(highlight=False)
    for by, some in steps.items():
        console.print(_rounds(match, by, some))
        console.print(Text(_sum(match, by, some)))


def _rounds(match: Recorded, by: str, steps: Sequence[Step]) -> Table:
    first, second = map(printable, match.names)
    headings = ["expected", "prize", "its luck", "bids"]
    headings += [f"{first}\nloses", f"{second}\nloses", "how the\nbids met"]
    table = _table(f"{first} against {second} ({by}, as {first} sees it)", headings)
    for step in steps:
        table.add_row(
            _signed(by, step.before),
            str(step.round.prize),
            _signed(by, step.prize_luck),
            " : ".join(map(str, step.round.bids)),
            *(_lost(by, loss) for loss in step.losses),
            _signed(by, step.meeting),
        )
    table.add_row(_signed(by, steps[-1].after))
    return table


def _sum(match: Recorded, by: str, steps: Sequence[Step]) -> str:
    """Write the result as the sum of its parts; the last takes what rounding left of the others."""
    first, second = map(printable, match.names)
    mine, theirs = (sum(float(step.losses[seat]) for step in steps) for seat in (0, 1))
    parts = [
        (sum(float(step.prize_luck) for step in steps), "luck of the prizes"),
        (-abs(mine), f"lost by {first}"),
        (abs(theirs), f"lost by {second}"),
    ]
    parts = [(round(part, DIGITS[by]), what) for part, what in parts]
    result = float(steps[-1].after)
    parts.append((result - sum(part for part, _ in parts), "how the bids met"))
    terms = ((f"{part:+.{DIGITS[by]}f}", what) for part, what in parts)
    words = (f"{number[0]} {number[1:]} ({what})" for number, what in terms)
    return f"{result:+g} = " + " ".join(words).removeprefix("+ ")


def show_all(gathered: Gathered, found: Mapping[str, Analysis], panel: Panel) -> None:
    """Print means by bot if there are several matches, the costliest bids, and what is left out."""
    console = Console(highlight=False)
    for by, one in found.items():
        if len(gathered.matches) > 1:
            bots = sorted(by_bot(one.accounts, panel), key=lambda bot: -bot.corrected.mean)
            console.print(_results(by, one, bots))
            console.print(_shares(by, one, bots))
        if blunders := [blunder for blunder in one.blunders if exact(blunder.loss)]:
            console.print(_worst(by, blunders))
    if gathered.unfinished:
        click.echo(f"Left out: {gathered.unfinished} void or forfeited matches.")
    for bot, why in panel.unasked.items():
        click.echo(printable(f"Not corrected for the luck of its bids: {bot} ({why})."))


def _results(by: str, one: Analysis, bots: Sequence[Standing]) -> Table:
    headings = ["games", "result", "corrected for luck", "games needed"]
    table = _table(f"{len(one.accounts)} matches ({by}: {RESULT[by]})", headings, "bot")
    for bot in bots:
        intervals = (_interval(by, each) for each in (bot.result, bot.corrected))
        table.add_row(Text(printable(bot.names[0])), str(bot.games), *intervals, _needed(bot))
    return table


def _shares(by: str, one: Analysis, bots: Sequence[Standing]) -> Table:
    headings = ["luck of\nprizes", "lost in\nfirst\nthird", "in the\nmiddle"]
    headings += ["in the\nlast\nthird", "lost by\nothers", "how the\nbids met"]
    table = _table(f"what the results are made of, a game ({by})", headings, "bot")
    for bot in bots:
        made = one.shares(bot.names[0])
        lost = (-loss for loss in made.lost)
        parts = made.prize_luck, *lost, made.lost_by_others, made.meeting
        table.add_row(Text(printable(bot.names[0])), *(_signed(by, part) for part in parts))
    return table


def _needed(one: Standing) -> str:
    """Say how many games would do with the correction, for the same interval."""
    return "?" if one.needed is None else f"{PER_CENT * one.needed:.0f} %"


def _interval(by: str, one: Estimate) -> str:
    away = (one.high - one.low) / 2
    return f"{_signed(by, one.mean)} ± " + (_lost(by, away) if isfinite(away) else "?")


def _worst(by: str, blunders: Iterable[Blunder]) -> Table:
    headings = ["round", "prize", "bid", "loss"]
    words = ["match", "bot", "hand", "the solution bids"]
    table = _table(f"the costliest bids ({by})", headings, *words)
    for one in blunders:
        step = one.step.round
        table.add_row(
            Text(printable(Path(one.match.where).name)),
            Text(printable(one.match.names[one.seat])),
            " ".join(map(str, step.hands[one.seat])),
            _mix(one.solution),
            str(one.number),
            str(step.prize),
            str(step.bids[one.seat]),
            _lost(by, one.loss),
        )
    return table


def _mix(solution: Mapping[int, float]) -> str:
    """Write the likeliest bids, with their probabilities."""
    likeliest = sorted(solution.items(), key=lambda bid: -bid[1])
    words = [f"{card} ({PER_CENT * chance:.0f} %)" for card, chance in likeliest[:LIKELIEST]]
    return ", ".join(words) + (" ..." if len(likeliest) > LIKELIEST else "")


def _table(title: str, numbers: Iterable[str], *words: str) -> Table:
    """Make a table; columns of words come first, and may be folded."""
    table = Table(title=Text(title))
    for heading in words:
        table.add_column(heading, overflow="fold")
    for heading in numbers:
        table.add_column(Text(heading), justify="right", no_wrap=True)
    return table


def _signed(by: str, value: Fraction | float) -> str:
    return f"{_rounded(by, value):+.{DIGITS[by]}f}"


def _lost(by: str, value: Fraction | float) -> str:
    return f"{_rounded(by, value):.{DIGITS[by]}f}"


def _rounded(by: str, value: Fraction | float) -> float:
    """Round as it is shown, without the sign of a zero."""
    return round(float(value), DIGITS[by]) + 0.0
