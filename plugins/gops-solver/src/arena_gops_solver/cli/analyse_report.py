"""The report of `arena gops analyse`: a sum and tables for people, a chart, JSON for programs.

People see a match round by round (`show_match`), and means and the costliest bids of several
(`show_all`). For programs `pack_match` and `pack_all` return the same as JSON.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from importlib.util import find_spec
from itertools import chain
from math import ceil, floor, isfinite, log10
from operator import itemgetter
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from rich.table import Table
from rich.text import Text

from arena import UserError
from arena.records import SUFFIX
from arena.wires import to_printable
from arena_gops_solver.analysis import (
    OTHERWISE,
    AnalysisResults,
    BidProbabilitySource,
    Blunder,
    BotResult,
    MatchAccount,
    MeanEstimate,
    ResultParts,
    RoundAnalysis,
    compute_bot_results,
    compute_pair_results,
    rank_bots,
)
from arena_gops_solver.bots import SEATS
from arena_gops_solver.cli.shared import UNBROKEN, choose_sign, clean_zero, print_table
from arena_gops_solver.recorded_matches import MatchCollection, RecordedMatch, RecordedRound

if TYPE_CHECKING:
    from altair import FacetChart, LayerChart, TitleParams

DIGITS = {"points": 2, "win": 3}
RESULT = {"points": "difference of points", "win": "1 win, 0 tie, -1 loss"}
CORRECTED = ("result", "corrected for luck")
WIDTH = 80  # of a line outside tables
NO_BREAK = "\xa0"  # without line breaks
LIKELIEST = 2  # the number of the solution's bids to show
PER_CENT = 100
Row = dict[str, Any]


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


def _show_worst(
    by: str, analysis: AnalysisResults, matches: Sequence[str], table: Path | None
) -> None:
    blunders = [blunder for blunder in analysis.blunders if clean_zero(blunder.loss)]
    if blunders:
        print_table(build_blunders_table(by, blunders, matches))
    if blunders and analysis.whole:
        click.echo(f"To see the first one: {format_command(by, blunders[0], table)}")


def build_blunders_table(by: str, blunders: Sequence[Blunder], matches: Sequence[str]) -> Table:
    """Return the table of the costliest bids, with a column for the match if there are several."""
    score = ["score"] if by == "win" else []
    match = ["match"] if len(matches) > 1 else []
    words = [*match, "bot", "hand", "theirs", "prizes", "the solution\nbids (%)"]
    table = build_table(f"the costliest bids ({by})", [*score, "bid", "cost"], *words)
    table.columns[len(match)].no_wrap = True
    called = label_matches(matches)
    for blunder in blunders:
        place = blunder.place
        where = [Text(to_printable(called[blunder.match.where]))] if match else []
        ahead = [f"{place.difference:+}" if place.difference else "0"] if score else []
        table.add_row(
            *where,
            Text(fill(to_printable(blunder.match.names[blunder.seat]), UNBROKEN)),
            *map(format_runs, (place.mine, place.theirs, place.prizes)),
            _format_mix(blunder.solution),
            *ahead,
            f"{blunder.bid} for {blunder.step.round.prize}",
            format_plain(by, blunder.loss),
        )
    return table


def label_matches(places: Sequence[str]) -> dict[str, str]:
    """Return the shortest labels that still distinguish the sources."""
    ways = ({place: say(place) for place in places} for say in (_get_number, _get_name, str))
    return next(found for found in ways if len(set(found.values())) == len(found))


def _get_number(place: str) -> str:
    """Return the key of a tournament's match, or the number at the start of a file name."""
    name = _get_name(place).rpartition(": match ")[2]
    return re.sub(r"^(\d+)-.*", r"\1", name)


def _get_name(place: str) -> str:
    return Path(place).name.removesuffix(SUFFIX)


def format_runs(cards: Sequence[int]) -> str:
    """Write cards in ascending order; three or more in a row as `3-5`.

    >>> format_runs((1, 2, 4, 5, 6, 8))
    '1 2 4-6 8'
    """
    return " ".join(chain.from_iterable(map(_format_run, _split_runs(cards))))


def _split_runs(cards: Sequence[int]) -> Iterator[Sequence[int]]:
    first = 0
    for at in range(1, len(cards) + 1):
        if at == len(cards) or cards[at] > cards[at - 1] + 1:
            yield cards[first:at]
            first = at


def _format_run(cards: Sequence[int]) -> list[str]:
    return [f"{cards[0]}-{cards[-1]}"] if len(cards) > 2 else [*map(str, cards)]  # noqa: PLR2004


