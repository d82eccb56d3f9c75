"""Standings for people: a table with error bars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isnan

from rich.console import JustifyMethod
from rich.table import Table

from arena.tournament.formats.evenness import Evenness
from arena.tournament.plan import Id, name_of
from arena.tournament.ratings import HeadToHead, Ratings, margins, nash_average
from arena.tournament.records import State
from arena.tournament.standings import Estimate, Standing, own_ranking, standings
from arena.tournament.store import Store

BAR = 15  # characters of the picture
WIDE = 95  # characters that it takes to show the picture, too
PICTURE = ""
COLUMNS = ("#", "entrant", "rating", PICTURE, "place", "score", "matches", "verdicts")
WORDS = ("entrant", PICTURE, "verdicts")  # columns that begin at the left


def overview(store: Store, width: int) -> list[Table]:
    """Give the standings, and before them what the format itself makes of the matches."""
    found = own_ranking(store)
    return [*([own(found)] if found else []), table(standings(store), width)]


def table(found: Sequence[Standing], width: int) -> Table:
    """Give the standings, the best first, to be shown in so many characters."""
    names = Counter(one.entry.name for one in found)
    span = _span(found)
    rows = [_cells(one, span, several=names[one.entry.name] > 1) for one in found]
    hidden = set() if width >= WIDE else {PICTURE}
    hidden |= set() if any(one.verdicts for one in found) else {"verdicts"}
    shown = Table()
    for heading in COLUMNS:
        if heading not in hidden:
            justify: JustifyMethod = "left" if heading in WORDS else "right"
            wraps = heading in ("entrant", "verdicts")
            shown.add_column(heading, justify=justify, no_wrap=not wraps, overflow="fold")
    for row in rows:
        shown.add_row(*[cell for heading, cell in row.items() if heading not in hidden])
    return shown


def _cells(one: Standing, span: tuple[float, float], *, several: bool) -> dict[str, str]:
    """Give a row by headings; the version is shown where there are several."""
    name = f"{one.entry.name} {one.entry.version[:6]}" if several else one.entry.name
    if one.entry.state is not State.ACTIVE:
        name += f" ({one.entry.state})"
    played = one.matches > 0
    cells = (
        str(one.place) if played else "",
        name,
        figure(one.rating, 0) if played else "",
        bar(one.rating, span) if played else "",
        figure(one.mean_place, 2),
        figure(one.score, 2),
        str(one.matches),
        ", ".join(f"{count} {kind}" for kind, count in one.verdicts.items()),
    )
    return dict(zip(COLUMNS, cells, strict=True))


def duels(met: HeadToHead, fit: Ratings) -> Table:
    """Give, best first, how often each finished ahead of each other, in per cent."""
    order = [index for index in fit.ranking().tolist() if fit.deals[index]]
    rates = met.rate
    shown = Table(title="finished ahead of, in % (level counts half)")
    for heading in ("#", "entrant", *(str(place) for place in range(1, len(order) + 1))):
        justify: JustifyMethod = "left" if heading == "entrant" else "right"
        shown.add_column(heading, justify=justify, overflow="fold")
    for place, index in enumerate(order, 1):
        found = [rates[index, one] for one in order]
        cells = ["" if isnan(rate) else f"{100 * rate:.0f}" for rate in found]
        shown.add_row(str(place), name_of(met.entrants[index]), *cells)
    return shown


def nash(met: HeadToHead) -> Table:
    """Give each entrant's part in the best mixture of all, and how it does against that."""
    found = nash_average(met.entrants, margins(met))
    shown = Table(title="Nash averaging")
    for heading in ("entrant", "weight", "against the mixture"):
        shown.add_column(heading, justify="left" if heading == "entrant" else "right")
    for index in sorted(range(len(found.entrants)), key=lambda one: -found.skill[one]):
        name = name_of(found.entrants[index])
        shown.add_row(name, f"{found.weight[index]:.3f}", f"{found.skill[index]:+.3f}")
    return shown


def own(found: Sequence[tuple[Id, float | str]]) -> Table:
    """Give the ranking that the format itself makes."""
    shown = Table(title="by the format")
    shown.add_column("#", justify="right")
    shown.add_column("entrant", overflow="fold")
    shown.add_column("")
    for place, (one, words) in enumerate(found, 1):
        text = words if isinstance(words, str) else f"{words:g}"
        shown.add_row(str(place), name_of(one), text)
    return shown


def evenness(even: Evenness) -> Table:
    """Give how evenly everybody has sat."""
    shown = Table(title="evenness")
    for heading in ("matches", "least", "most", "if all were equal"):
        shown.add_column(heading, justify="left" if heading == "matches" else "right")
    words = {
        "of each": even.plays, "of each two together": even.meetings,
        "of each in each seat": even.seats, "of each right behind each": even.neighbours,
    }  # fmt: skip
    for what, spread in words.items():
        shown.add_row(what, str(spread.least), str(spread.most), f"{spread.ideal:.1f}")
    return shown


def figure(estimate: Estimate, digits: int) -> str:
    """Give a figure with its interval.

    >>> figure(Estimate(12.3, 10.1, 14.7), 1)
    '12.3 ±2.3'
    """
    if isnan(estimate.value):  # nobody knows
        return ""
    half = (estimate.high - estimate.low) / 2
    return f"{estimate.value:.{digits}f} ±{half:.{digits}f}" if half < float("inf") else (
        f"{estimate.value:.{digits}f} ?"
    )  # fmt: skip


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


def _span(found: Sequence[Standing]) -> tuple[float, float]:
    known = [one.rating for one in found if one.matches]
    ends = [end for one in known for end in (one.low, one.high, one.value)]
    finite = [end for end in ends if abs(end) < float("inf")]
    return (min(finite), max(finite)) if finite else (0.0, 0.0)
