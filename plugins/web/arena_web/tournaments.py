"""Pages of a tournament: standings, matrix, curves, bots."""

from __future__ import annotations

from typing import Any

from attrs import evolve
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from arena.tournament import Filter, Standing, Store, in_order, name_of
from arena_web.drawing import chart
from arena_web.served import Contest, Seen
from arena_web.tables import Row, duels, label_of, lead, standing_rows
from arena_web.tables import matrix as lines_of

PARTS = ("standings", "matrix", "curves", "matches", "live")
"""Parts of pages that follow a tournament while it runs."""

LAST = 10  # matches of a bot that are shown
COLUMNS = 8  # of the table below the curves


def _heading(seen: Seen) -> dict[str, Any]:
    """Return what all pages of a tournament say of it."""
    return {
        "game": seen.figures.game,
        "stored": seen.stored,
        "planned": seen.planned,
        "counted": seen.figures.matches,
        **times_of(seen),
    }


def times_of(seen: Seen | None) -> dict[str, str | None]:
    """Return when a tournament's first and last match were over, as programs read times."""
    started, last_match = (seen and seen.span) or (None, None)
    return {"started": started, "last_match": last_match}


async def standings(contest: Contest, _: Request) -> dict[str, Any]:
    """Return how everybody stands."""
    seen = await contest.figures.get()
    figures, names = seen.figures, label_of(seen.figures)
    own = [
        (
            place,
            one,
            names.get(one, name_of(one)),
            words if isinstance(words, str) else f"{words:g}",
        )
        for place, (one, words) in enumerate(figures.own, 1)
    ]
    rows = standing_rows(figures, seen.authors)
    return {
        **_heading(seen),
        "rows": rows,
        "lead": lead(figures),
        "failed": any(row.failed for row in rows),
        "states": any(row.state for row in rows),
        "own": own,
        "remarks": [*figures.remarks()],
        "level": f"{100 * figures.level:g}",
        "model": figures.model.name,
    }


async def standings_json(contest: Contest, _: Request) -> Response:
    """Return the same for programs."""
    seen = await contest.figures.get()
    return JSONResponse(
        {
            **_heading(seen),
            "level": seen.figures.level,
            "standings": [{**one.pack(), **_author(seen, one)} for one in seen.figures.found],
        }
    )


def _author(seen: Seen, one: Standing) -> dict[str, str]:
    author = seen.authors.get(one.entry.name)
    return {"author": author} if author else {}


async def matrix(contest: Contest, _: Request) -> dict[str, Any]:
    """Return who finished ahead of whom."""
    seen = await contest.figures.get()
    return {**_heading(seen), "lines": lines_of(seen.figures)}


async def curves(contest: Contest, request: Request) -> dict[str, Any]:
    """Return how ratings came to be what they are."""
    seen, drawn = await contest.curves.get()
    figures, names = seen.figures, label_of(seen.figures)
    ids = figures.fit.entrants
    who = [(index, ids[index], names[ids[index]]) for index in in_order(figures.fit)]
    asked = request.query_params.get("bot", "")
    chosen = [one for one in ids if asked in {one, name_of(one)}]
    count = len(drawn.deals)
    some = sorted({round((step + 1) * count / COLUMNS) - 1 for step in range(COLUMNS)} - {-1})
    table = [
        (label, one, [_whole(float(drawn.rating[row, index])) for row in some])
        for index, one, label in who
    ]
    return {
        **_heading(seen),
        "chart": chart(drawn, who, chosen) if who else None,
        "chosen": asked if chosen else "",
        "who": who,
        "deals": [int(drawn.deals[row]) for row in some],
        "table": table,
        "level": f"{100 * figures.level:g}",
    }


def _whole(value: float) -> str:
    return f"{value:z.0f}" if value == value else ""  # noqa: PLR0124  # nan is not itself


async def bot(contest: Contest, request: Request) -> dict[str, Any]:
    """Return all that is known of a bot, or of one version of it."""
    seen = await contest.figures.get()
    asked = request.path_params["bot"]
    mine = [one for one in seen.figures.found if asked in {one.entry.name, one.entry.id}]
    if not mine:
        raise HTTPException(404)
    ids = [one.entry.id for one in mine]
    rows = [row for row in standing_rows(seen.figures) if row.id in ids]
    times = await contest.ask(Store.tallies)
    failed = await contest.verdicts(Filter(bot=asked, verdict=None, limit=0))
    kinds = sorted({kind for one in mine for kind in one.verdicts})
    for kind in kinds:
        failed += await contest.verdicts(Filter(bot=asked, verdict=kind, limit=LAST, newest=True))
    return {
        **_heading(seen),
        "bot": asked,
        "name": mine[0].entry.name,
        "author": seen.authors.get(mine[0].entry.name, ""),
        "rows": [_with_version(row, one) for row, one in zip(rows, mine, strict=True)],
        "times": {one: f"{times[one].seconds:.3f}" for one in ids},
        "duels": duels(seen.figures, ids),
        "failed": _verdicts(failed, mine[0].entry.name)[: 2 * LAST],
        "matches": await contest.matches(Filter(bot=asked, limit=LAST, newest=True)),
    }


def _with_version(row: Row, one: Standing) -> Row:
    return evolve(row, label=one.entry.version)


def _verdicts(matches: list[Any], name: str) -> list[tuple[Any, Any]]:
    """Return each match with the player of this name who failed in it, the newest first."""
    found = [
        (match, one)
        for match in matches
        for one in match.players
        if one.name == name and one.verdict
    ]
    return sorted(found, key=lambda pair: tuple(map(int, pair[0].key.split("."))), reverse=True)