def _format_mix(solution: Mapping[int, float]) -> str:
    """Write the likeliest bids, with their probabilities."""
    likeliest = sorted(solution.items(), key=lambda bid: -bid[1])
    words = [f"{card}: {PER_CENT * chance:.0f}" for card, chance in likeliest[:LIKELIEST]]
    return ", ".join(words) + (f" {choose_sign('…', '..')}" if len(likeliest) > LIKELIEST else "")


def format_command(by: str, blunder: Blunder, table: Path | None) -> str:
    """Return the command that shows the position of a bid."""
    place, cards = blunder.place, blunder.match.variant.cards
    hands = {"mine": place.mine, "theirs": place.theirs, "prizes": place.prizes}
    words = ["arena", "gops", "explore"]
    for name, some in hands.items():
        words += [f"--{name}", ",".join(map(str, some))]
    words += ["--prize", str(blunder.step.round.prize)]
    if place.difference:
        words += ["--difference", str(place.difference)]
    if by == "win":  # of so many cards, or the difference could not be
        words += ["--objective", by, "--cards", str(cards)]
    return shlex.join([*words, "--table", str(table)] if table else words)


def pack_match(match: RecordedMatch, steps: Mapping[str, Sequence[RoundAnalysis]]) -> Row:
    """Return a match: its totals by objective, and the same for each round."""
    return {
        "match": match.where,
        "deal": match.deal,
        "names": match.names,
        "cards": match.variant.cards,
        "difference": match.difference,
        **{by: _pack_total(some) for by, some in steps.items()},
        "rounds": [_pack_round(
                       played, {by: some[at] for by, some in steps.items() if -at <= len(some)}
                   ) for at, played in enumerate(match.rounds, -len(match.rounds))],
    }  # fmt: skip


def _pack_total(steps: Sequence[RoundAnalysis]) -> Row:
    return {
        "result": float(steps[-1].after),
        "left_out": clean_zero(float(steps[0].before)),
        "prize_luck": clean_zero(float(sum(step.prize_luck for step in steps))),
        "losses": [clean_zero(float(sum(step.losses[seat] for step in steps))) for seat in (0, 1)],
        "meeting": clean_zero(float(sum(step.meeting for step in steps))),
    }


def _pack_round(played: RecordedRound, steps: Mapping[str, RoundAnalysis]) -> Row:
    return {
        "prize": played.prize,
        "hands": played.hands,
        "bids": played.bids,
        "difference": played.place.difference,
        **{by: _pack_step(step) for by, step in steps.items()},
    }


def _pack_step(step: RoundAnalysis) -> Row:
    return {
        "before": clean_zero(float(step.before)),
        "prize_luck": clean_zero(float(step.prize_luck)),
        "losses": [clean_zero(float(loss)) for loss in step.losses],
        "meeting": clean_zero(float(step.meeting)),
        "after": clean_zero(float(step.after)),
    }


def pack_all(
    gathered: MatchCollection, found: Mapping[str, AnalysisResults], panel: BidProbabilitySource
) -> Row:
    """Return the summary of all matches."""
    return {
        "matches": len(gathered.matches),
        "unfinished": gathered.unfinished,
        **{by: _pack_analysis(analysis, panel) for by, analysis in found.items()},
        "not_asked": panel.unasked,
        "doubted": sorted(
            {bot for analysis in found.values() for bot in analysis.find_doubtful_bots(panel)}
        ),
    }


def _pack_analysis(analysis: AnalysisResults, panel: BidProbabilitySource) -> Row:
    bots, pairs = (
        compute_bot_results(analysis.accounts, panel),
        compute_pair_results(analysis.accounts, panel),
    )
    return {
        "bots": [_pack_bot(bot, analysis.compute_shares(bot.names[0], panel)) for bot in bots],
        "pairs": [{"names": pair.names, **_pack_result(pair)} for pair in pairs],
        "worst": [
            _pack_blunder(blunder) for blunder in analysis.blunders if clean_zero(blunder.loss)
        ],
    }


def _pack_bot(bot: BotResult, made: ResultParts) -> Row:
    return {
        "name": bot.names[0],
        **_pack_result(bot),
        "left_out": clean_zero(made.left_out),
        "prize_luck": clean_zero(made.prize_luck),
        "lost_by_third": [clean_zero(loss) for loss in made.losses],
        "lost_by_others": clean_zero(made.lost_by_others),
        "meeting": clean_zero(made.meeting),
        "bids_luck": _drop_infinite(made.bids_luck),
        "outguessed": _drop_infinite(made.guessing),
    }


