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
from attrs import asdict, evolve, frozen

from arena import UserError
from arena.records import SUFFIX
from arena.tables import Column, DataTable, RowFormat
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

WIDTH = 80  # of a line outside tables
NO_BREAK = "\xa0"  # without line breaks
LIKELIEST = 2  # the number of the solution's bids to show
PER_CENT = 100
LEFT_OUT, MET = Column("rounds\nleft out"), Column("how the\nbids met")
Row = dict[str, Any]


@frozen
class ResultUnit:
    """The unit of results by an objective: its words, and how its values are written."""

    objective: str
    digits: int
    meaning: str  # of a result, for the title of a table
    axis: str  # of the chart
    chart: str  # the title of the chart

    def round(self, value: Fraction | float) -> float:
        """Round a value as it is shown, without the sign of a zero."""
        return round(float(value), self.digits) + 0.0

    def round_parts(self, parts: Sequence[float], total: float) -> list[float]:
        """Round the parts of a total; the last takes what rounding left of the others."""
        some = [self.round(part) for part in parts[:-1]]
        return [*some, self.round(self.round(total) - sum(some))]

    def format(self, value: Fraction | float) -> str:
        """Format a value without a plus sign."""
        return f"{self.round(value):.{self.digits}f}"

    def format_signed(self, value: Fraction | float) -> str:
        """Format a value with its sign, unless it is 0."""
        return f"{'+' if self.round(value) > 0 else ''}{self.format(value)}"

    def format_interval(self, estimate: MeanEstimate) -> str:
        """Format a mean with the half-width of its interval."""
        away = self.format(estimate.away) if isfinite(estimate.away) else "?"
        return f"{self.format_signed(estimate.mean)} {choose_sign('±', '+-')} {away}"


UNITS = {
    "points": ResultUnit("points", 2, "difference of points", "points",
                         "Expected difference of points"),
    "win": ResultUnit("win", 3, "1 win, 0 tie, -1 loss", "1 win, -1 loss", "Expected result"),
}  # fmt: skip


def show_match(match: RecordedMatch, steps: Mapping[str, Sequence[RoundAnalysis]]) -> None:
    """Print a match round by round, for each objective, and its result as a sum."""
    for by, some in steps.items():
        print_table(_build_rounds_table(UNITS[by], match, some))
        click.echo(_format_sum(UNITS[by], match, some))


def _build_rounds_table(
    unit: ResultUnit, match: RecordedMatch, steps: Sequence[RoundAnalysis]
) -> DataTable:
    first, second = map(to_printable, match.names)
    lost = [Column(f"{fill(name, UNBROKEN)}\nlost") for name in (first, second)]
    columns: RowFormat[RoundAnalysis] = (
        (Column("expected"), lambda step: unit.format_signed(step.before)),
        (Column("prize"), lambda step: str(step.round.prize)),
        (Column("prize's\nluck"), lambda step: unit.format_signed(step.prize_luck)),
        (Column("bids"), lambda step: " : ".join(map(str, step.round.bids))),
        (lost[0], lambda step: unit.format_signed(-step.losses[0])),
        (lost[1], lambda step: unit.format_signed(step.losses[1])),
        (MET, lambda step: unit.format_signed(step.meeting)),
    )
    left_out = len(match.rounds) - len(steps)
    late = f", from round {left_out + 1} on" if left_out else ""
    title = f"{first} against {second} ({unit.objective}, as {first} sees it{late})"
    table = DataTable.of(steps, columns, title)
    end = [unit.format_signed(steps[-1].after), *[""] * (len(columns) - 1)]
    return evolve(table, rows=[*table.rows, end])


def _format_sum(unit: ResultUnit, match: RecordedMatch, steps: Sequence[RoundAnalysis]) -> str:
    """Write the result as the sum of its parts, except for those that are 0."""
    first, second = map(to_printable, match.names)
    what = ["luck of the prizes", f"lost by {first}", f"lost by {second}", MET.label]
    result, sums = float(steps[-1].after), _sum_parts(steps)
    left_out = len(match.rounds) - len(steps)
    if left_out:
        what, sums = [f"expected after round {left_out}", *what], [float(steps[0].before), *sums]
    terms = [
        f"{'-' if part < 0 else '+'} {unit.format(abs(part))} ({words})".replace(" ", NO_BREAK)
        for part, words in zip(unit.round_parts(sums, result), what, strict=True)
        if part
    ]
    equation = " ".join([f"{result:g} =", *(terms or ["0"])]).replace(f"= +{NO_BREAK}", "= ")
    lines = fill(equation, WIDTH, break_long_words=False, break_on_hyphens=False)
    return lines.replace(NO_BREAK, " ")


def _sum_parts(steps: Sequence[RoundAnalysis]) -> list[float]:
    """Return the sum of each of the changes of the rounds (`RoundAnalysis.parts`)."""
    return [float(sum(some)) for some in zip(*(step.parts for step in steps), strict=True)]


