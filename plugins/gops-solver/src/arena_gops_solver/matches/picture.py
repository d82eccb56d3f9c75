"""A picture of the result that could be expected, from round to round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arena import Refusal
from arena_gops_solver.bots import SEATS
from arena_gops_solver.matches.analysis import Account

if TYPE_CHECKING:
    from altair import FacetChart, LayerChart

SUFFIXES = (".svg", ".png")
MODULES = ("altair", "vl_convert")
AXES = {"points": "expected difference of points", "win": "expected result: 1 won, -1 lost"}
INK, PAPER = "#222222", "#ffffff"  # of its own, so that a dark page changes nothing
MIDDLE = (25, 75)  # per cent: half of the matches lie between
WIDTH, HEIGHT = 640, 300  # of each chart, in pixels
SHARPER = 2  # pixels of a PNG for each of these

Row = dict[str, Any]


def see_drawable(path: Path) -> None:
    """Raise Refusal where no picture can be made, or not of this kind."""
    if path.suffix not in SUFFIXES:
        raise Refusal(f"{path}: a picture is .svg or .png")
    if any(find_spec(name) is None for name in MODULES):
        raise Refusal(
            "pictures need altair and vl-convert-python; "
            "get them by pip install 'arena-gops-solver[picture]'"
        )


def draw(path: Path, accounts: Mapping[str, Sequence[Account]]) -> None:
    """Draw a chart for each objective into a file; raise Refusal where it cannot be written."""
    import altair as alt

    charts = [_chart(objective, some) for objective, some in accounts.items()]
    picture = (
        alt.vconcat(*charts)
        .configure(background=PAPER)
        .configure_axis(labelColor=INK, titleColor=INK, labelFontSize=12, titleFontSize=13)
        .configure_legend(labelColor=INK, titleColor=INK, labelFontSize=12, titleFontSize=13)
        .configure_title(color=INK, fontSize=15, anchor="start")
    )
    try:
        picture.save(str(path), scale_factor=SHARPER)
    except OSError as problem:
        raise Refusal(f"{path} cannot be written: {problem.strerror}") from None


def rows(accounts: Sequence[Account]) -> Iterator[Row]:
    """Give for each bot and round the mean and the middle half of what could be expected.

    Of two bots the first only, as the other's is the same upside down.
    """
    lines: dict[str, list[tuple[float, ...]]] = {}
    for one in accounts:
        for name, sign in zip(one.match.names, (1, -1), strict=True):
            lines.setdefault(name, []).append(tuple(sign * each for each in one.expected))
    for name in [*lines][:1] if len(lines) == SEATS else lines:
        for played in range(max(map(len, lines[name]))):
            there = [line[played] for line in lines[name] if played < len(line)]
            low, high = np.percentile(there, MIDDLE)
            mean = sum(there) / len(there)
            yield {"bot": name, "round": played, "mean": mean, "low": low, "high": high}


def _chart(objective: str, accounts: Sequence[Account]) -> LayerChart | FacetChart:
    import altair as alt

    found = [*rows(accounts)]
    title = f"{AXES[objective].capitalize()}, {_of_what(accounts)}"
    x = alt.X("round:Q", title="rounds played", axis=alt.Axis(tickMinStep=1, format="d"))
    legend = alt.Legend(title="for", symbolType="stroke", symbolOpacity=1)
    color = alt.Color("bot:N", sort=None, legend=legend)
    base = alt.Chart(alt.InlineData(values=found)).encode(x, color)
    line = base.mark_line(point=True).encode(alt.Y("mean:Q", title=AXES[objective]))
    half = base.mark_area(opacity=0.2).encode(alt.Y("low:Q"), alt.Y2("high:Q"))
    level = alt.Chart(alt.InlineData(values=[{"y": 0}])).mark_rule(color=INK).encode(y="y:Q")
    return alt.layer(level, half, line).properties(title=title, width=WIDTH, height=HEIGHT)


def _of_what(accounts: Sequence[Account]) -> str:
    if len(accounts) == 1:
        return " against ".join(accounts[0].match.names)
    return f"{len(accounts)} matches: mean, and the middle half"
