"""Charts of standings as SVG, readable on light and on dark pages.

This module computes the geometry; the templates next to it draw it. Jinja2 escapes their values, so
that a stranger's name is only ever text.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, isfinite, log10
from typing import ClassVar

from attrs import frozen
from rich.cells import cell_len, set_cell_size

from arena.tournament.ratings import Estimate
from arena.tournament.results.standings import Standing
from arena.tournament.results.standings_tables import (
    MAX_MATRIX,
    format_estimate,
    format_percent,
    label_entrants,
)
from arena.tournament.results.summary import Summary
from arena.wires import to_printable

MARGIN_PIXELS = 20
HEADER_PIXELS = 80  # above the first row
NAMES_LEFT_PIXELS = MARGIN_PIXELS + 28  # to the left of the names, for the places
LETTER_PIXELS = 8.4  # on average, of a letter
MAX_NAME_LETTERS = 40  # longer names are shortened
SCALE_PIXELS = 360  # of the scale's width
FIGURES_PIXELS = 110  # of the ratings as numbers
ROW_PIXELS = 28  # of a row's height
CELL_PIXELS = 40  # of a cell's side
APPROXIMATE_TICKS = 6  # on the scale
EVEN_SHARE = 0.5  # the share between equals
SUBTITLE_LETTER_PIXELS = 6.6  # on average, of a letter of the subtitle


@frozen
class Chart:
    """What every chart has: titles, and the margin for names."""

    title: str
    subtitle: str
    left: float  # the right end of the names
    edge: ClassVar = MARGIN_PIXELS
    names: ClassVar = NAMES_LEFT_PIXELS

    top: ClassVar = HEADER_PIXELS
    cell: ClassVar = CELL_PIXELS

    @property
    def heading(self) -> float:
        """The height of the title's lines, in pixels."""
        return 2 * MARGIN_PIXELS + round(SUBTITLE_LETTER_PIXELS * cell_len(self.subtitle))


@frozen
class ScaleMark:
    """A mark of a scale."""

    x: float
    text: str


@frozen
class IntervalRow:
    """The row of an entrant with its interval."""

    y: float
    place: str
    name: str
    figure: str
    ends: tuple[float, float, float] | None  # low, rating, high; None if off the scale
    open: bool  # whether the interval is infinite


@frozen
class IntervalChart(Chart):
    """The data of `intervals.svg.j2`."""

    rows: Sequence[IntervalRow]
    ticks: Sequence[ScaleMark]

    @property
    def width(self) -> float:
        """The width in pixels."""
        return max(self.heading, self.left + SCALE_PIXELS + FIGURES_PIXELS + MARGIN_PIXELS)

    @property
    def bottom(self) -> float:
        """The lower edge of the last row, in pixels."""
        return HEADER_PIXELS + ROW_PIXELS * len(self.rows)

    @property
    def height(self) -> float:
        """The height in pixels."""
        return self.bottom + 2 * MARGIN_PIXELS


@frozen
class HeatMapCell:
    """The share of matches in which one entrant finished ahead of another."""

    x: float
    text: str  # in per cent; empty if they never met
    side: str
    depth: float  # of the colour, from 0 to 1
    words: str


@frozen
class HeatMapRow:
    """The results of an entrant against all others."""

    y: float
    place: str
    name: str
    cells: Sequence[HeatMapCell]


@frozen
class HeatMap(Chart):
    """The data of `heat.svg.j2`."""

    rows: Sequence[HeatMapRow]

    @property
    def width(self) -> float:
        """The width in pixels."""
        return max(self.heading, self.left + CELL_PIXELS * len(self.rows) + MARGIN_PIXELS)

    @property
    def height(self) -> float:
        """The height in pixels."""
        return HEADER_PIXELS + CELL_PIXELS * len(self.rows) + MARGIN_PIXELS


def render_ratings(
    standings: Sequence[Standing], game: str, matches: int, level: float, unit: str
) -> str:
    """Return the SVG of ratings; its subtitle names the game, the matches, and the unit."""
    words = f"{matches} matches of {game}: {unit}, with {100 * level:g} % confidence intervals"
    has_opponents = not standings or standings[0].has_opponents
    return render_intervals("Ratings" if has_opponents else "Games won", words, standings)


def render_intervals(title: str, subtitle: str, standings: Sequence[Standing]) -> str:
    """Return the SVG of ratings with their intervals, the best first."""
    rows = [
        ChartRow(
            label,
            row.rating if row.is_on_scale else None,
            format_estimate(row.rating, 0),
            str(row.place) if row.has_rating else "",
        )
        for label, row in zip(label_entrants(standings), standings, strict=True)
    ]
    return render_rows(title, subtitle, rows)


