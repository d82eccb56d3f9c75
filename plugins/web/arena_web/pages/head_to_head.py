"""The page of a tournament that says who did how well against whom, head to head."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isnan

from attrs import frozen

from arena.tournament import Summary
from arena.tournament.entries import get_name
from arena.tournament.results.pair_records import PairRecord, list_pair_records
from arena_web.pages.page_query import PageQuery
from arena_web.pages.source_page import TournamentPageValues
from arena_web.pages.tournament_heading import build_heading
from arena_web.tournaments.views import TournamentView

EVEN_RATE = 0.5  # who is as good
SHADE_STEPS = 5  # of shading, on either side
MAX_MATRIX_BOTS = 40  # the best, so that the page stays below 300 kB


@frozen(kw_only=True)
class HeadToHeadPage(TournamentPageValues):
    """The values of the head-to-head page."""

    template = "matrix.html"

    lines: Sequence[MatrixRow]  #: the best first
    left_out: int  #: bots without a line


async def show_head_to_head(tournament: TournamentView, _: PageQuery) -> HeadToHeadPage:
    """Return the values of the head-to-head page."""
    lines = build_matrix(tournament.summary)
    left_out = sum(row.has_rating for row in tournament.summary.present) - len(lines)
    heading = build_heading(tournament.snapshot)
    return HeadToHeadPage(heading=heading, lines=lines, left_out=left_out)


@frozen
class MatrixCell:
    """The share of matches in which one entrant finished ahead of another."""

    text: str
    shade: str  #: a class of the style sheet
    other: str  #: the other's id
    words: str


@frozen
class MatrixRow:
    """A row of the head-to-head table."""

    place: int
    id: str
    label: str
    cells: Sequence[MatrixCell | None]


def build_matrix(summary: Summary) -> list[MatrixRow]:
    """Return the head-to-head table of the best who are present in per cent, the best first."""
    ids, labels = summary.head_to_head.entrants, summary.labels
    present = {row.entry.id for row in summary.present}
    ranks = [(index, place) for index, place in summary.rank_indices() if ids[index] in present]
    ranks = ranks[:MAX_MATRIX_BOTS]
    order = [index for index, _ in ranks]
    table = summary.head_to_head.tabulate(order, order)
    others = [(ids[index], labels[ids[index]]) for index in order]
    return [
        MatrixRow(place, *own, [*_build_cells(rates, counts, others)])
        for (_, place), own, rates, counts in zip(
            ranks, others, table.rate.tolist(), table.matches.tolist(), strict=True
        )
    ]


def _build_cells(
    rates: Sequence[float], counts: Sequence[int], others: Sequence[tuple[str, str]]
) -> Iterator[MatrixCell | None]:
    for rate, count, (other, label) in zip(rates, counts, others, strict=True):
        words = f"{100 * rate:.0f} % of {count} against {label}"
        yield (
            None
            if isnan(rate)
            else MatrixCell(f"{100 * rate:.0f}", choose_shade(rate), other, words)
        )


def choose_shade(rate: float) -> str:
    """Return the CSS class for a share.

    >>> choose_shade(0.5), choose_shade(1.0), choose_shade(0.0), choose_shade(0.62)
    ('even', 'up5', 'down5', 'up1')
    """
    step = round(abs(rate - EVEN_RATE) * 2 * SHADE_STEPS)
    return f"{'up' if rate > EVEN_RATE else 'down'}{step}" if step else "even"


@frozen
class HeadToHeadRow:
    """The results of a bot against another one."""

    label: str
    record: PairRecord
    shade: str
    bot: str  #: what names it on pages: its name, or its id where the name has several versions


def list_head_to_head(summary: Summary, ids: Sequence[str]) -> list[HeadToHeadRow]:
    """Return the results of some versions of a bot against each other entrant, the worst first."""
    labels = summary.labels
    versions = Counter(standing.entry.name for standing in summary.standings)
    return [
        HeadToHeadRow(
            labels[record.opponent],
            record,
            choose_shade(record.share),
            _shorten_id(record.opponent, versions),
        )
        for record in list_pair_records(summary, ids)
    ]


def _shorten_id(entrant: str, versions: Mapping[str, int]) -> str:
    """Return the name of an entrant, or its id where its name has several versions."""
    name = get_name(entrant)
    return entrant if versions[name] > 1 else name
