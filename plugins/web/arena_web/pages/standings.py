"""The pages of the standings: those who have not left, and the versions that have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import asdict, evolve, frozen
from starlette.responses import JSONResponse, Response

from arena.tournament import Standing, Summary
from arena.tournament.entries import get_name
from arena.tournament.results.standings_tables import format_estimate
from arena_web.http.refusals import NotFoundError
from arena_web.pages.leads import describe_lead
from arena_web.pages.page_query import PageQuery
from arena_web.pages.source_page import TournamentPageValues
from arena_web.pages.standings_rows import StandingsRow, build_rows
from arena_web.pages.tournament_heading import TournamentHeading, build_heading
from arena_web.tournaments.news import TournamentNews
from arena_web.tournaments.snapshots import TournamentSnapshot
from arena_web.tournaments.views import TournamentView

PAGE_ROWS = 200  # of a page of the standings, so that it stays below 300 kB
MAX_ROWS = 1000  # of the page of versions that have left


@frozen
class RankedEntrant:
    """A line of the ranking by a tournament's format."""

    place: int
    id: str
    label: str
    result: str  #: in words


@frozen(kw_only=True)
class StandingsPage(TournamentPageValues):
    """The values of one page of the standings."""

    template = "standings.html"

    terms: str  #: what is played, in words
    news: TournamentNews
    rows: Sequence[StandingsRow]
    page: int  #: its number, from 1 on
    pages: int  #: how many there are
    left: int  #: versions that have left
    lead: str  #: a sentence on who leads
    failed: bool  #: whether a bot of this page got a verdict
    states: bool  #: whether one is not active
    format_ranking: Sequence[RankedEntrant]  #: empty where the format has none of its own
    remarks: Sequence[str]
    scale: str  #: what the ratings mean, in words
    level: str  #: of the confidence intervals, in per cent
    origin: str  #: what a rating of 0 is, in words
    model: str  #: the name of the model of ratings


@frozen(kw_only=True)
class DepartedPage(TournamentPageValues):
    """The values of the page of the versions that have left."""

    template = "left.html"

    rows: Sequence[tuple[Standing, str, str]]  #: each with its label and its rating
    left: int  #: how many there are in all


async def show_standings(tournament: TournamentView, query: PageQuery) -> StandingsPage:
    """Return the values of one page of the standings, of those who have not left."""
    snapshot = tournament.snapshot
    page = query.get("page", "1")
    summary, labels = snapshot.summary, snapshot.summary.labels
    pages = count_pages(summary)
    if page not in map(str, range(1, pages + 1)):
        raise NotFoundError
    format_ranking = [
        RankedEntrant(
            row.place, row.entrant, labels.get(row.entrant, get_name(row.entrant)), row.result
        )
        for row in summary.format_ranking
    ]
    first = PAGE_ROWS * (int(page) - 1)
    some = summary.present[first : first + PAGE_ROWS]
    rows = build_rows(evolve(summary, standings=summary.present), snapshot.authors, some)
    return StandingsPage(
        heading=build_heading(snapshot),
        terms=snapshot.terms,
        news=tournament.news,
        rows=rows,
        page=int(page),
        pages=pages,
        left=len(summary.standings) - len(summary.present),
        lead=describe_lead(summary),
        failed=any(row.failed for row in rows),
        states=any(row.state for row in rows),
        format_ranking=format_ranking,
        remarks=[*summary.list_remarks()],
        scale=summary.describe_scale(),
        level=f"{100 * summary.level:g}",
        origin=summary.origin,
        model=summary.model.name,
    )


def count_pages(summary: Summary) -> int:
    """Return the number of pages of the standings of those who have not left."""
    return max(1, -(-len(summary.present) // PAGE_ROWS))


async def show_departed(tournament: TournamentView, _: PageQuery) -> DepartedPage:
    """Return the values of the page of the versions that have left."""
    snapshot = tournament.snapshot
    labels = snapshot.summary.labels
    departed = [row for row in snapshot.summary.standings if row.has_left]
    some = departed[:MAX_ROWS]
    rows = [(row, labels[row.entry.id], format_estimate(row.rating, 0)) for row in some]
    return DepartedPage(heading=build_heading(snapshot), rows=rows, left=len(departed))


@frozen
class StandingsDocument:
    """The standings for programs."""

    heading: TournamentHeading
    level: float  #: of the confidence intervals, from 0 to 1
    left: int  #: versions that have left
    standings: Sequence[Mapping[str, Any]]  #: as `arena standings --json` has them, with authors

    @property
    def json(self) -> dict[str, Any]:
        """The document as programs read it; the keys of the heading stand beside the others."""
        more = {"level": self.level, "left": self.left, "standings": [*self.standings]}
        return {**asdict(self.heading), **more}


async def get_standings(tournament: TournamentView, query: PageQuery) -> Response:
    """Return the standings as JSON; with `?all=1` also those who have left."""
    everybody = bool(query.get("all"))
    return JSONResponse(build_standings_document(tournament, everybody=everybody).json)


def build_standings_document(
    tournament: TournamentView, *, everybody: bool = False
) -> StandingsDocument:
    """Return the standings for programs, of `everybody` or of those who have not left."""
    snapshot = tournament.snapshot
    entrants, present = snapshot.summary.standings, snapshot.summary.present
    return StandingsDocument(
        build_heading(snapshot),
        snapshot.summary.level,
        len(entrants) - len(present),
        [
            {**standing.pack(), **_serialize_author(snapshot, standing)}
            for standing in (entrants if everybody else present)
        ],
    )


def _serialize_author(snapshot: TournamentSnapshot, standing: Standing) -> dict[str, str]:
    author = snapshot.authors.get(standing.entry.name)
    return {"author": author} if author else {}
