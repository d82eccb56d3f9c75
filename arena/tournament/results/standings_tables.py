"""Standings for people: tables with numbers and error bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

import numpy as np
from attrs import evolve, frozen

from arena.rules import UserError
from arena.tables import Column, DataTable
from arena.tournament.entries import Entry, State
from arena.tournament.formats.evenness import Evenness
from arena.tournament.places import rank_entrants
from arena.tournament.ratings import RATING, Estimate, compute_nash_from_duels
from arena.tournament.results.standings import Standing, label_versions
from arena.tournament.results.summary import Summary
from arena.tournament.store import Store

MAX_MATRIX = 500  # rows and columns of a table of all against all
MAX_NASH = 1000  # entrants: the time grows with their cube
CHUNK_PAIRS = 100_000  # that are made into rows at once
MIN_COLUMN_WIDTH = 4  # characters of the narrowest column, with its border
BAR_WIDTH = 15  # characters of an error bar
MIN_PICTURE_WIDTH = 95  # characters of a terminal that fits the error bars
PICTURE = ""
COLUMNS = (
    Column("#"), Column("entrant", is_text=True, may_wrap=True), Column(RATING),
    Column(PICTURE, is_text=True), Column("place"), Column("score"), Column("matches"),
    Column("verdicts", is_text=True, may_wrap=True),
)  # fmt: skip


def build_overview(store: Store, width: int) -> list[DataTable]:
    """Return the table of who is present, after that of the format's own ranking."""
    summary = Summary.of(store)
    return [
        *([build_format_table(summary)] if summary.format_ranking else []),
        build_standings_table(summary.present, width),
    ]


def build_standings_table(standings: Sequence[Standing], width: int = 0) -> DataTable:
    """Return the standings, the best first, with error bars if the width allows them."""
    span = find_span(standings)
    names = label_entrants(standings)
    rows = [_format_cells(row, name, span) for row, name in zip(standings, names, strict=True)]
    omissions = [] if width >= MIN_PICTURE_WIDTH else [PICTURE]
    omissions += [] if any(row.verdicts for row in standings) else ["verdicts"]
    omissions += ["score"] if all(isnan(row.mean_score.value) for row in standings) else []
    columns: Sequence[Column] = COLUMNS
    if standings and standings[0].measure != RATING:
        columns = tuple(
            evolve(column, heading=standings[0].measure) if column.heading == RATING else column
            for column in COLUMNS
        )
    if standings and not standings[0].has_opponents:
        omissions.append("place")  # which says the same as the games won
    return DataTable(columns, rows).drop_columns(*omissions)


def label_entrants(standings: Sequence[Standing]) -> list[str]:
    """Return the entrants' labels, with the version if a name has several, and their states."""
    labels = label_versions(standings)
    return [_add_state(row.entry, labels[row.entry.id]) for row in standings]


def _add_state(entry: Entry, label: str) -> str:
    return label if entry.state is State.ACTIVE else f"{label} ({entry.state})"


def _format_cells(row: Standing, name: str, span: tuple[float, float]) -> list[str]:
    if row.many_games:
        from arena.host import MANY_GAMES_MARK  # a large import, for a rare mark

        name = f"{name} ({MANY_GAMES_MARK})"
    return [
        str(row.place) if row.has_rating else "",
        name,
        format_estimate(row.rating, 0),
        draw_bar(row.rating, span) if row.is_on_scale else "",
        format_estimate(row.mean_place, 2),
        format_estimate(row.mean_score, 2),
        str(row.matches),
        ", ".join(f"{count} {kind}" for kind, count in row.verdicts.items()),
    ]


