"""The page of the deals of the day: one table a game, and how others did."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import partial

from attrs import define, field, frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena import UserError
from arena_web.http.clients import find_client
from arena_web.http.refusals import NotFoundError, find_form_status
from arena_web.http.worker_threads import LimitedThreads
from arena_web.matches.finish import format_ordinal
from arena_web.matches.replay_steps import list_eyes
from arena_web.page_templates import PageValues
from arena_web.pages.annotations import Annotator
from arena_web.pages.replays import find_eye
from arena_web.play.daily import BotReplay, DailyDeal, DailyDeals
from arena_web.play.offers import OfferedGame, OpponentPool, offer
from arena_web.play.pages.requests import find_name, read_form, render_fresh
from arena_web.play.pages.table import TableReplayPage
from arena_web.play.setup_requests import get_first
from arena_web.play.table_terms import PERSON
from arena_web.play.tables import PlayTables
from arena_web.play.visitors.games import GameRow
from arena_web.play.visitors.visitors import Visitors
from arena_web.texts import format_minus

MAX_PARALLEL = 1  # requests for which bots play at once
MAX_WAITING = 100  # that wait, as all do after the change of the day; the next is refused
RETRY_SECONDS = 5  # seconds after which it may come again


@frozen(kw_only=True)
class DailyPage(PageValues):
    """The values of the page of the deals of the day."""

    template = "daily.html"

    deals: Sequence[DailyDeal]
    problem: str  #: why no table could be opened; empty for none
    default_name: str  #: the name of a person who gives none
    day: str  #: in words
    is_past: bool  #: whether the day is over
    earlier: Mapping[str, str]  #: days that are over, and what they are called
    next: str  #: when the next deals come, as ISO 8601 writes it
    retention: str  #: how long results are kept, in words
    share: Sequence[str]  #: the visitor's results as lines of a text to send; none for nothing


@define
class DailyPages:
    """The page `daily`, which knows a browser by its ticket."""

    tables: PlayTables
    visitors: Visitors
    pools: Mapping[str, OpponentPool]  #: by game
    deals: DailyDeals
    annotator: Annotator
    _threads: LimitedThreads = field(
        init=False, factory=lambda: LimitedThreads(MAX_PARALLEL, MAX_WAITING, RETRY_SECONDS)
    )
    _opening: asyncio.Lock = field(init=False, factory=asyncio.Lock)

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the page."""
        return [
            Route("/daily", self.show, methods=["GET"]),
            Route("/daily", self.play, methods=["POST"]),
            Route("/daily/{day}/{game}/{bot}/replay", self.show_replay),
            Route("/daily/{day}/{game}/{bot}/replay/steps", self.get_steps),
            Route("/daily/{day}/{game}/{bot}/notes", self.get_notes),
            Route("/daily/{day}/{game}/{bot}/transcript", self.download_transcript),
        ]

    async def show(self, request: Request) -> Response:
        """Show the deals of today, or of an earlier day."""
        today = self.deals.today
        day = request.query_params.get("day", today)
        if day != today and day not in await run_in_threadpool(self.deals.list_earlier_days):
            raise NotFoundError
        return await self._render(request, day, "", 200)

    async def play(self, request: Request) -> Response:
        """Seat a visitor at today's deal of a game, or show where they play it already."""
        form = await read_form(request)
        pool = self.pools.get(get_first(form, "game"))
        if pool is None:
            raise NotFoundError
        try:
            name = find_name(form)
            today = self.deals.today
            build = partial(self.deals.build_setup, name=name, day=today)
            setup = await run_in_threadpool(lambda: build(offer(pool)))
            async with self._opening:  # so that two clicks find one table
                rows = await self.visitors.list_games(request)
                if own := self.deals.find_own(rows, pool.game.name, today):
                    return RedirectResponse(f"seat/{own.secret}", 303)
                place = self.tables.open(setup, find_client(request.scope))
                self.visitors.add_seat(request, place.secrets[0])
        except UserError as problem:
            status = find_form_status(problem)
            return await self._render(request, self.deals.today, problem.message, status)
        return RedirectResponse(f"seat/{place.secrets[0]}", 303)

    async def show_replay(self, request: Request) -> Response:
        """Show the match of a bundled bot, to who has played the deal."""
        replay = await self._find_replay(request)
        header, names = replay.match.transcript.header, replay.match.names
        page = TableReplayPage(
            game=header.game,
            names=names,
            eyes=list_eyes(names),
            said=replay.said,
            own=None,
            hints={},
        )
        return render_fresh(request, page)

    async def get_steps(self, request: Request) -> Response:
        """Return the steps of that replay."""
        match = (await self._find_replay(request)).match
        return await run_in_threadpool(match.build_steps, find_eye(request.query_params))

    async def get_notes(self, request: Request) -> Response:
        """Return the notes of plugins on that match."""
        return await self.annotator.answer((await self._find_replay(request)).match)

    async def download_transcript(self, request: Request) -> Response:
        """Return the transcript of that match."""
        return (await self._find_replay(request)).match.build_file()

    async def _find_replay(self, request: Request) -> BotReplay:
        """Return the match of a bot; raise NotFoundError for whoever may not see it."""
        day, game, bot = (request.path_params[name] for name in ("day", "game", "bot"))
        pool, rows = self.pools.get(game), await self.visitors.list_games(request)
        own = self.deals.find_own(rows, game, day)
        is_open = (own is not None and own.is_over) or (
            day in await run_in_threadpool(self.deals.list_earlier_days)
        )
        if pool is None or not is_open:
            raise NotFoundError
        replay = await self._threads.run(lambda: self.deals.find_replay(offer(pool), bot, day))
        if replay is None:
            raise NotFoundError
        return replay

    async def _render(self, request: Request, day: str, problem: str, status: int) -> Response:
        rows = await self.visitors.list_games(request)
        deals = await self._find_deals(rows, day)
        earlier = await run_in_threadpool(self.deals.list_earlier_days)
        address = f"{request.base_url}daily?day={day}"
        page = DailyPage(
            deals=deals,
            problem=problem,
            default_name=PERSON,
            day=describe_day(date.fromisoformat(day)),
            is_past=day != self.deals.today,
            earlier={other: describe_day(date.fromisoformat(other)) for other in earlier},
            share=describe_share(deals, describe_day(date.fromisoformat(day)), address),
            next=f"{self.deals.get_today() + timedelta(days=1)}T00:00:00Z",
            retention=self.tables.store.describe_retention(),
        )
        return self.visitors.greet(render_fresh(request, page, status), request)

    async def _find_deals(self, rows: Sequence[GameRow], day: str) -> list[DailyDeal]:
        """Return the deals of a day, behind other requests where bots have not played them yet."""
        offers = await run_in_threadpool(self._list_offers)
        find = partial(self._find_each, offers, rows, day)
        if all(self.deals.has_bots_results(game, day) for game in offers):
            return await run_in_threadpool(find)
        return await self._threads.run(find)

    def _list_offers(self) -> list[OfferedGame]:
        offers = [offer(pool) for pool in self.pools.values()]
        return [game for game in offers if game.first]

    def _find_each(
        self, offers: Iterable[OfferedGame], rows: Sequence[GameRow], day: str
    ) -> list[DailyDeal]:
        return [self.deals.find_deal(game, rows, day) for game in offers]


def describe_share(deals: Iterable[DailyDeal], day: str, address: str) -> list[str]:
    """Return a visitor's results of a day as lines of a text to send; none without results.

    Each has a sign for each bot, and nothing of the cards.
    """
    lines = []
    for deal in deals:
        if own := deal.own_rank:
            rank, result = own
            score = format_minus(deal.offer.game.presentation.count.describe(result.score))
            ranks = [other for other, _ in deal.ranking]
            shared = "shared " if ranks.count(rank) > 1 else ""
            place = f"{shared}{format_ordinal(rank)} of {len(ranks)}"
            lines.append(f"{deal.bot_signs} {deal.offer.game.title}: {place}, {score}")
    return [f"The deal of the day, {day}", *lines, address] if lines else []


def describe_day(day: date) -> str:
    """Return a date in words.

    >>> describe_day(date(2026, 11, 29))
    'Sunday, 29 November 2026'
    """
    return f"{day:%A}, {day.day} {day:%B %Y}"
