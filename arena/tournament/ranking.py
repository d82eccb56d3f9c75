"""Standings for people: sheets with figures and error bars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any

from arena.tournament.formats.evenness import Evenness
from arena.tournament.plan import Id, name_of
from arena.tournament.ratings import HeadToHead, Ratings, nash_of_those_who_met
from arena.tournament.records import State
from arena.tournament.standings import Estimate, Standing, own_ranking, standings
from arena.tournament.store import Store
from arena.wires import Column, Sheet

BAR = 15  # characters of the picture
WIDE = 95  # characters that it takes to show the picture, too
PICTURE = ""
FLAT = (
    "name", "version", "state", "place", "rating", "low", "high", "matches", "verdicts",
    "mean_score", "mean_score_low", "mean_score_high",
    "mean_place", "mean_place_low", "mean_place_high",
)  # fmt: skip
"""What a standing holds as a row for programs."""

PAIR = ("name", "other", "matches", "ahead", "level", "behind")
COLUMNS = (
    Column("#"), Column("entrant", words=True, wraps=True), Column("rating"),
    Column(PICTURE, words=True), Column("place"), Column("score"), Column("matches"),
    Column("verdicts", words=True, wraps=True),
)  # fmt: skip


def overview(store: Store, width: int) -> list[Sheet]:
    """Return the standings, and before them what the format itself makes of the matches."""
    found = own_ranking(store)
    return [*([own(found)] if found else []), sheet(standings(store), width)]


def sheet(found: Sequence[Standing], width: int = 0) -> Sheet:
    """Return the standings, the best first, with a picture where so many characters hold it."""
    span = span_of(found)
    names = labels(found)
    rows = [_cells(one, name, span) for one, name in zip(found, names, strict=True)]
    hidden = [] if width >= WIDE else [PICTURE]
    hidden += [] if any(one.verdicts for one in found) else ["verdicts"]
    return Sheet(COLUMNS, rows).without(*hidden)


def labels(found: Sequence[Standing]) -> list[str]:
    """Return what entrants are called; the version is shown where there are several."""
    names = Counter(one.entry.name for one in found)
    return [_label(one, several=names[one.entry.name] > 1) for one in found]


def _label(one: Standing, *, several: bool) -> str:
    name = f"{one.entry.name} {one.entry.version[:6]}" if several else one.entry.name
    return name if one.entry.state is State.ACTIVE else f"{name} ({one.entry.state})"


def _cells(one: Standing, name: str, span: tuple[float, float]) -> list[str]:
    return [
        str(one.place) if one.rated else "",
        name,
        figure(one.rating, 0),
        bar(one.rating, span) if one.on_the_scale else "",
        figure(one.mean_place, 2),
        figure(one.score, 2),
        str(one.matches),
        ", ".join(f"{count} {kind}" for kind, count in one.verdicts.items()),
    ]


def in_order(fit: Ratings) -> list[int]:
    """Return the indices of all who are rated, the best first."""
    return [index for index in fit.ranking().tolist() if fit.deals[index]]


def duels(met: HeadToHead, fit: Ratings) -> Sheet:
    """Return, best first, how often each finished ahead of each other, in per cent."""
    order = in_order(fit)
    places = [str(place) for place in range(1, len(order) + 1)]
    columns = [Column("#"), Column("entrant", words=True, wraps=True), *map(Column, places)]
    rows = [
        [place, name_of(met.entrants[index]), *(per_cent(met.rate[index, one]) for one in order)]
        for place, index in zip(places, order, strict=True)
    ]
    return Sheet(columns, rows, "finished ahead of, in % (level counts half)")


def per_cent(rate: float) -> str:
    """Return a share in per cent; nothing where nobody knows."""
    return "" if isnan(rate) else f"{100 * rate:.0f}"


def pairs(met: HeadToHead, fit: Ratings) -> Iterator[Mapping[str, Any]]:
    """Return a row for each two who met, in either order, for programs."""
    order, count = in_order(fit), met.met
    for first in order:
        for second in order:
            if count[first, second]:
                names = name_of(met.entrants[first]), name_of(met.entrants[second])
                counts = (one[first, second] for one in (count, met.ahead, met.level, met.behind))
                yield dict(zip(PAIR, [*names, *map(int, counts)], strict=True))


def nash(met: HeadToHead) -> Sheet:
    """Return each entrant's part in the best mixture of all, and how it does against that."""
    found = nash_of_those_who_met(met)
    order = sorted(range(len(found.entrants)), key=lambda one: -found.skill[one])
    rows = [
        [name_of(found.entrants[one]), f"{found.weight[one]:.3f}", f"{found.skill[one]:+.3f}"]
        for one in order
    ]
    columns = Column("entrant", words=True), Column("weight"), Column("against the mixture")
    return Sheet(columns, rows, "Nash averaging")


def own(found: Sequence[tuple[Id, float | str]]) -> Sheet:
    """Return the ranking that the format itself makes."""
    columns = Column("#"), Column("entrant", words=True, wraps=True), Column("", words=True)
    rows = [
        [str(place), name_of(one), words if isinstance(words, str) else f"{words:g}"]
        for place, (one, words) in enumerate(found, 1)
    ]
    return Sheet(columns, rows, "by the format")


def evenness(even: Evenness) -> Sheet:
    """Return how evenly everybody has sat."""
    words = {
        "of each": even.plays, "of each two together": even.meetings,
        "of each in each seat": even.seats, "of each right behind each": even.neighbours,
    }  # fmt: skip
    columns = (
        Column("matches", words=True), Column("least"), Column("most"),
        Column("if all were equal"),
    )  # fmt: skip
    rows = [
        [what, str(spread.least), str(spread.most), f"{spread.ideal:.1f}"]
        for what, spread in words.items()
    ]
    return Sheet(columns, rows, "evenness")


def flat(one: Standing) -> Mapping[str, Any]:
    """Return a standing as a row for programs: what its JSON holds, without depth (`FLAT`)."""
    packed = one.pack()
    verdicts = packed.pop("verdicts")
    for name in ("mean_score", "mean_place"):
        packed |= {
            name if key == "value" else f"{name}_{key}": end
            for key, end in packed.pop(name).items()
        }
    return packed | {"verdicts": sum(verdicts.values())}


def figure(estimate: Estimate, digits: int) -> str:
    """Return a figure with its interval.

    >>> figure(Estimate(12.3, 10.1, 14.7), 1)
    '12.3 ±2.3'
    """
    if isnan(estimate.value):  # nobody knows
        return ""
    value = f"{estimate.value:z.{digits}f}"  # what rounds to 0 has no sign
    half = (estimate.high - estimate.low) / 2
    return f"{value} ±{half:.{digits}f}" if half < float("inf") else f"{value} ?"


def bar(estimate: Estimate, span: tuple[float, float]) -> str:
    """Draw an interval within the span of all: `──●──`."""
    low, high = span
    if not high > low:
        return ""

    def at(value: float) -> int:
        return round((min(max(value, low), high) - low) / (high - low) * (BAR - 1))

    line = [" "] * BAR
    for place in range(at(estimate.low), at(estimate.high) + 1):
        line[place] = "─"
    line[at(estimate.value)] = "●"
    return "".join(line)


def span_of(found: Sequence[Standing]) -> tuple[float, float]:
    """Return the least and the most that a picture of them has to show."""
    known = [one.rating for one in found if one.on_the_scale]
    ends = [end for one in known for end in (one.low, one.high, one.value)]
    finite = [end for end in ends if abs(end) < float("inf")]
    return (min(finite), max(finite)) if finite else (0.0, 0.0)