@frozen
class ChartRow:
    """A value with its interval, as it is to be drawn."""

    name: str  # at the left
    estimate: Estimate | None  # None if it is off the scale
    figure: str  # at the right
    place: str = ""  # before the name


def render_rows(title: str, subtitle: str, lines: Sequence[ChartRow]) -> str:
    """Return the SVG of values with their intervals."""
    names = [_shorten(row.name) for row in lines]
    margin = _measure_names(names)
    estimates = [row.estimate for row in lines if row.estimate]
    ends = [
        end
        for estimate in estimates
        for end in (estimate.low, estimate.value, estimate.high)
        if isfinite(end)
    ]
    low, high, ticks = choose_scale(min(ends, default=0.0), max(ends, default=0.0))

    def at(value: float) -> float:
        return round(margin + SCALE_PIXELS * (min(max(value, low), high) - low) / (high - low), 1)

    rows = [
        IntervalRow(
            y=HEADER_PIXELS + ROW_PIXELS * (index + 0.5),
            place=row.place,
            name=name,
            figure=row.figure,
            ends=(at(estimate.low), at(estimate.value), at(estimate.high)) if estimate else None,
            open=estimate is not None and estimate.high == float("inf"),
        )
        for index, (name, row, estimate) in enumerate(
            (name, row, row.estimate) for name, row in zip(names, lines, strict=True)
        )
    ]
    marks = [ScaleMark(at(value), f"{value:g}") for value in ticks]
    return _render("intervals", IntervalChart(title, subtitle, margin, rows, marks))


def choose_scale(low: float, high: float) -> tuple[float, float, list[float]]:
    """Return the ends and the ticks of a scale that contains these two values.

    >>> choose_scale(-138, 343)
    (-200, 400, [-200, -100, 0, 100, 200, 300, 400])
    """
    rough = (high - low or 1) / APPROXIMATE_TICKS
    unit = 10 ** floor(log10(rough))
    step = next(unit * many for many in (1, 2, 5, 10) if unit * many >= rough)
    first, last = floor(low / step), max(ceil(high / step), floor(low / step) + 1)
    ticks = [step * number for number in range(first, last + 1)]
    return ticks[0], ticks[-1], ticks


def choose_ticks(low: float, high: float) -> list[float]:
    """Return the ticks of a scale that lie between these two values.

    >>> choose_ticks(-90, 260), choose_ticks(-3, 3)
    ([0, 100, 200], [-3, -2, -1, 0, 1, 2, 3])
    """
    return [tick for tick in choose_scale(low, high)[2] if low <= tick <= high]


def render_heat_map(title: str, subtitle: str, summary: Summary) -> str:
    """Return the SVG of the head-to-head results, the best entrant first."""
    duels = summary.head_to_head
    ranking = summary.rank_indices()[:MAX_MATRIX]
    order = [index for index, _ in ranking]
    table = duels.tabulate(order, order)
    names = [_shorten(summary.labels[duels.entrants[index]]) for index in order]
    margin = _measure_names(names)
    rows = [
        HeatMapRow(
            HEADER_PIXELS + CELL_PIXELS * (row + 0.5),
            str(place),
            names[row],
            [
                _build_cell(
                    margin + CELL_PIXELS * other,
                    table.rate[row, other],
                    f"{names[row]} ahead of {names[other]}: {table.matches[row, other]} matches",
                )
                for other in range(len(order))
            ],
        )
        for row, (_, place) in enumerate(ranking)
    ]
    return _render("heat", HeatMap(title, subtitle, margin, rows))


def _build_cell(x: float, rate: float, words: str) -> HeatMapCell:
    side = "ahead" if rate > EVEN_SHARE else "behind"
    strength = round(abs(rate - EVEN_SHARE) / EVEN_SHARE, 2)
    return HeatMapCell(x, format_percent(rate), side, strength, words)


def _shorten(name: str) -> str:
    """Return a name shortened to the maximum length."""
    name = to_printable(name)
    return (
        name
        if cell_len(name) <= MAX_NAME_LETTERS
        else f"{set_cell_size(name, MAX_NAME_LETTERS - 1)}…"
    )


def _measure_names(names: Sequence[str]) -> float:
    letters = max(map(cell_len, names), default=0)
    return round(NAMES_LEFT_PIXELS + LETTER_PIXELS * letters + MARGIN_PIXELS)


def _render(template: str, chart: Chart) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("arena.tournament.results"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(f"{template}.svg.j2").render(chart=chart)