def _pack_result(estimate: BotResult) -> Row:
    return {
        "games": estimate.games,
        "deals": estimate.deals,
        "result": _pack_estimate(estimate.result),
        "corrected": _pack_estimate(estimate.corrected),
        "needed": estimate.share_of_games,
    }


def _pack_estimate(estimate: MeanEstimate) -> Row:
    return {
        "mean": clean_zero(estimate.mean),
        "low": _drop_infinite(estimate.low),
        "high": _drop_infinite(estimate.high),
    }


def _drop_infinite(value: float) -> float | None:
    return clean_zero(value) if isfinite(value) else None


def _pack_blunder(blunder: Blunder) -> Row:
    place = blunder.place
    return {
        "match": blunder.match.where,
        "round": blunder.number,
        "seat": blunder.seat,
        "name": blunder.match.names[blunder.seat],
        "prize": blunder.step.round.prize,
        "hand": place.mine,
        "other_hand": place.theirs,
        "prizes": place.prizes,
        "difference": place.difference,
        "bid": blunder.bid,
        "solution": blunder.solution,
        "loss": clean_zero(blunder.loss),
    }


def build_table(title: str, numbers: Iterable[str], *words: str) -> Table:
    """Build a table; columns of words come first, and may be folded."""
    table = Table(title=Text(title))
    for heading in words:
        table.add_column(heading, overflow="fold")
    for heading in numbers:
        table.add_column(Text(heading), justify="right", no_wrap=True)
    return table


def round_value(by: str, value: Fraction | float) -> float:
    """Round a value as it is shown, without the sign of a zero."""
    return round(float(value), DIGITS[by]) + 0.0


def format_plain(by: str, value: Fraction | float) -> str:
    """Format a value without a plus sign."""
    return f"{round_value(by, value):.{DIGITS[by]}f}"


def format_with_sign(by: str, value: Fraction | float) -> str:
    """Format a value with its sign, unless it is 0."""
    return (
        f"{round_value(by, value):+.{DIGITS[by]}f}"
        if round_value(by, value)
        else format_plain(by, 0)
    )


def format_interval(by: str, estimate: MeanEstimate) -> str:
    """Format a mean with the half-width of its interval."""
    away = format_plain(by, estimate.away) if isfinite(estimate.away) else "?"
    return f"{format_with_sign(by, estimate.mean)} {choose_sign('±', '+-')} {away}"


def round_parts(by: str, parts: Sequence[float], total: float) -> list[float]:
    """Round the parts of a total; the last takes what rounding left of the others."""
    some = [round_value(by, part) for part in parts[:-1]]
    return [*some, round_value(by, round_value(by, total) - sum(some))]


# A chart of the expected result, round by round.

SUFFIXES = (".svg", ".png")
MODULES = ("altair", "vl_convert")
AXES = {"points": "points", "win": "1 win, -1 loss"}
TITLES = {"points": "Expected difference of points", "win": "Expected result"}
INK, PAPER = "#222222", "#ffffff"  # an explicit background, also for dark pages
MIDDLE = (25, 75)  # percentiles of the middle half
PICTURE_WIDTH, HEIGHT = 640, 300  # of each chart, in pixels
LETTERS = 30  # characters of a name; long ones take space and time
LINES = 16  # of text that fit into the height of the chart
PUSHES = 100
NO_XML = (0xFFFE, 0xFFFF)  # besides unprintable characters
SHARPER = 2  # pixels of a PNG for each of these


def check_drawable(path: Path) -> None:
    """Raise UserError if a chart cannot be drawn into this file."""
    if path.suffix not in SUFFIXES:
        raise UserError(f"{path}: use the suffix .svg or .png")
    if not os.path.isdir(path.parent):
        raise UserError(f"{path} cannot be written: the folder {path.parent} does not exist")
    if any(find_spec(name) is None for name in MODULES):
        raise UserError(
            "charts need altair and vl-convert-python: pip install 'arena-gops-solver[picture]'"
        )


def clean_name(name: str) -> str:
    """Return a shortened name without characters that XML does not allow."""
    whole = to_printable(name).translate(dict.fromkeys(NO_XML, "?"))
    return whole if len(whole) <= LETTERS else f"{whole[: LETTERS - 1]}…"


def disambiguate_names(names: Iterable[str]) -> dict[str, str]:
    """Return a label for each name; names that would look alike get a number."""
    drawn: dict[str, str] = {}
    for number, name in enumerate(names, 1):
        short = clean_name(name)
        drawn[name] = f"{short} {number}" if short in drawn.values() else short
    return drawn


