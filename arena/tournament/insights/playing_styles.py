"""The playing styles of a tournament's entrants, as rows for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from arena.rules import UnknownNameError
from arena.tournament.insights.counting import InsightsCounter
from arena.tournament.insights.tallies import StyleEntry, build_style
from arena.tournament.models.schedule import get_name, get_version
from arena.tournament.store import Store
from arena.wires import Column, DataTable, ResultTable


@frozen
class PlayingStyle:
    """How one version of an entrant plays."""

    name: str  #: of the entrant
    version: str  #: of what it is made of, as a hash
    matches: int  #: in which it was observed
    entries: Sequence[StyleEntry]  #: what each statistic says

    def pack(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "name": self.name,
            "version": self.version,
            "matches": self.matches,
            "statistics": [entry.pack() for entry in self.entries],
        }

    def build_tables(self) -> list[DataTable]:
        """Return its tables for people: the figures, and one for each plot."""
        figures = [entry for entry in self.entries if entry.statistic.is_figure]
        rows = [
            (entry.statistic.title, entry.points[0].format(entry.statistic.unit),
             f"{entry.points[0].count:,}")
            for entry in figures
        ]  # fmt: skip
        title = f"{self.name}: {self.matches:,} match{'' if self.matches == 1 else 'es'}"
        columns = (Column("statistic", is_text=True, may_wrap=True), Column("value"), Column("of"))
        plots = [entry for entry in self.entries if not entry.statistic.is_figure]
        return [DataTable(columns, rows, title), *map(_build_plot_table, plots)]


def _build_plot_table(entry: StyleEntry) -> DataTable:
    """Return a row for each bar, or the cells of a heat map as a table."""
    about, points = entry.statistic, entry.points
    if about.is_map:
        return _build_map_table(entry)
    columns = (Column(about.across, is_text=True), Column("value"), Column("of"))
    bars = [(str(point.x), point.format(about.unit), f"{point.count:,}") for point in points]
    return DataTable(columns, bars, about.title)


def _build_map_table(entry: StyleEntry) -> DataTable:
    about, points = entry.statistic, entry.points
    across = [*dict.fromkeys(point.x for point in points)]
    shares = {(point.x, point.y): f"{100 * point.value:.0f}" for point in points}
    up = [
        *dict.fromkeys(point.y for point in sorted(points, key=lambda point: str(point.y).zfill(9)))
    ]
    heading = f"{about.up} (%, by {about.across})"
    heads = (Column(heading, is_text=True), *(Column(str(x)) for x in across))
    return DataTable(
        heads, [[str(y), *(shares.get((x, y), "") for x in across)] for y in up], about.title
    )


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
            counts, found = tallies.count_matches(), tallies.load()
        return cls([
            PlayingStyle(
                store.mask_name(get_name(entrant)), get_version(entrant), counts[number],
                build_style(found, number, counter.parts),
            )
            for entrant, number in store.numbers.items()
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
        return DataTable(columns, [_build_row(style, titles) for style in self])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a row for each point of each statistic of each entrant."""
        return [
            {
                "name": style.name, "version": style.version, "statistic": entry.statistic.key,
                "unit": entry.statistic.unit, "x": str(point.x), "y": str(point.y),
                "value": point.value, "count": point.count,
            }
            for style in self
            for entry in style.entries
            for point in entry.points
        ]  # fmt: skip


def _list_names(style: PlayingStyle) -> tuple[str, str]:
    return style.name, f"{style.name}@{style.version}"


def _build_row(style: PlayingStyle, titles: Mapping[str, str]) -> list[str]:
    shown = {
        entry.statistic.key: entry.points[0].format(entry.statistic.unit)
        for entry in style.entries
        if entry.statistic.is_figure
    }
    return [style.name, f"{style.matches:,}", *(shown.get(key, "") for key in titles)]
