"""The page where one chooses a game, its options and whom to play against."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from attrs import define, field, frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena import Explorer, UserError
from arena.plugins import get_plugins
from arena_web.http.clients import find_client
from arena_web.http.refusals import NotFoundError, find_form_status
from arena_web.page_templates import PageValues
from arena_web.play.bot_preparations import can_prepare, start_bot
from arena_web.play.offers import OfferedGame, OpponentPool, offer
from arena_web.play.pages.requests import read_form, render_fresh
from arena_web.play.person_names import BadNameError
from arena_web.play.sample_matches import play_sample_matches
from arena_web.play.setup_requests import CLOCKS, get_first, read_setup
from arena_web.play.table_setup import MAX_PERSONS
from arena_web.play.table_terms import PERSON
from arena_web.play.tables import PlayTables
from arena_web.play.visitors.games import MAX_RUNNING, GameRow
from arena_web.play.visitors.results import OpponentRecord, collect_records
from arena_web.play.visitors.visitors import Visitors
from arena_web.preparations import Preparation, Preparations


@frozen
class SentForm:
    """What a visitor has sent, with the reason why it was refused."""

    fields: Mapping[str, Sequence[str]] = field(factory=dict)  #: the values, by name
    problem: str = ""
    bad_name: str = ""  #: why the name was refused, which stands beside the field


@frozen(kw_only=True)
class StartPage(PageValues):
    """The values of the page of all games."""

    template = "play.html"

    offers: Sequence[OfferedGame]
    problem: str  #: why something was refused; empty for nothing
    records: Mapping[tuple[str, str], OpponentRecord]  #: of the visitor, by game and opponent
    running: Sequence[GameRow]  #: games of the visitor that are not over
    most_running: int  #: how many of them are listed
    asked: Collection[str]  #: the keys of those in which the visitor is asked something
    sources: Mapping[str, str]  #: what else is served: kinds by name
    explorers: Sequence[Explorer]


@frozen(kw_only=True)
class GamePage(PageValues):
    """The values of the page of one game and its form."""

    template = "play_game.html"

    offer: OfferedGame
    form: Mapping[str, Sequence[str]]  #: what was sent before, by the names of the fields
    problem: str  #: why it was refused; empty for nothing
    bad_name: str  #: why the name was; empty for nothing
    records: Mapping[tuple[str, str], OpponentRecord]  #: of the visitor, by game and opponent
    default_name: str  #: the name of a person who gives none
    most: int  #: people at a table
    clocks: Sequence[str]  #: the labels of the time limits
    preparations: Mapping[str, Preparation]  #: that were begun, by bot
    preparable: Collection[str]  #: bots that can be prepared here


@define
class StartPages:
    """The page `play`: all games, or one game and its form."""

    tables: PlayTables
    visitors: Visitors
    pools: Mapping[str, OpponentPool]  #: by game
    sources: Mapping[str, str]  #: what else is served: kinds by name
    prepares: bool  #: whether visitors may have bots prepared, which takes the machine
    preparations: Preparations

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the page."""
        return [
            Route("/play", self.show_games, methods=["GET"]),
            Route("/play", self.open_table, methods=["POST"]),
            Route("/play/samples", self.get_samples),
            Route("/play/prepare", self.prepare, methods=["POST"]),
            Route("/play/prepare", self.get_preparation, methods=["GET"]),
        ]

    async def show_games(self, request: Request) -> Response:
        """Show the games, or the opponents and the options of one game."""
        name = request.query_params.get("game")
        if name:
            try:
                get_plugins().find_game(name)
            except UserError as problem:
                return await self.render(request, SentForm(problem=problem.message), 404)
        return await self.render(request, SentForm(), 200, name)

    async def get_samples(self, _: Request) -> Response:
        """Return a sample match of each game."""
        samples = await run_in_threadpool(play_sample_matches)
        headers = {"Cache-Control": "max-age=3600"}
        return Response(samples, media_type="application/json", headers=headers)

    async def prepare(self, request: Request) -> Response:
        """Begin to prepare a bot, and show its game again."""
        form = await read_form(request)
        name, bot = get_first(form, "game"), get_first(form, "bot")
        if not self.prepares or name not in self.pools:
            raise NotFoundError
        try:
            start_bot(self.preparations, self.pools[name], bot)
        except UserError as problem:
            return await self.render(request, SentForm(problem=problem.message), 409, name)
        return RedirectResponse(f"../play?game={name}", 303)

    async def get_preparation(self, request: Request) -> Response:
        """Return the progress of the preparation of a bot."""
        game, bot = (request.query_params.get(name, "") for name in ("game", "bot"))
        preparation = self.preparations.find(game, bot)
        if preparation is None:
            raise NotFoundError
        return preparation.build_progress()

    async def open_table(self, request: Request) -> Response:
        """Open a table, and redirect to the first seat."""
        form = await read_form(request, keeps_blanks=True)
        try:
            setup = await run_in_threadpool(read_setup, form, self.tables.programs)
            place = self.tables.open(setup, find_client(request.scope))
        except BadNameError as problem:
            return await self.render(request, SentForm(form, bad_name=problem.message), 422)
        except UserError as problem:
            sent = SentForm(form, problem.message)
            return await self.render(request, sent, find_form_status(problem))
        return RedirectResponse(f"seat/{place.secrets[0]}", 303)

    async def render(
        self, request: Request, sent: SentForm, status: int, game: str | None = None
    ) -> Response:
        """Show all games, or one game and its form, with the previous input and its error."""
        rows = await self.visitors.list_games(request)
        pool = self.pools.get(game or get_first(sent.fields, "game"))
        if pool is None:
            start_page = await self._build_start_page(rows, sent)
            return render_fresh(request, start_page, status)
        game_page = await self._build_game_page(rows, sent, pool)
        return render_fresh(request, game_page, status)

    async def _build_start_page(self, rows: Sequence[GameRow], sent: SentForm) -> StartPage:
        lost = self.tables.list_lost_tables([row.secret for row in rows])
        running = [row for row in rows if not row.is_over and row.key not in lost]
        return StartPage(
            offers=await run_in_threadpool(lambda: [*map(offer, self.pools.values())]),
            problem=sent.problem,
            records=collect_records(rows),
            running=running,
            most_running=MAX_RUNNING,
            asked=self.tables.list_asking([row.secret for row in running]),
            sources=self.sources,
            explorers=get_plugins().explorers,
        )

    async def _build_game_page(
        self, rows: Sequence[GameRow], sent: SentForm, pool: OpponentPool
    ) -> GamePage:
        game, names = pool.game, [bot.name for bot in pool.bots]
        preparations = {name: self.preparations.find(game.name, name) for name in names}
        return GamePage(
            offer=await run_in_threadpool(offer, pool),
            form=sent.fields,
            problem=sent.problem,
            bad_name=sent.bad_name,
            records=collect_records(rows),
            default_name=PERSON,
            most=MAX_PERSONS,
            clocks=[*CLOCKS],
            preparations={name: begun for name, begun in preparations.items() if begun},
            preparable={name for name in names if self.prepares and can_prepare(game, name)},
        )
