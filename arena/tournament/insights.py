"""Playing styles: what was observed in a tournament's matches, counted and kept.

A game's `Insights` observe finished matches. Rotations of a deal share its hands, so a deal is
counted when each of its rotations is settled, and not before: nothing that is known of the styles
can help a bot that still has to play it.

The counts are kept in a file beside the database. Nothing is lost with it: it is counted anew from
the transcripts. It names entrants by their numbers in the database, never by what they are called.
Who reads the tournament may write it, also two processes at once: a deal is counted in the same
transaction in which it is marked.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from attrs import define, frozen

from arena.plugins import PERCENT, Insights, Label, Statistic, get_plugins
from arena.rules import UnknownNameError, derive_seed
from arena.tournament.store import Store, StoredTranscript
from arena.tournament.tally_store import Tallies, TallyStore
from arena.wires import Column, DataTable, ResultTable, to_printable

PRECISE_COUNT = 1000  # observations, from which on a share has a decimal
FIGURE_DIGITS = 3  # significant ones of a figure
FILE_SUFFIX = "-insights"  # behind the name of the database
BATCH_DEALS = 50  # deals that are counted in one transaction


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
            (entry.statistic.title, entry.points[0].format(entry.statistic.unit),
             f"{entry.points[0].count:,}")
            for entry in figures
        ]  # fmt: skip
        title = f"{self.label}: {self.matches:,} match{'' if self.matches == 1 else 'es'}"
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
            counts, found = tallies.count_matches(), tallies.load()
        return cls([
            PlayingStyle(
                entry.name, entry.version, counts[number],
                build_style(found, number, counter.parts), entry.title,
            )
            for number, entry in enumerate(store.list_entries(), 1)
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
                "x": str(point.x), "y": str(point.y), "value": point.value, "count": point.count,
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
    return [style.label, f"{style.matches:,}", *(shown.get(key, "") for key in titles)]


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
            return {
                **packed,
                "value": round(self.points[0].value, 6),
                "count": self.points[0].count,
            }
        axes = {"across": about.across, **({"up": about.up} if about.is_map else {})}
        return {**packed, **axes, "points": [self._pack_point(point) for point in self.points]}

    def _pack_point(self, point: StylePoint) -> dict[str, Any]:
        second = {"y": point.y} if self.statistic.is_map else {}
        return {"x": point.x, **second, "value": round(point.value, 6), "count": point.count}


@frozen
class StylePoint:
    """A figure, a bar of a plot or a cell of a heat map."""

    value: float  #: the mean of the observations; in a heat map the share of the label `y`
    count: int  #: how many observations there were
    x: Label = ""  #: the label on the first axis
    y: Label = ""  #: the label on the second axis

    def format(self, unit: str) -> str:
        """Return the value with its unit, for people.

        >>> StylePoint(0.25, 8).format("%"), StylePoint(3.14159, 8).format("cards")
        ('25 %', '3.14 cards')
        """
        if unit == "s" and abs(self.value) < 1:
            return f"{1000 * self.value:.3g} ms"
        if unit == PERCENT:
            return f"{100 * self.value:.{int(self.count >= PRECISE_COUNT)}f} %"
        digits = FIGURE_DIGITS if abs(self.value) < PRECISE_COUNT else 0
        words = f"{self.value:z.{digits}g}" if digits else f"{self.value:,.0f}"
        return f"{words} {unit}".rstrip()


def build_style(tallies: Tallies, number: int, parts: Iterable[Insights]) -> list[StyleEntry]:
    """Return an entry for each statistic of which an entrant has observations."""
    by_key: dict[str, list[tuple[Label, Label, int, float]]] = {}
    for (entrant, key, x, y), (count, total) in tallies.items():
        if entrant == number:
            by_key.setdefault(key, []).append((x, y, count, total))
    return [
        StyleEntry(statistic, _build_points(statistic, by_key[statistic.key]))
        for part in parts
        for statistic in part.statistics
        if statistic.key in by_key
    ]


def _build_points(
    statistic: Statistic, found: Sequence[tuple[Label, Label, int, float]]
) -> list[StylePoint]:
    sums: dict[Label, int] = {}
    for x, _, count, _ in found:
        sums[x] = sums.get(x, 0) + count
    points = [
        StylePoint(
            count / sums[x] if statistic.is_map else total / count, count, _clean(x), _clean(y)
        )
        for x, y, count, total in found
    ]
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


@define(eq=False)
class InsightsCounter:
    """Counts a tournament's matches, those that were never counted."""

    parts: Sequence[Insights]  #: what is observed
    tallies: TallyStore  #: where it is kept

    @classmethod
    def of(cls, store: Store) -> InsightsCounter:
        """Return the counter of a tournament."""
        parts = get_plugins().list_insights(store.get_fact("tournament")["game"])
        about = [
            [part.version, *(statistic.key for statistic in part.statistics)] for part in parts
        ]
        replaced = store.count_replaced()  # what was counted of these results counts no more
        mark = derive_seed(store.get_fact("secret"), "insights", about, replaced)
        return cls(parts, TallyStore.open(find_insights_file(store), mark))

    def count_next(self, store: Store, limit: int = BATCH_DEALS) -> int:
        """Count the next deals that are over, at most `limit`; return how many there were."""
        deals = store.list_settled_deals(self.tallies.frontier, self.tallies.list_deals(), limit)
        if deals:
            tallies, matches = self._observe(store, deals)
            self.tallies.add(deals, matches, tallies)
        return len(deals)

    def count_all(self, store: Store) -> None:
        """Count all deals that are over."""
        while self.count_next(store):
            pass

    def _observe(self, store: Store, deals: Sequence[int]) -> tuple[Tallies, dict[int, int]]:
        tallies, matches = Tallies(), dict[int, int]()
        for stored in store.iterate_transcripts(deals):
            with suppress(Exception):  # what a game cannot read is worth no more than a gap
                _add(tallies, self._observe_match(stored))
                for number in {*stored.entrants}:
                    matches[number] = matches.get(number, 0) + 1
        return tallies, matches

    def _observe_match(self, stored: StoredTranscript) -> Tallies:
        found = Tallies()
        with pause_garbage_collection():
            add_observations(found, self.parts, stored.entrants, stored.parse())
        return found


