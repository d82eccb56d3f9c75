"""The pages of what is live in a tournament: its tables, the featured match, and their streams."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.tournament.store import MatchFilter
from arena.tournament.workers.live import LiveFolder
from arena_web.http.refusals import ForbiddenError
from arena_web.http.sse import FollowerLimit
from arena_web.live.changes import TournamentStream
from arena_web.live.featured_match import MAX_SEEN, choose_featured_match
from arena_web.live.tables import LiveTable, LiveTables
from arena_web.matches.summaries import MatchSummary
from arena_web.page_templates import PageValues
from arena_web.pages.page_query import PageQuery
from arena_web.pages.source_page import SourcePage
from arena_web.protocol.json_format import to_json
from arena_web.tournaments.sources import TournamentSource
from arena_web.tournaments.views import TournamentView

UNFINISHED_DEAL = "this table can be watched once every rotation of its deal is over"
MAX_RECENT_MATCHES = 12  # matches on the page of what is being played


@frozen(kw_only=True)
class LivePage(PageValues):
    """The values of the page of what is being played."""

    template = "live.html"

    tables: Sequence[LiveTable]
    matches: Sequence[MatchSummary]  #: the newest results
    game: str


@frozen(kw_only=True)
class LiveMatchPage(PageValues):
    """The values of the page of a live table."""

    template = "live_match.html"

    table: LiveTable
    game: str


class LivePages:
    """The live pages of one tournament."""

    def __init__(self, tournament: TournamentSource, followers: FollowerLimit) -> None:
        self._tournament = tournament
        self._stream = TournamentStream(tournament, followers)
        self._tables = LiveTables(LiveFolder(tournament.live), followers, tournament.load_aliases)

    @property
    def pages(self) -> tuple[SourcePage[TournamentView], ...]:
        """The pages, which are made each time."""
        return (
            SourcePage("live", self._show_tables, "live"),
            SourcePage("live/next", self._choose_match),
            SourcePage("live/{key}", self._show_table),
        )

    def build_routes(self, root: str) -> list[BaseRoute]:
        """Return the routes of the streams below this path."""
        return [
            Route(f"{root}events", self._stream_changes),
            Route(f"{root}live/{{key}}/events", self._stream_table),
        ]

    def close(self) -> None:
        """End all streams, from any thread."""
        self._stream.close()
        self._tables.close()

    async def _show_tables(self, view: TournamentView, _: PageQuery) -> LivePage:
        """Return the live tables and the newest results."""
        tables = await view.ask(self._tables.list_tables)
        newest = await view.summarize_matches(MatchFilter(limit=MAX_RECENT_MATCHES, newest=True))
        return LivePage(tables=tables, matches=newest, game=await view.get_game())

    async def _choose_match(self, view: TournamentView, query: PageQuery) -> Response:
        """Return the match that the live page shows next, as JSON."""
        earlier, summary = query.get("seen").split(",")[-MAX_SEEN:], view.summary
        match = await view.ask(
            lambda store: choose_featured_match(
                store, summary, self._tables.list_tables(store), earlier
            )
        )
        return JSONResponse(to_json(match), headers={"Cache-Control": "no-store"})

    async def _show_table(self, view: TournamentView, query: PageQuery) -> Response | LiveMatchPage:
        """Return the page of a live table, or redirect to its match when it is over."""
        key = query.path["key"]
        table = await view.ask(lambda store: self._tables.find_table(store, key))
        if table is None:
            await view.find_match(key)
            return RedirectResponse(f"../m/{key}", 307)
        if not table.watchable:
            raise ForbiddenError(UNFINISHED_DEAL)
        return LiveMatchPage(table=table, game=await view.get_game())

    async def _stream_table(self, request: Request) -> Response:
        """Stream the announcements of a table that may be watched."""
        table = await self._find_open_table(request.path_params["key"])
        return self._tables.stream(request, table) if table else Response(status_code=204)

    async def _stream_changes(self, request: Request) -> Response:
        """Stream what changes in the tournament, and what happens at one `table` if asked."""
        key = request.query_params.get("table")
        if not key:
            return self._stream.answer(request)
        table = await self._find_open_table(key)
        feed = self._tables.open_feed(table) if table else None
        return self._stream.answer_with_table(request, feed)

    async def _find_open_table(self, key: str) -> LiveTable | None:
        """Return the table of this match if everybody may watch it."""
        table = await self._tournament.ask(lambda store: self._tables.find_table(store, key))
        return table if table and table.watchable else None