def draw(path: Path, found: Mapping[str, AnalysisResults], panel: BidProbabilitySource) -> None:
    """Draw a chart for each objective into a file; raise UserError if it cannot be written."""
    import altair as alt

    charts = [
        _build_chart(by, analysis.accounts, _list_names(analysis.accounts, panel))
        for by, analysis in found.items()
    ]
    picture = (
        alt.vconcat(*charts)
        .configure(background=PAPER)
        .configure_axis(labelColor=INK, titleColor=INK, labelFontSize=12, titleFontSize=13)
        .configure_title(color=INK, subtitleColor=INK, fontSize=15, subtitleFontSize=13,
                         anchor="start")
    )  # fmt: skip
    try:
        picture.save(str(path), scale_factor=SHARPER)
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror}") from None


def _list_names(accounts: Sequence[MatchAccount], panel: BidProbabilitySource) -> list[str]:
    """Return the names to draw, the best first; of two only the first, as the other mirrors it."""
    bots = [bot.names[0] for bot in rank_bots(accounts, panel)]
    return bots if len(bots) > SEATS else [accounts[0].match.names[0]]


def build_rows(accounts: Sequence[MatchAccount], drawn: Mapping[str, str]) -> Iterator[Row]:
    """Return the mean and the middle half of the expected results by bot and round.

    `drawn` maps the bots to draw to their labels.
    """
    lines: dict[str, list[tuple[float, ...]]] = {name: [] for name in drawn}
    for account in accounts:
        for name, sign in zip(account.match.names, (1, -1), strict=True):
            if name in lines:
                lines[name].append(tuple(sign * each for each in account.expected))
    for name, some in lines.items():
        for played in range(max(map(len, some))):
            there = [line[played] for line in some if played < len(line)]
            low, high = np.percentile(there, MIDDLE)
            mean = sum(there) / len(there)
            yield {"bot": drawn[name], "round": played, "mean": mean, "low": low, "high": high}


def place_names(found: Sequence[Row]) -> list[Row]:
    """Return the height (`at`) of each bot's name: near the end of its line, without overlaps.

    Names that are too close push each other away, half the way each, until they are not.
    """
    means = [row["mean"] for row in found]
    apart = (max(means) - min(means)) / LINES
    last = sorted({row["bot"]: row for row in found}.values(), key=itemgetter("mean"))
    heights = [row["mean"] for row in last]
    for _ in range(PUSHES):
        for at in range(len(heights) - 1):
            push = max(0, apart - (heights[at + 1] - heights[at])) / 2
            heights[at] -= push
            heights[at + 1] += push
    return [row | {"at": height} for row, height in zip(last, heights, strict=True)]


def _build_chart(
    objective: str, accounts: Sequence[MatchAccount], names: Sequence[str]
) -> LayerChart | FacetChart:
    """Draw a line for each name: with a band if there is one, else with the names at their ends."""
    import altair as alt

    drawn = disambiguate_names(names)
    found = [*build_rows(accounts, drawn)]
    base, last = (
        alt.Chart(alt.InlineData(values=values)).encode(
            alt.X("round:Q", title="rounds played", axis=alt.Axis(tickMinStep=1, format="d")),
            alt.Color("bot:N", sort=[*drawn.values()], legend=None),
        )
        for values in (found, place_names(found))
    )
    half = base.mark_area(opacity=0.2).encode(alt.Y("low:Q"), alt.Y2("high:Q"))
    line = base.mark_line(point=True).encode(alt.Y("mean:Q", title=AXES[objective]))
    words = last.mark_text(align="left", dx=10, fontSize=13).encode(y="at:Q", text="bot:N")
    level = alt.Chart(alt.InlineData(values=[{"y": 0}])).mark_rule(color=INK).encode(y="y:Q")
    layers = [level, line, words] if len(names) > 1 else [level, half, line]
    title = _build_title(objective, accounts, names)
    return alt.layer(*layers).properties(title=title, width=PICTURE_WIDTH, height=HEIGHT)


def _build_title(
    objective: str, accounts: Sequence[MatchAccount], names: Sequence[str]
) -> TitleParams:
    """Return the title of the chart, with the number of matches below."""
    import altair as alt

    who, number = " against ".join(map(clean_name, accounts[0].match.names)), len(accounts)
    below = f"mean of {number} matches, and the band that holds half of them" if number > 1 else ""
    if len(names) > 1:
        who, below = "as each sees it", f"means of {number} matches"
    return alt.TitleParams(f"{TITLES[objective]}, {who}", subtitle=below)