def _add(tallies: Tallies, more: Tallies) -> None:
    for at, (count, total) in more.items():
        before, sum_before = tallies.get(at, (0, 0.0))
        tallies[at] = before + count, sum_before + total


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Do not look for garbage meanwhile, so that a transcript is read twice as fast.

    Its lines are thousands of containers at once, which makes Python look for cycles among them
    again and again; there are none.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def find_insights_file(store: Store) -> Path | None:
    """Return the file for a tournament's playing styles; None for a server's database."""
    database = store.address.path
    return database and database.with_name(f"{database.name}{FILE_SUFFIX}")


def add_observations(
    tallies: Tallies,
    parts: Iterable[Insights],
    entrants: Sequence[int],
    lines: Sequence[Mapping[str, Any]],
) -> None:
    """Add what is observed in a match; `entrants` are the numbers of the players, by seat."""
    for part in parts:
        for seat, key, value, x, y, many in part.observe(lines):
            at = entrants[seat], key, x, y
            count, total = tallies.get(at, (0, 0.0))
            tallies[at] = count + many, total + value


def merge_entrants(tallies: Tallies, numbers: Iterable[int]) -> Tallies:
    """Return the counts of several entrants, as versions of one bot, under number 0."""
    wanted, merged = {*numbers}, Tallies()
    for (number, *rest), (count, total) in tallies.items():
        if number in wanted:
            key, x, y = rest
            before, sum_before = merged.get((0, str(key), x, y), (0, 0.0))
            merged[0, str(key), x, y] = before + count, sum_before + total
    return merged
