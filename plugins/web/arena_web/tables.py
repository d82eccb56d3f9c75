"""What the pages of a tournament show, as rows that a template only has to write down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import isfinite, isnan
from types import MappingProxyType

from attrs import evolve, frozen

from arena.tournament import (
    Estimate,
    Figures,
    Standing,
    State,
    figure,
    in_order,
    labels,
    name_of,
    span_of,
)
from arena_web.drawing import Bar, bar

FEW = 0.5  # of a matrix: who is as good
STEPS = 5  # of shading, on either side
NAMED = 3  # of who may be as good, if there are many
NOBODY: Mapping[str, str] = MappingProxyType({})


@frozen
class Row:
    """How an entrant stands."""

    place: str
    name: str
    id: str
    label: str
    rating: str
    rating_sort: str  # figures to sort by
    bar: Bar | None
    mean_place: str
    mean_place_sort: str
    score: str
    score_sort: str
    matches: int
    verdicts: str
    failed: int
    state: str
    author: str = ""  # of a hill's bot, if it agreed to be shown


def standing_rows(figures: Figures, authors: Mapping[str, str] = NOBODY) -> list[Row]:
    """Return the standings, the best first; `authors` are known by the names of their bots."""
    span = span_of(figures.found)
    names = label_of(figures)
    rows = [_row(one, names[one.entry.id], span) for one in figures.found]
    return [evolve(row, author=authors.get(row.name, "")) for row in rows] if authors else rows


def lead(figures: Figures) -> str:
    """Say whether it is settled who is best, and how much of the order is; nothing of one alone."""
    fit, names = figures.fit, label_of(figures)
    active = {one.entry.id for one in figures.found if one.entry.state is State.ACTIVE}
    order = [index for index in in_order(fit) if fit.entrants[index] in active]
    if not order[1:]:  # nobody is better than nobody
        return ""
    surely = fit.superiority >= fit.level
    near = [names[fit.entrants[one]] for one in order[1:] if not surely[order[0], one]]
    best, steps = names[fit.entrants[order[0]]], [*pairwise(order)]
    settled = sum(bool(surely[pair]) for pair in steps)
    surety = f"with {100 * fit.level:g} %"
    if near:
        words = f"Not settled yet: {best} leads, but {_some(near)} may be as good."
    elif settled == len(steps):
        return f"{best} is the best, and the whole order is settled, {surety}."
    else:
        words = f"{best} is the best; that is settled, {surety}."
    if not steps[1:]:
        return words
    verb = "is" if settled == 1 else "are"
    return f"{words} {settled} of the {len(steps)} differences between neighbours {verb} settled."


def _some(names: Sequence[str]) -> str:
    """Return names as words, the first of many.

    >>> _some(["a"]), _some(["a", "b", "c"]), _some([*"abcdef"])
    ('a', 'a, b and c', 'a, b, c and 3 others')
    """
    more = len(names) - NAMED
    shown = [*names[:NAMED], f"{more} others"] if more > 1 else [*names]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if shown[1:] else shown)


def _row(one: Standing, label: str, span: tuple[float, float]) -> Row:
    state = "" if one.entry.state is State.ACTIVE else str(one.entry.state)
    return Row(
        str(one.place) if one.rated else "",
        one.entry.name,
        one.entry.id,
        label,
        figure(one.rating, 0),
        _sort(one.rating),
        bar(one.rating, span) if one.on_the_scale else None,
        figure(one.mean_place, 2),
        _sort(one.mean_place),
        figure(one.score, 2),
        _sort(one.score),
        one.matches,
        ", ".join(f"{count} {kind}" for kind, count in one.verdicts.items()),
        sum(one.verdicts.values()),
        state,
    )


def _sort(estimate: Estimate) -> str:
    return f"{estimate.value:.6f}" if isfinite(estimate.value) else ""


@frozen
class Cell:
    """How often one finished ahead of another."""

    text: str
    shade: str  # a class of the style sheet
    other: str  # the other's id
    words: str


@frozen
class Line:
    """A row of the matrix."""

    place: int
    id: str
    label: str
    cells: Sequence[Cell | None]


def label_of(figures: Figures) -> dict[str, str]:
    """Return what each entrant is called, by its id; with its version where there are several."""
    pairs = zip(figures.found, labels(figures.found), strict=True)
    return {one.entry.id: text.removesuffix(f" ({one.entry.state})") for one, text in pairs}


def matrix(figures: Figures) -> list[Line]:
    """Return who finished ahead of whom, the best first, in per cent."""
    order, names = in_order(figures.fit), label_of(figures)
    ids = figures.met.entrants
    return [
        Line(place, ids[row], names[ids[row]], [*_cells(figures, row, order)])
        for place, row in enumerate(order, 1)
    ]


def _cells(figures: Figures, row: int, order: Sequence[int]) -> Iterator[Cell | None]:
    rates, counts = figures.met.rate[row], figures.met.met[row]  # of all columns at once
    for column in order:
        rate, met = rates[column], int(counts[column])
        if isnan(rate) or row == column:
            yield None
            continue
        words = f"{100 * rate:.0f} % of {met} against {name_of(figures.met.entrants[column])}"
        yield Cell(f"{100 * rate:.0f}", shade(rate), figures.met.entrants[column], words)


def shade(rate: float) -> str:
    """Return the class of a share.

    >>> shade(0.5), shade(1.0), shade(0.0), shade(0.62)
    ('even', 'up5', 'down5', 'up1')
    """
    step = round(abs(rate - FEW) * 2 * STEPS)
    return f"{'up' if rate > FEW else 'down'}{step}" if step else "even"


@frozen
class Duel:
    """How a bot did against another."""

    label: str
    id: str
    met: int
    ahead: int
    level: int
    behind: int
    share: str
    shade: str


def duels(figures: Figures, ids: Sequence[str]) -> list[Duel]:
    """Return how these (the versions of a bot) did against each other entrant, most met first."""
    met, names = figures.met, label_of(figures)
    mine = [index for index, one in enumerate(met.entrants) if one in ids]
    found = []
    for column, other in enumerate(met.entrants):
        parts = (met.ahead, met.level, met.behind)
        ahead, level, behind = (int(part[mine, column].sum()) for part in parts)
        total = ahead + level + behind
        if total and other not in ids:
            rate = (ahead + level / 2) / total
            share = f"{100 * rate:.0f}"
            name = names[other]
            found.append(Duel(name, other, total, ahead, level, behind, share, shade(rate)))
    return sorted(found, key=lambda one: -one.met)