def show_all(
    gathered: MatchCollection,
    found: Mapping[str, AnalysisResults],
    panel: BidProbabilitySource,
    table: Path | None,
) -> None:
    """Print means (of several matches), the costliest bids, and what is left out."""
    for by, analysis in found.items():
        if len(gathered.matches) > 1:
            _show_means(UNITS[by], analysis, panel)
        _show_worst(UNITS[by], analysis, [match.where for match in gathered.matches], table)
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


def _show_means(unit: ResultUnit, analysis: AnalysisResults, panel: BidProbabilitySource) -> None:
    bots = rank_bots(analysis.accounts, panel)
    title = f"{len(analysis.accounts)} matches ({unit.objective}: {unit.meaning})"
    print_table(_build_results_table(unit, title, bots).drop_columns("against"))
    if len(bots) == SEATS:
        click.echo(_format_verdict(unit, bots[0]))
    else:
        order = [bot.names[0] for bot in bots]
        pairs = compute_pair_results(analysis.accounts, panel, order)
        table = _build_results_table(unit, f"head to head ({unit.objective})", pairs)
        print_table(table.drop_columns("counts as"))
    shares = [(bot, analysis.compute_shares(bot.names[0], panel)) for bot in bots]
    table = _build_shares_table(unit, shares)
    print_table(table.drop_columns(LEFT_OUT.heading) if analysis.whole else table)
    click.echo("Each row adds up to the result.")


def _build_results_table(unit: ResultUnit, title: str, results: Sequence[BotResult]) -> DataTable:
    columns: RowFormat[BotResult] = (
        (Column("bot", is_text=True, may_wrap=True), lambda bot: bot.names[0]),
        (Column("against", is_text=True, may_wrap=True), lambda bot: bot.names[-1]),
        (Column("games"), lambda bot: str(bot.games)),
        (Column("result"), lambda bot: unit.format_interval(bot.result)),
        (Column("corrected for luck"), lambda bot: unit.format_interval(bot.corrected)),
        (Column("counts as"), _format_saving),
    )
    return DataTable.of(results, columns, title)


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


def _format_verdict(unit: ResultUnit, best: BotResult) -> str:
    """Describe which of two bots is better, or how many games would show it."""
    if clean_zero(best.corrected.low) > 0:
        bot = to_printable(best.names[0])
        return f"{bot} is better (corrected {unit.format_interval(best.corrected)})."
    words = "It is too early to say which bot is better"
    if not (isfinite(best.telling) and clean_zero(best.corrected.mean)):
        return f"{words}."
    games = f"about {_round_up(best.telling):,} games would show it"
    return f"{words}: if the true difference is as large as it seems, {games}."


def _round_up(number: float) -> int:
    """Round up to two digits."""
    unit: int = 10 ** max(0, floor(log10(number)) - 1)
    return ceil(number / unit) * unit


def _build_shares_table(
    unit: ResultUnit, bots: Sequence[tuple[BotResult, ResultParts]]
) -> DataTable:
    """Return the table of each result's parts, which add up as they are written."""
    rows = list[dict[Column, str]]()
    for bot, made in bots:
        parts = _list_parts(made)
        rounded = unit.round_parts([*parts.values()], bot.result.mean)
        rows.append(dict(zip(parts, map(unit.format_signed, rounded), strict=True)))
    split_first = sorted(rows, key=len, reverse=True)
    columns = [*dict.fromkeys(chain.from_iterable(split_first))]
    return DataTable(
        [Column("bot", is_text=True, may_wrap=True), *columns],
        [[bot.names[0], *(row.get(column, "") for column in columns)]
         for (bot, _), row in zip(bots, rows, strict=True)],
        f"what the results are made of, a game ({unit.objective})",
    )  # fmt: skip


def _list_parts(made: ResultParts) -> dict[Column, float]:
    """Return the parts of a result by column; the meeting of bids is split where possible."""
    met = {Column("luck\nof bids"): made.bids_luck, Column("out-\nguessed"): made.guessing}
    return {
        LEFT_OUT: made.left_out,
        Column("luck of\nprizes"): made.prize_luck,
        Column("lost\nearly"): -made.lost_first,
        Column("lost\nmid-game"): -made.lost_middle,
        Column("lost\nlate"): -made.lost_last,
        Column("others\nlost"): made.lost_by_others,
        **(met if isfinite(made.bids_luck) else {MET: made.meeting}),
    }


def _show_worst(
    unit: ResultUnit, analysis: AnalysisResults, matches: Sequence[str], table: Path | None
) -> None:
    if blunders := _list_blunders(analysis):
        print_table(_build_blunders_table(unit, blunders, matches))
        if analysis.whole:
            command = format_command(unit.objective, blunders[0], table)
            click.echo(f"To see the first one: {command}")


