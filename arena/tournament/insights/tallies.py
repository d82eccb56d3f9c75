"""Counts of observations, and the playing styles that they come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from arena.plugins import PERCENT, Insights, Label, Statistic
from arena.wires import to_printable

TallyKey = tuple[int, str, Label, Label]
"""An entrant's number, the key of a statistic, and the labels on its axes."""

Tallies = dict[TallyKey, tuple[int, float]]
"""How many observations there were, and what they come to."""

PRECISE_COUNT = 1000  # observations, from which on a share has a decimal
FIGURE_DIGITS = 3  # significant ones of a figure


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
