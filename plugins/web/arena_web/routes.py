"""The routes of the pages, and the functions behind them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.plugins import get_plugins
from arena.tournament.store import MatchFilter
from arena_web.app import Links, find_root, render_page
from arena_web.http.caches import CachedResponse, ResponseCache
from arena_web.http.sse import FollowerLimit
from arena_web.live import MAX_SEEN, LiveTable, LiveTables, TournamentStream, choose_featured_match
from arena_web.pages import bots, feed, head_to_head, matches, standings
from arena_web.pages.analysis import Annotator, list_explorable_games
from arena_web.sources import (
    STANDINGS,
    MatchView,
    Source,
    TournamentSource,
    TournamentView,
    TranscriptFolder,
    ViewParts,
)

Values = Mapping[str, Any]
MAX_RECENT_MATCHES = 12  # matches on the page of what is being played
PageFunction = Callable[[TournamentView, Request], Awaitable[Response | Values]]


class SourcePages:
    """The pages of all sources."""

    def __init__(
        self, served: Mapping[str, Source], followers: FollowerLimit | None = None
    ) -> None:
        followers = followers or FollowerLimit()
        self._served = served
        self._cache = ResponseCache()
        tournament_sources = {
            name: source for name, source in served.items() if isinstance(source, TournamentSource)
        }
        self._streams = {
            name: TournamentStream(source, followers) for name, source in tournament_sources.items()
        }
        self._annotator = Annotator()
        self._lives = {
            name: LiveTables(source.live, followers, source.load_aliases)
            for name, source in tournament_sources.items()
        }

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the pages."""
        tournament_sources: dict[str, tuple[str, PageFunction]] = {
            "matrix": ("matrix.html", head_to_head.show_head_to_head),
            "curves": ("curves.html", standings.show_rating_history),
            "compare": ("compare.html", bots.show_comparison),
            "live": ("live.html", self._show_live_tables),
            "live/next": ("", self._choose_match),
            "live/{key}": ("live_match.html", self._show_live_table),
            "bots/{bot:path}": ("bot.html", bots.show_bot),
            "feed.atom": ("", feed.get_feed),
            "matches.csv": ("", matches.download_csv),
            "standings.json": ("", standings.get_standings),
            "left": ("left.html", standings.show_departed),
        }
        both: dict[str, tuple[str, Any]] = {
            "m/{key}": ("match.html", matches.show_match),
            "m/{key}/steps": ("", matches.get_steps),
            "m/{key}/notes": ("", self._get_notes),
            "m/{key}/transcript": ("", matches.download_transcript),
        }
        made = [
            *(
                self._build_route(path, *how, of=TournamentSource)
                for path, how in tournament_sources.items()
            ),
            *(
                self._build_route(path, *how, of=(TournamentSource, TranscriptFolder))
                for path, how in both.items()
            ),
        ]
        return [
            Route("/", self._show_home),
            Route("/t/{name}/", self._show_first),
            Route("/t/{name}/matches", self._show_matches),
            Route("/t/{name}/events", self._stream_changes),
            Route("/t/{name}/live/{key}/events", self._stream_live_table),
            *made,
        ]

    def close(self) -> None:
        """End all streams."""
        for stream in self._streams.values():
            stream.close()
        for live in self._lives.values():
            live.close()

    def _build_route(self, path: str, template: str, make: Any, of: Any) -> Route:
        async def answer(request: Request) -> Response:
            source = self._find_source(request)
            if not isinstance(source, of):
                raise HTTPException(404)
            return await self._render_cached(request, source, template, make)

        return Route(f"/t/{{name}}/{path}", answer)

    async def _render_cached(
        self, request: Request, source: Source, template: str, make: Any
    ) -> Response:
        """Return a cached page if everything that it depends on is unchanged."""
        view: MatchView = (
            await source.load_view(PARTS.get(make, STANDINGS))
            if isinstance(source, TournamentSource)
            else source
        )
        if make not in CACHE_KEYS:
            return await _render(request, source, template, partial(make, view))
        key = (request.url.path, str(request.query_params), CACHE_KEYS[make](view, request))
        body = self._cache.get(key)
        if body is None:
            page = await _render(request, source, template, partial(make, view))
            body = CachedResponse.of(page)
            self._cache.put(key, body)
        return body.respond(request)

    def _find_source(self, request: Request) -> Source:
        source = self._served.get(request.path_params["name"])
        if source is None:
            raise HTTPException(404)
        return source

    async def _show_home(self, request: Request) -> Response:
        """List the sources; redirect to a single one."""
        if len(self._served) == 1:
            return RedirectResponse(f"t/{next(iter(self._served))}/", 307)
        kinds = {
            name: "tournament" if isinstance(source, TournamentSource) else "transcripts"
            for name, source in self._served.items()
        }
        return render_page(
            "home.html", root=find_root(request), kinds=kinds, walks=get_plugins().explorers
        )

    async def _show_first(self, request: Request) -> Response:
        source = self._find_source(request)
        if isinstance(source, TournamentSource):
            return await self._render_cached(
                request, source, "standings.html", standings.show_standings
            )
        listed = partial(matches.list_transcripts, source)
        return await _render(request, source, "transcripts.html", listed)

    async def _show_matches(self, request: Request) -> Response:
        source = self._find_source(request)
        if isinstance(source, TournamentSource):
            return await self._render_cached(request, source, "matches.html", matches.list_matches)
        listed = partial(matches.list_transcripts, source)
        return await _render(request, source, "transcripts.html", listed)

    async def _show_live_tables(self, tournament: TournamentView, _: Request) -> Values:
        """Return the live tables and the newest results."""
        tables = await tournament.ask(self._lives[tournament.name].list_tables)
        newest = await tournament.list_matches(MatchFilter(limit=MAX_RECENT_MATCHES, newest=True))
        return {"tables": tables, "matches": newest, "game": await tournament.get_game()}

    async def _choose_match(self, tournament: TournamentView, request: Request) -> Response:
        """Return the match that the live page shows next, as JSON."""
        seen = request.query_params.get("seen", "").split(",")[-MAX_SEEN:]
        summary = tournament.summary
        live = self._lives[tournament.name]
        return JSONResponse(
            await tournament.ask(
                lambda store: choose_featured_match(store, summary, live.list_tables(store), seen)
            ),
            headers={"Cache-Control": "no-store"},
        )

    async def _show_live_table(
        self, tournament: TournamentView, request: Request
    ) -> Response | Values:
        """Return the page of a live table, or redirect to its match when it is over."""
        key = request.path_params["key"]
        tables = await tournament.ask(self._lives[tournament.name].list_tables)
        found = next((table for table in tables if table.key == key), None)
        if found is None:
            await tournament.find_match(key)
            return RedirectResponse(f"../m/{key}", 307)
        if not found.open:
            raise HTTPException(403)
        return {"table": found, "game": await tournament.get_game()}

    async def _get_notes(self, source: MatchView, request: Request) -> Response:
        """Return the annotations of plugins on a match."""
        return await self._annotator.answer(
            await source.load_transcript(request.path_params["key"])
        )

    async def _stream_live_table(self, request: Request) -> Response:
        """Stream the announcements of a table that may be watched."""
        tournament, key = self._find_source(request), request.path_params["key"]
        if not isinstance(tournament, TournamentSource):
            raise HTTPException(404)
        found = await self._find_open_table(tournament, key)
        live = self._lives[tournament.name]
        return live.stream(request, found) if found else Response(status_code=204)

    async def _find_open_table(self, tournament: TournamentSource, key: str) -> LiveTable | None:
        """Return the table of this match if everybody may watch it."""
        tables = await tournament.ask(self._lives[tournament.name].list_tables)
        return next((table for table in tables if table.key == key and table.open), None)

    async def _stream_changes(self, request: Request) -> Response:
        """Stream what changes in a tournament, and what happens at one `table` if one is asked."""
        tournament, key = self._find_source(request), request.query_params.get("table")
        if not isinstance(tournament, TournamentSource):
            raise HTTPException(404)
        stream = self._streams[tournament.name]
        if not key:
            return stream.answer(request)
        found = await self._find_open_table(tournament, key)
        live = self._lives[tournament.name]
        return stream.answer_with_table(request, live.open_feed(found) if found else None)