def _list_blunders(analysis: AnalysisResults) -> list[Blunder]:
    """Return the costliest bids, without those that cost something by rounding only."""
    return [blunder for blunder in analysis.blunders if clean_zero(blunder.loss)]


def _build_blunders_table(
    unit: ResultUnit, blunders: Sequence[Blunder], matches: Sequence[str]
) -> DataTable:
    """Return the table of the costliest bids, with a column for the match if there are several."""
    labels = label_matches(matches)
    columns: RowFormat[Blunder] = (
        (Column("match", is_text=True, may_wrap=True), lambda bid: labels[bid.match.where]),
        (Column("bot", is_text=True), lambda bid: bid.match.names[bid.seat]),
        (Column("hand", is_text=True, may_wrap=True), lambda bid: format_runs(bid.place.mine)),
        (Column("theirs", is_text=True, may_wrap=True), lambda bid: format_runs(bid.place.theirs)),
        (Column("prizes", is_text=True, may_wrap=True), lambda bid: format_runs(bid.place.prizes)),
        (Column("the solution\nbids (%)", is_text=True, may_wrap=True),
         lambda bid: _format_mix(bid.solution)),
        (Column("score"), lambda bid: f"{bid.place.difference:+}" if bid.place.difference else "0"),
        (Column("bid"), lambda bid: f"{bid.bid} for {bid.step.round.prize}"),
        (Column("cost"), lambda bid: unit.format(bid.loss)),
    )  # fmt: skip
    hidden = [] if len(matches) > 1 else ["match"]
    hidden += [] if unit.objective == "win" else ["score"]
    table = DataTable.of(blunders, columns, f"the costliest bids ({unit.objective})")
    return table.drop_columns(*hidden)


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
        "left_out": clean_zero(steps[0].before),
        **_pack_parts(_sum_parts(steps)),
    }


def _pack_parts(parts: Iterable[Fraction | float]) -> Row:
    """Return the changes of a round, or of several, with losses that are 0 or more."""
    luck, lost, won, meeting = parts
    return {
        "prize_luck": clean_zero(luck),
        "losses": [clean_zero(-lost), clean_zero(won)],
        "meeting": clean_zero(meeting),
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
        "before": clean_zero(step.before),
        **_pack_parts(step.parts),
        "after": clean_zero(step.after),
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
    accounts = analysis.accounts
    return {
        "bots": [
            _pack_bot(bot, analysis.compute_shares(bot.names[0], panel))
            for bot in compute_bot_results(accounts, panel)
        ],
        "pairs": [*map(_pack_result, compute_pair_results(accounts, panel))],
        "worst": [*map(_pack_blunder, _list_blunders(analysis))],
    }


def _pack_bot(bot: BotResult, made: ResultParts) -> Row:
    packed = _pack_result(bot)
    (name,) = packed.pop("names")
    return {
        "name": name,
        **packed,
        "left_out": _clean(made.left_out),
        "prize_luck": _clean(made.prize_luck),
        "lost_by_third": [*map(_clean, made.losses)],
        "lost_by_others": _clean(made.lost_by_others),
        "meeting": _clean(made.meeting),
        "bids_luck": _clean(made.bids_luck),
        "outguessed": _clean(made.guessing),
    }


def _pack_result(result: BotResult) -> Row:
    fields = asdict(result, value_serializer=lambda _, __, value: _clean(value))
    return {**fields, "needed": result.share_of_games}


def _clean(value: Any) -> Any:
    """Return a value of JSON: a number without its errors by rounding, or None if infinite."""
    if not isinstance(value, float):
        return value
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


# A chart of the expected result, round by round.

SUFFIXES = (".svg", ".png")
MODULES = ("altair", "vl_convert")
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
        _build_chart(UNITS[by], analysis.accounts, _list_names(analysis.accounts, panel))
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
    unit: ResultUnit, accounts: Sequence[MatchAccount], names: Sequence[str]
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
    line = base.mark_line(point=True).encode(alt.Y("mean:Q", title=unit.axis))
    words = last.mark_text(align="left", dx=10, fontSize=13).encode(y="at:Q", text="bot:N")
    level = alt.Chart(alt.InlineData(values=[{"y": 0}])).mark_rule(color=INK).encode(y="y:Q")
    layers = [level, line, words] if len(names) > 1 else [level, half, line]
    title = _build_title(unit, accounts, names)
    return alt.layer(*layers).properties(title=title, width=PICTURE_WIDTH, height=HEIGHT)


def _build_title(
    unit: ResultUnit, accounts: Sequence[MatchAccount], names: Sequence[str]
) -> TitleParams:
    """Return the title of the chart, with the number of matches below."""
    import altair as alt

    who, number = " against ".join(map(clean_name, accounts[0].match.names)), len(accounts)
    below = f"mean of {number} matches, and the band that holds half of them" if number > 1 else ""
    if len(names) > 1:
        who, below = "as each sees it", f"means of {number} matches"
    return alt.TitleParams(f"{unit.chart}, {who}", subtitle=below)
