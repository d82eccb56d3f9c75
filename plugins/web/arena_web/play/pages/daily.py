"""The page of the deals of the day: one table a game, and how others did."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from attrs import define, field, frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena import UserError
from arena_web.http.clients import find_client
from arena_web.http.refusals import NotFoundError, find_form_status
from arena_web.page_templates import PageValues
from arena_web.play.daily import DailyDeal, DailyDeals
from arena_web.play.offers import OpponentPool, offer
from arena_web.play.own_games import GameRow
from arena_web.play.pages.requests import find_name, read_form, render_fresh
from arena_web.play.setup_requests import get_first
from arena_web.play.table_terms import PERSON
from arena_web.play.tables import PlayTables
from arena_web.play.visitors import Visitors


@frozen(kw_only=True)
class DailyPage(PageValues):
    """The values of the page of the deals of the day."""

    deals: Sequence[DailyDeal]
    problem: str  #: why no table could be opened; empty for none
    default_name: str  #: the name of a person who gives none
    day: str  #: in words
    next: str  #: when the next deals come, as ISO 8601 writes it
    retention: str  #: how long results are kept, in words


@define
class DailyPages:
    """The page `daily`, which knows a browser by its ticket."""

    tables: PlayTables
    visitors: Visitors
    pools: Mapping[str, OpponentPool]  #: by game
    deals: DailyDeals
    _opening: asyncio.Lock = field(init=False, factory=asyncio.Lock)

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the page."""
        return [
            Route("/daily", self.show, methods=["GET"]),
            Route("/daily", self.play, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """Show today's deals."""
        return await self._render(request, "", 200)

    async def play(self, request: Request) -> Response:
        """Seat a visitor at today's deal of a game, or show where they play it already."""
        form = await read_form(request)
        pool = self.pools.get(get_first(form, "game"))
        if pool is None:
            raise NotFoundError
        try:
            name = find_name(form)
            setup = await run_in_threadpool(lambda: self.deals.build_setup(offer(pool), name))
            async with self._opening:  # so that two clicks find one table
                rows = await self.visitors.list_games(request)
                if own := self.deals.find_own(rows, pool.game.name):
                    return RedirectResponse(f"seat/{own.secret}", 303)
                place = self.tables.open(setup, find_client(request.scope))
                self.visitors.add_seat(request, place.secrets[0])
        except UserError as problem:
            return await self._render(request, problem.message, find_form_status(problem))
        return RedirectResponse(f"seat/{place.secrets[0]}", 303)

    async def _render(self, request: Request, problem: str, status: int) -> Response:
        rows = await self.visitors.list_games(request)
        deals = await run_in_threadpool(self._find_deals, rows)
        today = self.deals.get_today()
        page = DailyPage(
            deals=deals,
            problem=problem,
            default_name=PERSON,
            day=describe_day(today),
            next=f"{today + timedelta(days=1)}T00:00:00Z",
            retention=self.tables.store.describe_retention(),
        )
        return self.visitors.greet(render_fresh(request, "daily.html", page, status), request)

    def _find_deals(self, rows: Sequence[GameRow]) -> list[DailyDeal]:
        offers = [offer(pool) for pool in self.pools.values()]
        return [self.deals.find_deal(game, rows) for game in offers if game.first]


def describe_day(day: date) -> str:
    """Return a date in words.

    >>> describe_day(date(2026, 11, 29))
    'Sunday, 29 November 2026'
    """
    return f"{day:%A}, {day.day} {day:%B %Y}"
