"""Pages of a tournament: standings, head to head, rating history, bots."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from arena.extend import get_name, rank_indices
from arena.tournament import Standing
from arena_web.pages.plots import build_chart
from arena_web.pages.standings_view import build_labels, build_rows, describe_lead
from arena_web.pages.standings_view import build_matrix as lines_of
from arena_web.sources.tournament import TournamentSnapshot, TournamentSource
from arena_web.sources.tournament_highlights import Highlights

PARTS = ("standings", "matrix", "curves", "matches", "live")
"""The parts of pages that update themselves while the tournament runs."""

MAX_COLUMNS = 8  # of the table below the curves


def build_heading(seen: TournamentSnapshot) -> dict[str, Any]:
    """Return the values that all pages of a tournament show."""
    return {
        "game": seen.summary.game,
        "stored": seen.stored,
        "planned": seen.planned,
        "counted": seen.summary.matches,
        "over": seen.over,
        **build_times(seen),
    }


def build_times(seen: TournamentSnapshot | None) -> dict[str, str | None]:
    """Return the times at which a tournament's first and last match ended, in ISO 8601."""
    started, last_match = (seen and seen.span) or (None, None)
    return {"started": started, "last_match": last_match}


async def show_standings(tournament: TournamentSource, _: Request) -> dict[str, Any]:
    """Return the values of the standings page."""
    seen = await tournament.snapshot.get()
    figures, names = seen.summary, build_labels(seen.summary)
    own = [
        (
            place,
            id_,
            names.get(id_, get_name(id_)),
            words if isinstance(words, str) else f"{words:g}",
        )
        for place, (id_, words) in enumerate(figures.format_ranking, 1)
    ]
    rows = build_rows(figures, seen.authors)
    found = await tournament.highlights.get_soon()
    return {
        **build_heading(seen),
        "terms": seen.terms,
        "highlights": found[1] if found else Highlights(),
        "rows": rows,
        "lead": describe_lead(figures),
        "failed": any(row.failed for row in rows),
        "states": any(row.state for row in rows),
        "own": own,
        "remarks": [*figures.list_remarks()],
        "level": f"{100 * figures.level:g}",
        "model": figures.model.name,
    }


async def get_standings(tournament: TournamentSource, _: Request) -> Response:
    """Return the standings as JSON."""
    seen = await tournament.snapshot.get()
    heading = build_heading(seen)
    return JSONResponse(
        {
            **heading,
            "level": seen.summary.level,
            "standings": [
                {**standing.pack(), **_serialize_author(seen, standing)}
                for standing in seen.summary.standings
            ],
        }
    )


def _serialize_author(seen: TournamentSnapshot, standing: Standing) -> dict[str, str]:
    author = seen.authors.get(standing.entry.name)
    return {"author": author} if author else {}


async def show_matrix(tournament: TournamentSource, _: Request) -> dict[str, Any]:
    """Return the values of the head-to-head page."""
    seen = await tournament.snapshot.get()
    return {**build_heading(seen), "lines": lines_of(seen.summary)}


async def show_rating_history(tournament: TournamentSource, request: Request) -> dict[str, Any]:
    """Return the values of the page of the rating history."""
    seen, drawn = await tournament.rating_history.get()
    figures, names = seen.summary, build_labels(seen.summary)
    ids = figures.ratings.entrants
    who = [(index, ids[index], names[ids[index]]) for index in rank_indices(figures.ratings)]
    asked = request.query_params.get("bot", "")
    chosen = [id_ for id_ in ids if asked in {id_, get_name(id_)}]
    count = len(drawn.deals)
    some = sorted(
        {round((step + 1) * count / MAX_COLUMNS) - 1 for step in range(MAX_COLUMNS)} - {-1}
    )
    table = [
        (label, id_, [_format_rating(float(drawn.rating[row, index])) for row in some])
        for index, id_, label in who
    ]
    return {
        **build_heading(seen),
        "chart": build_chart(drawn, who, chosen) if who else None,
        "chosen": asked if chosen else "",
        "who": who,
        "deals": [int(drawn.deals[row]) for row in some],
        "table": table,
        "level": f"{100 * figures.level:g}",
    }


def _format_rating(value: float) -> str:
    return f"{value:z.0f}" if value == value else ""  # noqa: PLR0124  # nan is not itself
