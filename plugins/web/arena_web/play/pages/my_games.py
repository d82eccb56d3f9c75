"""The pages "My games" and "How you play": the games of a visitor's browser."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from attrs import define, field, frozen
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena_web.addresses import build_attachment_headers
from arena_web.http.worker_threads import LimitedThreads
from arena_web.page_templates import PageValues
from arena_web.play.pages.requests import read_form, render_fresh
from arena_web.play.tables import PlayTables
from arena_web.play.visitors.games import (
    MAX_RUNNING,
    MAX_SHOWN,
    GameRow,
    SittingRows,
    build_export,
    group_sittings,
)
from arena_web.play.visitors.ratings import VisitorRating, rate_visitor
from arena_web.play.visitors.results import OpponentRecord, collect_records
from arena_web.play.visitors.styles import LEAST_MATCHES, OwnStyle, observe_visitor
from arena_web.play.visitors.visitors import Visitors

MAX_PARALLEL = 1  # exports and styles that are made at once
MAX_WAITING = 10  # exports and styles that are waited for; the next is refused
RETRY_SECONDS = 5  # seconds after which it may come again


@frozen(kw_only=True)
class MyGamesPage(PageValues):
    """The values of the page of a visitor's games."""

    template = "games.html"

    rows: Sequence[GameRow]
    finished: Sequence[SittingRows]  #: the latest of those that are over
    shown: int  #: how many finished ones are listed at most
    most_running: int  #: how many of those that are not over are seen at once
    records: Collection[OpponentRecord]
    ratings: Sequence[VisitorRating]
    asked: Collection[str]  #: the keys of the tables at which the visitor is asked something
    lost: Collection[str]  #: the keys of those that the visitor has left, or lost the seat at
    retention: str  #: how long games are kept, in words


@frozen(kw_only=True)
class OwnStylesPage(PageValues):
    """The values of the page on how a visitor plays."""

    template = "own_styles.html"

    styles: Sequence[OwnStyle]
    least: int  #: matches of a game after which its style is told


@define
class MyGamesPages:
    """The pages below `games`, which know a browser by its ticket."""

    tables: PlayTables
    visitors: Visitors
    _threads: LimitedThreads = field(
        init=False, factory=lambda: LimitedThreads(MAX_PARALLEL, MAX_WAITING, RETRY_SECONDS)
    )

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the pages."""
        return [
            Route("/games", self.show_games, methods=["GET"]),
            Route("/games", self.delete_games, methods=["POST"]),
            Route("/games/export", self.export_games),
            Route("/games/style", self.show_styles),
        ]

    async def show_games(self, request: Request) -> Response:
        """Show the games."""
        rows = await self.visitors.list_games(request)
        own = [row.secret for row in rows]
        page = MyGamesPage(
            rows=rows,
            finished=group_sittings([row for row in rows if row.said][:MAX_SHOWN]),
            shown=MAX_SHOWN,
            most_running=MAX_RUNNING,
            records=collect_records(rows).values(),
            ratings=rate_visitor(rows),
            asked=self.tables.list_asking(own),
            lost=self.tables.list_lost_tables(own),
            retention=self.tables.store.describe_retention(),
        )
        return render_fresh(request, page)

    async def delete_games(self, request: Request) -> Response:
        """Delete a finished game, or all of them, from the list."""
        for key in (await read_form(request)).get("delete", ()):
            await self.visitors.delete_games(request, None if key == "all" else key)
        return RedirectResponse("games", 303)

    async def export_games(self, request: Request) -> Response:
        """Return the finished games as a zip file."""
        rows = await self.visitors.list_games(request)
        body = await self._threads.run(partial(build_export, self.tables.store, rows))
        headers = {**build_attachment_headers("games.zip"), "Cache-Control": "no-store"}
        return Response(body, media_type="application/zip", headers=headers)

    async def show_styles(self, request: Request) -> Response:
        """Show the visitor's style in each game."""
        rows = await self.visitors.list_games(request)
        styles = await self._threads.run(partial(observe_visitor, self.tables.store, rows))
        page = OwnStylesPage(styles=styles, least=LEAST_MATCHES)
        return render_fresh(request, page)
