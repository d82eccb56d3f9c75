"""Playing styles: what the insights of a game say of each entrant, as figures and plots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, isfinite
from typing import Any

from attrs import frozen

from arena.plugins import PERCENT, Insights, Label, Statistic
from arena.rules import UnknownNameError, format_seconds
from arena.tables import Column, DataTable, ResultTable
from arena.tournament.insights.insights import InsightsCounter
from arena.tournament.insights.tally_store import Tallies
from arena.tournament.ratings import DealSums, round_value
from arena.tournament.store import Store
from arena.wires import to_printable

PRECISE_COUNT = 1000  # observations, from which on a share has a decimal
MIN_STEPS = 1000  # in a value without an interval, at least
MAX_DECIMALS = 6  # of a figure
STEPS = 3  # of its last digit that its interval is wide, at least
ONES = ("1", "-1")  # numbers before a unit in the singular
SECONDS = "s"  # the unit of the time for an answer


@frozen
class PlayingStyle:
    """How one version of an entrant plays."""

    name: str  #: of the entrant
    version: str  #: of what it is made of, as a hash
    matches: int  #: in which it was observed
    entries: Sequence[StyleEntry]  #: what each statistic says
    title: str = ""  #: of the entrant, if it has one

    @property
    def label(self) -> str:
        """What tables call the entrant: its title, or else its name."""
        return self.title or self.name

    def pack(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "version": self.version,
            "matches": self.matches,
            "statistics": [entry.pack() for entry in self.entries],
        }

    def build_tables(self) -> list[DataTable]:
        """Return its tables for people: the figures, and one for each plot."""
        figures = [entry for entry in self.entries if entry.statistic.is_figure]
        rows = [
            (entry.statistic.title, *_list_cells(entry.statistic, entry.points[0]))
            for entry in figures
        ]
        title = f"{self.label}: {self.matches:,} match{'' if self.matches == 1 else 'es'}"
        columns = (Column("statistic", is_text=True, may_wrap=True), *VALUE_COLUMNS)
        plots = [entry for entry in self.entries if not entry.statistic.is_figure]
        return [DataTable(columns, rows, title), *map(_build_plot_table, plots)]


VALUE_COLUMNS = (Column("value"), Column("95 % interval"), Column("of"))


def _list_cells(about: Statistic, point: StylePoint) -> tuple[str, str, str]:
    """Return the cells of a point below VALUE_COLUMNS."""
    return point.format(about.unit), point.format_interval(about.unit), f"{point.count:,}"


def _build_plot_table(entry: StyleEntry) -> DataTable:
    """Return a row for each bar, or the cells of a heat map as a table."""
    about, points = entry.statistic, entry.points
    if about.is_map:
        return _build_map_table(entry)
    columns = (Column(about.across, is_text=True), *VALUE_COLUMNS)
    bars = [(about.describe_label(point.x), *_list_cells(about, point)) for point in points]
    return DataTable(columns, bars, about.title)


def _build_map_table(entry: StyleEntry) -> DataTable:
    about, points = entry.statistic, entry.points
    across = [*dict.fromkeys(point.x for point in points)]
    shares = {(point.x, point.y): f"{100 * point.value:.0f}" for point in points}
    up = [
        *dict.fromkeys(point.y for point in sorted(points, key=lambda point: str(point.y).zfill(9)))
    ]
    heads = (Column(about.up, is_text=True), *(Column(str(x)) for x in across))
    return DataTable(
        heads, [[str(y), *(shares.get((x, y), "") for x in across)] for y in up],
        f"{about.title} (%, by {about.across})", goes_on_below=True,
    )  # fmt: skip


class PlayingStyles(ResultTable[PlayingStyle]):
    """The playing styles of all versions of all entrants that have played.

    A notebook and a terminal show the figures as a table. A data frame has a row for each figure,
    for each bar of a plot, and for each cell of a heat map.
    """

    @classmethod
    def of(cls, store: Store) -> PlayingStyles:
        """Count what is not counted yet, and return the styles, in the order of entry."""
        counter = InsightsCounter.of(store)
        with counter.tallies as tallies:
            counter.count_all(store)
            counts, sums = tallies.count_matches(), tallies.load()
        return cls([
            PlayingStyle(
                entry.name, entry.version, counts[number],
                build_style(sums, number, counter.parts), entry.title,
            )
            for number, entry in enumerate(store.entries.list_all(), 1)
            if number in counts
        ])  # fmt: skip

    def choose(self, names: Sequence[str]) -> PlayingStyles:
        """Return the styles of entrants with these names, or `NAME@VERSION`.

        Raises:
            UnknownNameError: for an entrant that was not observed.
        """
        for name in names:
            if not any(name in _list_names(style) for style in self):
                raise UnknownNameError("entrant", name, sorted({style.name for style in self}))
        return PlayingStyles(
            [style for style in self if any(name in _list_names(style) for name in names)]
        )

    def to_table(self) -> DataTable:
        """Return the table of the figures, for people."""
        entries = [entry for style in self for entry in style.entries]
        titles = {
            entry.statistic.key: entry.statistic.title
            for entry in entries
            if entry.statistic.is_figure
        }
        columns = (
            Column("bot", is_text=True), Column("matches"),
            *(Column(title) for title in titles.values()),
        )  # fmt: skip
        rows = [_build_row(style, titles) for style in self]
        return DataTable(columns, rows, goes_on_below=True)

    def to_records(self) -> list[dict[str, Any]]:
        """Return a row for each point of each statistic of each entrant."""
        return [
            {
                "name": style.name, "title": style.title, "version": style.version,
                "statistic": entry.statistic.key, "unit": entry.statistic.unit,
                "x": str(point.x), "y": str(point.y), "value": point.value,
                "low": point.interval and point.interval[0],
                "high": point.interval and point.interval[1], "count": point.count,
            }
            for style in self
            for entry in style.entries
            for point in entry.points
        ]  # fmt: skip


def _list_names(style: PlayingStyle) -> tuple[str, str]:
    return style.name, f"{style.name}@{style.version}"


def _build_row(style: PlayingStyle, titles: Mapping[str, str]) -> list[str]:
    cells = {
        entry.statistic.key: entry.points[0].describe(entry.statistic.unit)
        for entry in style.entries
        if entry.statistic.is_figure
    }
    return [style.label, f"{style.matches:,}", *(cells.get(key, "") for key in titles)]


@frozen
class StyleEntry:
    """What a statistic says of a bot: one point, or the points of a plot."""

    statistic: Statistic  #: which one
    points: Sequence[StylePoint]  #: sorted by their labels

    def pack(self) -> dict[str, Any]:
        """Return it as JSON."""
        about = self.statistic
        packed: dict[str, Any] = {"key": about.key, "title": about.title, "unit": about.unit}
        if about.is_figure:
            return {**packed, **self.points[0].pack()}
        axes = {"across": about.across, **({"up": about.up} if about.is_map else {})}
        return {**packed, **axes, "points": [self._pack_point(point) for point in self.points]}

    def _pack_point(self, point: StylePoint) -> dict[str, Any]:
        second = {"y": point.y} if self.statistic.is_map else {}
        return {"x": point.x, **second, **point.pack()}


@frozen
class StylePoint:
    """A figure, a bar of a plot or a cell of a heat map."""

    value: float  #: the mean of the observations; in a heat map the share of the label `y`
    count: int  #: how many observations there were
    #: the ends of its 95 % interval, by deal; None where there is none, as in a heat map
    interval: tuple[float, float] | None = None
    deals: int = 0  #: in how many deals they were made
    x: Label = ""  #: the label on the first axis
    y: Label = ""  #: the label on the second axis

    def pack(self) -> dict[str, Any]:
        """Return it as JSON without its labels; an end that is not known is None."""
        ends = [round_value(end, 6) for end in self.interval or ()]
        packed = dict(zip(("low", "high"), ends, strict=False))
        return {"value": round(self.value, 6), **packed, "count": self.count}

    def format(self, unit: str) -> str:
        """Return the value with its unit, for people.

        >>> StylePoint(0.25, 8).format("%"), StylePoint(3.14159, 8).format("cards")
        ('25 %', '3.14 cards')
        >>> StylePoint(1.0, 8).format("cards"), StylePoint(-1.0, 8).format("chips")
        ('1 card', '-1 chip')
        >>> StylePoint(0.0004, 8).format("s")
        'under 0.001 s'
        >>> StylePoint(5.93, 3, (0.464, 11.4)).format("cards")
        '6 cards'
        """
        if unit == SECONDS:
            return format_seconds(self.value)
        number = self._write(self.value, unit)
        return f"{number} {unit.removesuffix('s') if number in ONES else unit}".rstrip()

    def format_interval(self, unit: str) -> str:
        """Return its interval without the unit, for people; empty where there is none.

        >>> StylePoint(0.25, 8, (0.1, 0.52)).format_interval("%")
        '10 to 52'
        >>> StylePoint(0.02, 5, (0.0, 0.0482)).format_interval("s")
        '0 to 0.048'
        >>> StylePoint(-0.444, 9, (-1.54, 0.65)).format_interval("chips")
        '-1.5 to 0.7'
        """
        if self.interval is None or not all(map(isfinite, self.interval)):
            return ""
        if unit == SECONDS:
            low, high = (format_seconds(end).removesuffix(f" {unit}") for end in self.interval)
            return "" if low == high else f"{low.replace('under 0.001', '0')} to {high}"
        low, high = (self._write(end, unit) for end in self.interval)
        return f"{low} to {high}"

    def describe(self, unit: str) -> str:
        """Return the value with its unit and its interval, for people.

        >>> StylePoint(0.25, 8, (0.1, 0.52)).describe("%")
        '25 % (10 to 52)'
        """
        interval = self.format_interval(unit)
        return f"{self.format(unit)} ({interval})" if interval else self.format(unit)

    def _write(self, value: float, unit: str) -> str:
        """Return a number without its unit."""
        if unit == PERCENT:
            return f"{100 * value:.{int(self.count >= PRECISE_COUNT)}f}"
        text = f"{value:z,.{self._count_decimals()}f}"
        return text.rstrip("0").removesuffix(".") if "." in text else text

    def _count_decimals(self) -> int:
        """Return the number of decimals that say something: fewer the wider the interval is."""
        if self.interval and all(map(isfinite, self.interval)):
            step = (self.interval[1] - self.interval[0]) / STEPS
        else:
            step = max(min(0.01, abs(self.value) / 10), abs(self.value) / MIN_STEPS) or 1
        return next((digits for digits in range(MAX_DECIMALS) if 10**-digits <= step), MAX_DECIMALS)


def build_style(tallies: Tallies, number: int, parts: Iterable[Insights]) -> list[StyleEntry]:
    """Return an entry for each statistic of which an entrant has observations."""
    by_key: dict[str, dict[tuple[Label, Label], DealSums]] = {}
    for (entrant, key, x, y), sums in tallies.items():
        if entrant == number:
            by_key.setdefault(key, {})[x, y] = sums
    return [
        StyleEntry(statistic, _build_points(statistic, by_key[statistic.key]))
        for part in parts
        for statistic in part.statistics
        if statistic.key in by_key
    ]


def _build_points(
    statistic: Statistic, sums_by_point: Mapping[tuple[Label, Label], DealSums]
) -> list[StylePoint]:
    by_column: dict[Label, float] = {}
    for (x, _), sums in sums_by_point.items():
        by_column[x] = by_column.get(x, 0) + sums.observations
    points = []
    for (x, y), sums in sums_by_point.items():
        count, labels = int(sums.observations), (_clean(x), _clean(y))
        if statistic.is_map:
            share = count / by_column[x]
            points.append(StylePoint(share, count, None, sums.deals, *labels))
        else:
            is_share = statistic.unit == PERCENT
            estimate = sums.estimate_share() if is_share else sums.estimate_mean()
            low, high = estimate.low, estimate.high
            if low == high:  # what was alike in a few deals may differ in others
                low, high = -inf, inf
            # chance in a few deals may explain more than is possible
            interval = max(low, statistic.least), min(high, statistic.most)
            points.append(StylePoint(estimate.value, count, interval, sums.deals, *labels))
    return sorted(points, key=lambda point: (sort_label(point.x), sort_label(point.y)))


def _clean(label: Label) -> Label:
    return label if isinstance(label, int) else to_printable(label)


def sort_label(label: Label) -> tuple[bool, float, str]:
    """Return the key by which labels are sorted: by the number that they are or begin with.

    >>> sorted(["4-5", "21 or more", 3, "Bid"], key=sort_label)
    [3, '4-5', '21 or more', 'Bid']
    """
    if isinstance(label, int):
        return False, label, ""
    digits = label[: len(label) - len(label.lstrip("0123456789"))]
    return not digits, float(digits or 0), label