def _key_by_view(source: MatchView, request: Request) -> Hashable:
    if isinstance(source, TournamentView):
        return source.cache_key
    return source.stamp(request.path_params["key"])


def _key_by_transcript(source: MatchView, request: Request) -> Hashable:
    if isinstance(source, TournamentView):
        return source.transcript_key
    return source.stamp(request.path_params["key"])


PARTS: Mapping[Any, ViewParts] = {
    standings.show_standings: ViewParts(news=True, waits=False),
    standings.show_rating_history: ViewParts(history=True),
    bots.show_bot: ViewParts(history=True, styles=True),
    bots.show_comparison: ViewParts(history=True, styles=True),
    feed.get_feed: ViewParts(news=True),
}
"""What pages show besides standings."""

CACHE_KEYS: Mapping[Any, Callable[[MatchView, Request], Hashable]] = {
    standings.show_standings: _key_by_view,
    standings.show_departed: _key_by_view,
    standings.get_standings: _key_by_view,
    head_to_head.show_head_to_head: _key_by_view,
    standings.show_rating_history: _key_by_view,
    bots.show_bot: _key_by_view,
    bots.show_comparison: _key_by_view,
    matches.list_matches: _key_by_view,
    matches.show_match: _key_by_view,
    matches.get_steps: _key_by_transcript,
}
"""What is kept, and what it depends on."""


async def _render(
    request: Request,
    source: Source,
    template: str,
    make: Callable[[Request], Awaitable[Response | Values]],
) -> Response:
    """Render a page, or only one part of it on request."""
    found = await make(request)
    if isinstance(found, Response):
        return found
    depth = find_root(request).count("../") - 2
    to = Links("../" * depth or "./")
    part = request.query_params.get("part")
    values = {
        "root": find_root(request),
        "to": to,
        "source": source.name,
        "of_tournament": isinstance(source, TournamentSource),
        "hill_path": source.hill_path if isinstance(source, TournamentSource) else "",
        "title": source.title,
        "about": source.about if isinstance(source, TournamentSource) else None,
        "walked": list_explorable_games(),
    }
    show = partial(render_page, **values, **found)
    if part is None:
        made = show(template)
    elif part in standings.PARTS and template == f"{part}.html":
        made = show(f"parts/{part}.html")
    else:
        raise HTTPException(404)
    made.headers["Cache-Control"] = "no-cache"
    return made
