"""The page where one chooses a game, its options and whom to play against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import define, field
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena import UserError
from arena.plugins import get_plugins
from arena_web.http.clients import find_client
from arena_web.play.offers import OpponentPool, offer
from arena_web.play.own_games import list_rows
from arena_web.play.own_results import collect_records
from arena_web.play.pages.requests import read_form, render_fresh
from arena_web.play.person_names import BadNameError
from arena_web.play.preparations import Preparations, can_prepare
from arena_web.play.sample_matches import play_sample_matches
from arena_web.play.setup_requests import CLOCKS, get_first, read_setup
from arena_web.play.table_setup import MAX_PERSONS, PERSON
from arena_web.play.tables import NoFreeTableError, PlayTables
from arena_web.play.tickets import Tickets

MAX_RUNNING = 4  # games of a visitor that are shown where one chooses a game


@define
class StartPage:
    """The page `play`: all games, or one game and its form."""

    tables: PlayTables
    tickets: Tickets
    pools: Mapping[str, OpponentPool]  #: by game
    sources: Mapping[str, str]  #: what else is served: kinds by name
    prepares: bool  #: whether visitors may have bots prepared, which takes the machine
    preparations: Preparations = field(init=False, factory=Preparations)

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
                return await self.render_form(request, {}, problem.message, 404)
        return await self.render_form(request, {}, "", 200, name)

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
            raise HTTPException(404)
        try:
            self.preparations.start(self.pools[name], bot)
        except UserError as problem:
            return await self.render_form(request, {}, problem.message, 409, name)
        return RedirectResponse(f"../play?game={name}", 303)

    async def get_preparation(self, request: Request) -> Response:
        """Return the progress of the preparation of a bot."""
        game, bot = (request.query_params.get(name, "") for name in ("game", "bot"))
        preparation = self.preparations.find(game, bot)
        if preparation is None:
            raise HTTPException(404)
        progress = {"share": preparation.share, "over": preparation.over}
        return JSONResponse(progress, headers={"Cache-Control": "no-store"})

    async def open_table(self, request: Request) -> Response:
        """Open a table, and redirect to the first seat."""
        form = await read_form(request, keeps_blanks=True)
        try:
            setup = await run_in_threadpool(read_setup, form, self.tables.programs)
            place = self.tables.open(setup, find_client(request.scope))
        except NoFreeTableError as problem:
            return await self.render_form(request, form, problem.message, 503)
        except BadNameError as problem:
            return await self.render_form(request, form, "", 422, bad_name=problem.message)
        except UserError as problem:
            return await self.render_form(request, form, problem.message, 422)
        return RedirectResponse(f"seat/{place.secrets[0]}", 303)

    async def render_form(
        self,
        request: Request,
        form: Mapping[str, Sequence[str]],
        problem: str,
        status: int,
        game: str | None = None,
        *,
        bad_name: str = "",
    ) -> Response:
        """Show all games, or one game and its form, with the previous input and its error.

        `bad_name` is the error of the name, which stands beside the field.
        """
        name = game or get_first(form, "game")
        pools = [self.pools[name]] if name in self.pools else [*self.pools.values()]
        offers = await run_in_threadpool(lambda: [*map(offer, pools)])
        rows = list_rows(self.tables.store, self.tickets.read(request))
        lost = self.tables.list_lost_tables([row.stored.secret for row in rows])
        running = [row for row in rows if not row.said and row.stored.key not in lost][:MAX_RUNNING]
        page = "play_game.html" if name in self.pools else "play.html"
        return render_fresh(
            page, status, root="./", offers=offers, form=form, problem=problem,
            bad_name=bad_name, clocks=[*CLOCKS],
            person=PERSON, most=MAX_PERSONS, sources=self.sources, records=collect_records(rows),
            running=running, asked=self.tables.list_asking([row.stored.secret for row in running]),
            explorers=get_plugins().explorers, preparing=self.preparations.find,
            can_prepare=can_prepare if self.prepares else lambda *_: False,
        )  # fmt: skip
