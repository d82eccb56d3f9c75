"""The file with all matches of a tournament, for programs: a line for each seat."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Iterable, Mapping
from functools import partial
from typing import Any

from starlette.responses import Response, StreamingResponse

from arena.tables import escape_formula
from arena.tournament.deals import Key
from arena.tournament.results.exported_results import COLUMNS, build_rows
from arena.tournament.store import MatchFilter, Store
from arena_web.addresses import build_attachment_headers
from arena_web.pages.page_query import PageQuery
from arena_web.tournaments.views import TournamentView

CHUNK_MATCHES = 500  # matches of a file for programs, read at once


async def download_csv(tournament: TournamentView, _: PageQuery) -> Response:
    """Stream all matches as CSV."""
    headers = build_attachment_headers(f"{tournament.name}-matches.csv")
    return StreamingResponse(iterate_csv(tournament), media_type="text/csv", headers=headers)


async def iterate_csv(tournament: TournamentView) -> AsyncIterator[str]:
    """Yield the parts of a CSV file with all matches, one line per seat."""
    after: Key | None = None
    yield _format_csv([], heading=True)
    while True:
        text, after = await tournament.ask_in_turn(partial(_read_chunk, after=after))
        yield text
        if after is None:
            return


def _read_chunk(store: Store, *, after: Key | None) -> tuple[str, Key | None]:
    """Return the next lines and the match to continue after; None after the last."""
    rows = [*build_rows(store.matches.find_matches(MatchFilter(limit=CHUNK_MATCHES, after=after)))]
    return _format_csv(rows), (rows[-1]["deal"], rows[-1]["rotation"]) if rows else None


def _format_csv(rows: Iterable[Mapping[str, Any]], *, heading: bool = False) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    if heading:
        writer.writeheader()
    writer.writerows({name: escape_formula(value) for name, value in row.items()} for row in rows)
    return text.getvalue()