def build_duels_table(summary: Summary, width: int = 0) -> DataTable:
    """Return the head-to-head results in per cent, the best entrant first.

    With a `width` in characters, opponents for whom there is no room are left out. Of more than
    MAX_MATRIX entrants only the best are shown, which the title says.
    """
    duels, everybody = summary.head_to_head, summary.rank_indices()
    ranking = everybody[:MAX_MATRIX]
    order, places = [index for index, _ in ranking], [str(place) for _, place in ranking]
    opponents = order[: width // MIN_COLUMN_WIDTH] if width else order
    columns = [
        Column("#"),
        Column("entrant", is_text=True, may_wrap=True),
        *map(Column, places[: len(opponents)]),
    ]
    rates = duels.tabulate(order, opponents).rate.tolist()
    rows = [
        [place, summary.labels[duels.entrants[index]], *map(format_percent, own)]
        for place, index, own in zip(places, order, rates, strict=True)
    ]
    title = "finished ahead of, in % (ties count half)"
    return DataTable(columns, rows, title + describe_cut(len(everybody)))


def describe_cut(entrants: int) -> str:
    """Return words for the title of a matrix that has not all of so many entrants."""
    return f"; the best {MAX_MATRIX} of {entrants}" if entrants > MAX_MATRIX else ""


def format_percent(rate: float) -> str:
    """Return a share in per cent; an empty string for nan."""
    return "" if isnan(rate) else f"{100 * rate:.0f}"


@frozen
class PairResult:
    """The matches of an entrant against another one."""

    name: str  #: of the entrant
    title: str  #: what tables call it; empty: its name
    other: str  #: the name of the other one
    other_title: str  #: what tables call that one; empty: its name
    matches: int  #: that both played at one table
    ahead: int  #: matches in which the entrant finished ahead
    level: int  #: matches in which they shared a place
    behind: int  #: matches in which the entrant finished behind


def list_pairs(summary: Summary) -> Iterator[PairResult]:
    """Yield the results of each ordered pair of entrants that met."""
    duels, order = summary.head_to_head, [index for index, _ in summary.rank_indices()]
    entries = {row.entry.id: row.entry for row in summary.standings}
    ranking = [entries[duels.entrants[index]] for index in order]
    names = [(entry.name, entry.title) for entry in ranking]
    rank = np.full(len(duels.entrants), -1)
    rank[order] = np.arange(len(order))
    first, second = rank[duels.first], rank[duels.second]
    pairs = np.array(
        [
            [first, second, duels.matches, duels.ahead, duels.level, duels.behind],
            [second, first, duels.matches, duels.behind, duels.level, duels.ahead],
        ]
    )
    rows = pairs.transpose(1, 0, 2).reshape(len(pairs[0]), -1)
    rows = rows[:, (rows[:2] >= 0).all(axis=0)]
    rows = rows[:, np.lexsort(rows[1::-1])]
    for start in range(0, rows.shape[1], CHUNK_PAIRS):
        for entrant, other, *counts in rows[:, start : start + CHUNK_PAIRS].T.tolist():
            yield PairResult(*names[entrant], *names[other], *counts)


def build_nash_table(summary: Summary) -> DataTable:
    """Return each entrant's weight in the best mixture, and its payoff against that mixture.

    Raises:
        UserError: for more than MAX_NASH entrants.
    """
    if (entrants := len(summary.head_to_head.entrants)) > MAX_NASH:
        raise UserError(
            f"Nash averaging takes too long for {entrants} entrants (at most {MAX_NASH})"
        )
    nash = compute_nash_from_duels(summary.head_to_head)
    weight = dict(zip(nash.entrants, nash.weight, strict=True))
    skill = dict(zip(nash.entrants, nash.skill, strict=True))
    ranking = rank_entrants({entrant: (skill[entrant], weight[entrant]) for entrant in skill})
    rows = [
        [summary.labels[entrant], f"{weight[entrant]:.3f}", f"{skill[entrant]:+.3f}"]
        for _, entrant in ranking
    ]
    columns = Column("entrant", is_text=True), Column("weight"), Column("against the mixture")
    return DataTable(columns, rows, "Nash averaging")


def build_format_table(summary: Summary) -> DataTable:
    """Return the table of the format's own ranking."""
    columns = Column("#"), Column("entrant", is_text=True, may_wrap=True), Column("", is_text=True)
    rows = [
        [str(row.place), summary.labels[row.entrant], row.result] for row in summary.format_ranking
    ]
    return DataTable(columns, rows, "by the format")


def build_evenness_table(even: Evenness) -> DataTable:
    """Return the table of the evenness of seatings."""
    words = {
        "per entrant": even.plays, "per pair": even.meetings,
        "per entrant and seat": even.seats, "per entrant, right after another": even.neighbours,
    }  # fmt: skip
    columns = Column("matches", is_text=True), *map(Column, ("least", "most", "if all equal"))
    rows = [
        [label, str(spread.least), str(spread.most), f"{spread.ideal:.1f}"]
        for label, spread in words.items()
    ]
    return DataTable(columns, rows, "evenness")


def format_estimate(estimate: Estimate, digits: int) -> str:
    """Format a value with its interval.

    >>> format_estimate(Estimate(12.3, 10.1, 14.7), 1)
    '12.3 ±2.4'
    """
    if isnan(estimate.value):  # unknown
        return ""
    value = f"{estimate.value:z.{digits}f}"  # no sign if it rounds to 0
    half = estimate.reach
    return f"{value} ±{half:.{digits}f}" if half < float("inf") else f"{value} ?"


def draw_bar(estimate: Estimate, span: tuple[float, float]) -> str:
    """Draw an interval within the span of all intervals: `──●──`."""
    low, high = span
    if not high > low:
        return ""

    def at(value: float) -> int:
        return round((min(max(value, low), high) - low) / (high - low) * (BAR_WIDTH - 1))

    line = [" "] * BAR_WIDTH
    for place in range(at(estimate.low), at(estimate.high) + 1):
        line[place] = "─"
    line[at(estimate.value)] = "●"
    return "".join(line)


def find_span(standings: Sequence[Standing]) -> tuple[float, float]:
    """Return the lowest and the highest value of the bars."""
    ratings = [rating.rating for rating in standings if rating.is_on_scale]
    ends = [end for rating in ratings for end in (rating.low, rating.high, rating.value)]
    finite = [end for end in ends if abs(end) < float("inf")]
    return (min(finite), max(finite)) if finite else (0.0, 0.0)
