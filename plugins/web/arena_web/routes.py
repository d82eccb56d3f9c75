"""The routes of all sources: which pages each has, and how an answer is made of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena_web.addresses import SOURCES_PATH, Links, find_root
from arena_web.http.refusals import NotFoundError
from arena_web.http.response_cache import CachedResponse, ResponseCache
from arena_web.http.sse import FollowerLimit
from arena_web.live.pages import LivePages
from arena_web.matches.notes import annotate
from arena_web.matches.remembered import remember
from arena_web.page_templates import PageValues, SourceFrame, render_page
from arena_web.pages import (
    bots,
    comparison,
    feed,
    head_to_head,
    match_csv,
    matches,
    rating_history,
    replays,
    standings,
)
from arena_web.pages.annotations import Annotator
from arena_web.pages.home import show_home
from arena_web.pages.page_query import PageQuery
from arena_web.pages.source_page import SourcePage, by_figures, by_transcript
from arena_web.preparations import Preparations
from arena_web.sources import MatchView, PageSource, Source
from arena_web.tournaments.sources import TournamentSource
from arena_web.tournaments.views import TournamentView, ViewParts
from arena_web.transcript_folders import TranscriptFolder

V = TypeVar("V")
HISTORY, STYLES = ViewParts(history=True), ViewParts(history=True, styles=True)
NEWS = ViewParts(news=True)
SOURCE_LEVELS = 2  # of the path of a source, `/t/NAME/`

TOURNAMENT_PAGES: tuple[SourcePage[TournamentView], ...] = (
    SourcePage(
        "", standings.show_standings, "standings", ViewParts(news=True, waits=False), by_figures
    ),
    SourcePage("matches", matches.show_matches, "matches", cached_by=by_figures),
    SourcePage("matrix", head_to_head.show_head_to_head, "matrix", cached_by=by_figures),
    SourcePage("curves", rating_history.show_rating_history, "curves", HISTORY, by_figures),
    SourcePage("compare", comparison.show_comparison, "", STYLES, by_figures),
    SourcePage("bots/{bot:path}", bots.show_bot, "", STYLES, by_figures),
    SourcePage("left", standings.show_departed, cached_by=by_figures),
    SourcePage("standings.json", standings.get_standings, cached_by=by_figures),
    SourcePage("matches.csv", match_csv.download_csv),
    SourcePage("m/{key}", matches.show_match, cached_by=by_figures),
)
FOLDER_PAGES: tuple[SourcePage[TranscriptFolder], ...] = (
    SourcePage("", matches.show_transcripts),
    SourcePage("matches", matches.show_transcripts),
    SourcePage("m/{key}", matches.show_match, cached_by=by_transcript),
)


class SourcePages:
    """The pages of all sources."""

    def __init__(
        self,
        sources: Mapping[str, Source],
        followers: FollowerLimit | None = None,
        preparations: Preparations | None = None,
    ) -> None:
        followers = followers or FollowerLimit()
        self._sources = sources
        self._cache = ResponseCache()
        self._live_pages = {
            name: LivePages(source, followers)
            for name, source in sources.items()
            if isinstance(source, TournamentSource)
        }
        annotator = Annotator(remember(annotate, preparations or Preparations()))
        self._match_pages: tuple[SourcePage[MatchView], ...] = (
            SourcePage("m/{key}/steps", replays.get_steps, cached_by=by_transcript),
            SourcePage("m/{key}/notes", annotator.get_notes),
            SourcePage("m/{key}/transcript", replays.download_transcript),
        )

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the pages."""
        kinds = {name: source.kind for name, source in self._sources.items()}
        routes: list[BaseRoute] = [Route("/", partial(show_home, kinds))]
        for name, source in self._sources.items():
            root = f"{SOURCES_PATH}{name}/"
            if isinstance(source, TournamentSource):
                live = self._live_pages[name]
                routes += self._build_routes(root, source, (*TOURNAMENT_PAGES, *live.pages))
                routes += self._build_routes(root, source, self._match_pages)
                routes += [*live.build_routes(root), build_feed_route(root, source)]
            else:
                routes += self._build_routes(root, source, FOLDER_PAGES)
                routes += self._build_routes(root, source, self._match_pages)
        return routes

    def close(self) -> None:
        """End all streams."""
        for live in self._live_pages.values():
            live.close()

    def _build_routes(
        self, root: str, source: PageSource[V], pages: Iterable[SourcePage[V]]
    ) -> list[Route]:
        """Return the routes of some pages of a source below this path."""

        def build(page: SourcePage[V]) -> Route:
            async def answer(request: Request) -> Response:
                return await self._answer(request, source, page)

            return Route(f"{root}{page.path}", answer)

        return [*map(build, pages)]

    async def _answer(
        self, request: Request, source: PageSource[V], page: SourcePage[V]
    ) -> Response:
        """Return a page, a cached one if everything that it depends on is unchanged."""
        query = PageQuery(request.path_params, request.query_params)
        view = await source.load_view(page.needs)
        if page.cached_by is None:
            return _render(request, source, page, await page.make(view, query))
        key = (request.url.path, str(request.query_params), page.cached_by(view, query))
        cached = self._cache.get(key)
        if cached is None:
            response = _render(request, source, page, await page.make(view, query))
            cached = CachedResponse.of(response)
            self._cache.put(key, cached)
        return cached.respond(request)


def build_feed_route(root: str, tournament: TournamentSource) -> Route:
    """Return the route of a tournament's feed, whose addresses name the host as it was called."""

    async def get_feed(request: Request) -> Response:
        links = Links(f"{request.base_url}t/{tournament.name}/")
        text = feed.build_feed(await tournament.load_view(NEWS), links)
        return Response(text, media_type=feed.MEDIA_TYPE)

    return Route(f"{root}feed.atom", get_feed)


def _render(
    request: Request,
    source: PageSource[V],
    page: SourcePage[V],
    values: Response | PageValues,
) -> Response:
    """Render a page, or only its part on request; a response stays as it is."""
    if isinstance(values, Response):
        return values
    part = request.query_params.get("part")
    if part is not None and (not part or part != page.part):
        raise NotFoundError
    frame = SourceFrame(
        root=find_root(request),
        to=Links(find_root(request, SOURCE_LEVELS)),
        source=source.name,
        title=source.title,
        about=source.about,
        of_tournament=isinstance(source, TournamentSource),
        hill_path=source.hill_path,
    )
    response = render_page(values, frame, part=part or "")
    response.headers["Cache-Control"] = "no-cache"
    return response
