"""`arena gops analyse` for people: a match as a sum, bots as tables, the costliest bids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, isfinite, log10
from pathlib import Path
from textwrap import fill

import click
from rich.table import Table
from rich.text import Text

from arena.extend import to_printable
from arena_gops_solver.bots import SEATS
from arena_gops_solver.cli.blunders_table import build_blunders_table, format_command
from arena_gops_solver.cli.formatting import (
    build_table,
    format_interval,
    format_plain,
    format_with_sign,
    round_parts,
)
from arena_gops_solver.cli.options import clean_zero
from arena_gops_solver.cli.terminal_output import UNBROKEN, choose_sign, print_table
from arena_gops_solver.matches.aivat import OTHERWISE, BidProbabilitySource
from arena_gops_solver.matches.analysis import AnalysisResults, ResultParts
from arena_gops_solver.matches.estimates import BotResult, compute_pair_results, rank_bots
from arena_gops_solver.matches.loading import MatchCollection
from arena_gops_solver.matches.luck import RoundAnalysis
from arena_gops_solver.matches.recorded_match import RecordedMatch

RESULT = {"points": "difference of points", "win": "1 win, 0 tie, -1 loss"}
CORRECTED = ("result", "corrected for luck")
WIDTH = 80  # of a line outside tables
NO_BREAK = "\xa0"  # without line breaks


def show_match(match: RecordedMatch, steps: Mapping[str, Sequence[RoundAnalysis]]) -> None:
    """Print a match round by round, for each objective, and its result as a sum."""
    for by, some in steps.items():
        print_table(_build_rounds_table(match, by, some))
        click.echo(_format_sum(match, by, some))


def _build_rounds_table(match: RecordedMatch, by: str, steps: Sequence[RoundAnalysis]) -> Table:
    first, second = map(to_printable, match.names)
    headings = ["expected", "prize", "prize's\nluck", "bids"]
    headings += [f"{fill(name, UNBROKEN)}\nlost" for name in (first, second)]
    headings += ["how the\nbids met"]
    left_out = len(match.rounds) - len(steps)
    late = f", from round {left_out + 1} on" if left_out else ""
    table = build_table(f"{first} against {second} ({by}, as {first} sees it{late})", headings)
    for step in steps:
        table.add_row(
            format_with_sign(by, step.before),
            str(step.round.prize),
            format_with_sign(by, step.prize_luck),
            " : ".join(map(str, step.round.bids)),
            format_with_sign(by, -step.losses[0]),
            format_with_sign(by, step.losses[1]),
            format_with_sign(by, step.meeting),
        )
    table.add_row(format_with_sign(by, steps[-1].after))
    return table


def _format_sum(match: RecordedMatch, by: str, steps: Sequence[RoundAnalysis]) -> str:
    """Write the result as the sum of its parts, except for those that are 0."""
    first, second = map(to_printable, match.names)
    each = [(step.prize_luck, -step.losses[0], step.losses[1], step.meeting) for step in steps]
    what = ["luck of the prizes", f"lost by {first}", f"lost by {second}", "how the bids met"]
    result = float(steps[-1].after)
    left_out = len(match.rounds) - len(steps)
    sums = [float(sum(some)) for some in zip(*each, strict=True)]
    if left_out:
        what, sums = [f"expected after round {left_out}", *what], [float(steps[0].before), *sums]
    parts = round_parts(by, sums, result)
    terms = [
        f"{'-' if part < 0 else '+'} {format_plain(by, abs(part))} ({words})".replace(" ", NO_BREAK)
        for part, words in zip(parts, what, strict=True)
        if part
    ]
    equation = " ".join([f"{result:g} =", *(terms or ["0"])]).replace(f"= +{NO_BREAK}", "= ")
    lines = fill(equation, WIDTH, break_long_words=False, break_on_hyphens=False)
    return lines.replace(NO_BREAK, " ")


def show_all(
    gathered: MatchCollection,
    found: Mapping[str, AnalysisResults],
    panel: BidProbabilitySource,
    table: Path | None,
) -> None:
    """Print means (of several matches), the costliest bids, and what is left out."""
    for by, analysis in found.items():
        if len(gathered.matches) > 1:
            _show_means(by, analysis, panel)
        _show_worst(by, analysis, [match.where for match in gathered.matches], table)
    if gathered.unfinished:
        click.echo(f"Left out: {gathered.unfinished} void or forfeited matches.")
    for bot, why in panel.unasked.items():
        click.echo(to_printable(f"Not corrected for the luck of its bids: {bot} ({why})."))
    for bot in dict.fromkeys(
        bot for analysis in found.values() for bot in analysis.find_doubtful_bots(panel)
    ):
        what = "its bids do not match its stated probabilities"
        click.echo(
            to_printable(f"The corrected results of {bot} may be wrong: {what}; {OTHERWISE}.")
        )


def _show_means(by: str, analysis: AnalysisResults, panel: BidProbabilitySource) -> None:
    bots = rank_bots(analysis.accounts, panel)
    print_table(_build_results_table(by, analysis, bots))
    if len(bots) == SEATS:
        click.echo(_format_verdict(by, bots[0]))
    else:
        order = [bot.names[0] for bot in bots]
        print_table(_build_pairs_table(by, compute_pair_results(analysis.accounts, panel, order)))
    print_table(
        _build_shares_table(
            by,
            [(bot, analysis.compute_shares(bot.names[0], panel)) for bot in bots],
            analysis.whole,
        )
    )
    click.echo("Each row adds up to the result.")


def _show_worst(
    by: str, analysis: AnalysisResults, matches: Sequence[str], table: Path | None
) -> None:
    blunders = [blunder for blunder in analysis.blunders if clean_zero(blunder.loss)]
    if blunders:
        print_table(build_blunders_table(by, blunders, matches))
    if blunders and analysis.whole:
        click.echo(f"To see the first one: {format_command(by, blunders[0], table)}")


def _build_results_table(by: str, analysis: AnalysisResults, bots: Sequence[BotResult]) -> Table:
    title = f"{len(analysis.accounts)} matches ({by}: {RESULT[by]})"
    table = build_table(title, ["games", *CORRECTED, "counts as"], "bot")
    for bot in bots:
        intervals = (format_interval(by, each) for each in (bot.result, bot.corrected))
        table.add_row(
            Text(to_printable(bot.names[0])), str(bot.games), *intervals, _format_saving(bot)
        )
    return table


def _format_saving(bot: BotResult) -> str:
    """Format the number of uncorrected games that would be as informative."""
    if bot.share_of_games is None:
        return "?"
    number = (
        f"{bot.games / bot.share_of_games:,.0f}"
        if clean_zero(bot.share_of_games)
        else choose_sign("∞", "oo")
    )
    return f"{number} games"


def _format_verdict(by: str, best: BotResult) -> str:
    """Describe which of two bots is better, or how many games would show it."""
    if clean_zero(best.corrected.low) > 0:
        bot = to_printable(best.names[0])
        return f"{bot} is better (corrected {format_interval(by, best.corrected)})."
    words = "It is too early to say which bot is better"
    if not (isfinite(best.telling) and clean_zero(best.corrected.mean)):
        return f"{words}."
    games = f"about {_round_up(best.telling):,} games would show it"
    return f"{words}: if the true difference is as large as it seems, {games}."


def _round_up(number: float) -> int:
    """Round up to two digits."""
    unit: int = 10 ** max(0, floor(log10(number)) - 1)
    return ceil(number / unit) * unit


def _build_pairs_table(by: str, pairs: Sequence[BotResult]) -> Table:
    table = build_table(f"head to head ({by})", ["games", *CORRECTED], "bot", "against")
    for pair in pairs:
        names = (Text(to_printable(name)) for name in pair.names)
        intervals = (format_interval(by, each) for each in (pair.result, pair.corrected))
        table.add_row(*names, str(pair.games), *intervals)
    return table


def _build_shares_table(
    by: str, bots: Sequence[tuple[BotResult, ResultParts]], whole: bool
) -> Table:
    """Return the table of each result's parts; the meeting of bids is split where possible."""
    split = [isfinite(made.bids_luck) for _, made in bots]
    headings = [] if whole else ["rounds\nleft out"]
    headings += ["luck of\nprizes", "lost\nearly", "lost\nmid-game", "lost\nlate", "others\nlost"]
    headings += ["luck\nof bids", "out-\nguessed"] if any(split) else []
    headings += [] if all(split) else ["how the\nbids met"]
    table = build_table(f"what the results are made of, a game ({by})", headings, "bot")
    for bot, made in bots:
        table.add_row(
            Text(to_printable(bot.names[0])), *_format_parts(by, bot, made, split)[whole:]
        )
    return table


def _format_parts(by: str, bot: BotResult, made: ResultParts, split: Sequence[bool]) -> list[str]:
    """Return a row of numbers that add up; unknown parts are left empty."""
    met = [made.bids_luck, made.guessing] if isfinite(made.bids_luck) else [made.meeting]
    parts = [
        made.left_out,
        made.prize_luck,
        *(-loss for loss in made.losses),
        made.lost_by_others,
        *met,
    ]
    shown = [format_with_sign(by, part) for part in round_parts(by, parts, bot.result.mean)]
    if all(split) or not any(split):
        return shown
    return [*shown, ""] if isfinite(made.bids_luck) else [*shown[:-1], "", "", shown[-1]]
