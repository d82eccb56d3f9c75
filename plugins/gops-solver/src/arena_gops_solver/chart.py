"""A chart of the expected result, round by round."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arena import UserError
from arena.wires import to_printable
from arena_gops_solver.analysis import (
    AnalysisResults,
    BidProbabilitySource,
    MatchAccount,
    rank_bots,
)
from arena_gops_solver.bots import SEATS

if TYPE_CHECKING:
    from altair import FacetChart, LayerChart, TitleParams

SUFFIXES = (".svg", ".png")
MODULES = ("altair", "vl_convert")
AXES = {"points": "points", "win": "1 win, -1 loss"}
TITLES = {"points": "Expected difference of points", "win": "Expected result"}
INK, PAPER = "#222222", "#ffffff"  # an explicit background, also for dark pages
MIDDLE = (25, 75)  # percentiles of the middle half
WIDTH, HEIGHT = 640, 300  # of each chart, in pixels
LETTERS = 30  # characters of a name; long ones take space and time
LINES = 16  # of text that fit into the height of the chart
PUSHES = 100
NO_XML = (0xFFFE, 0xFFFF)  # besides unprintable characters
SHARPER = 2  # pixels of a PNG for each of these

Row = dict[str, Any]


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
    return alt.layer(*layers).properties(title=title, width=WIDTH, height=HEIGHT)


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
