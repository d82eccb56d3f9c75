"""The page of a person who waits for the others, and what can be done there before the match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import segno
from attrs import define, frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.tournament import Opponent
from arena_web.http.refusals import ConflictError, ForbiddenError, refuse_with
from arena_web.page_templates import PageValues
from arena_web.play.lobby import Guest, WaitingRoom
from arena_web.play.offers import OfferedGame, OpponentPool, offer
from arena_web.play.pages.requests import find_name, read_form, render_fresh
from arena_web.play.person_names import BadNameError
from arena_web.play.seat_secrets import Secret
from arena_web.play.setup_requests import get_first, parse_bot
from arena_web.play.table_terms import PERSON
from arena_web.play.tables import PlayTables


@frozen(kw_only=True)
class WaitingPage(PageValues):
    """The values of the page of a person who waits."""

    template = "waiting.html"

    base: Secret  #: of the person
    room: WaitingRoom
    guest: Guest  #: the person
    unnamed: bool  #: whether the person has given no name
    given: str  #: the name that was refused; empty for none
    problem: str  #: and why
    rematch: bool  #: whether they have played before
    bots: Sequence[Opponent]  #: that can take the free seats
    usual: str | None  #: the bot that is offered first
    code: str  #: the link for friends as a picture, in SVG


@define
class WaitingPages:
    """The page `seat/SECRET` as long as its person waits; then it is that of the seat."""

    tables: PlayTables
    pools: Mapping[str, OpponentPool]  #: by game

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of what can be done while one waits."""
        seat = "/seat/{secret:str}"
        return [
            Route(f"{seat}/name", self.rename, methods=["POST"]),
            Route(f"{seat}/start", self.start, methods=["POST"]),
            Route(f"{seat}/remove", self.remove_friend, methods=["POST"]),
        ]

    async def render(
        self, request: Request, room: WaitingRoom, secret: Secret, name: str = "", problem: str = ""
    ) -> Response:
        """Return the page of who waits for the others, with a name that was refused and why."""
        guest, offers = room.guests[secret], await self._find_offers(room)
        first = offers.first.name if offers and offers.first else None
        usual = next((bot.bot for bot in room.setup.others), first)
        page = WaitingPage(
            base=secret,
            room=room,
            guest=guest,
            unnamed=guest.given_name == PERSON,
            given=name,
            problem=problem,
            rematch=self.tables.is_rematch(room.key),
            bots=offers.ready if offers else (),
            usual=usual,
            code=draw_code(f"{str(request.url).rpartition('/seat/')[0]}/table/{room.key}"),
        )
        return render_fresh(request, page, 422 if problem else 200)

    async def rename(self, request: Request) -> Response:
        """Name a person who waits for the match."""
        form = await read_form(request)
        secret = request.path_params["secret"]
        room = await self.tables.find_room(secret)
        try:
            room.rename(secret, find_name(form))
        except BadNameError as problem:
            name = get_first(form, "name")
            return await self.render(request, room, secret, name, problem.message)
        return RedirectResponse(f"../{secret}", 303)

    async def start(self, request: Request) -> Response:
        """Begin a match without those who have not come; a bot has the free seats, or nobody."""
        name, secret = get_first(await read_form(request), "bot"), request.path_params["secret"]
        place = await self.tables.get_place(secret)
        game = place.setup.game
        with refuse_with(ConflictError):
            bot = await run_in_threadpool(parse_bot, game, name, ()) if name else None
            place = await self.tables.get_place(secret)  # a friend may have come meanwhile
            if isinstance(place, WaitingRoom):
                self.tables.start(place, secret, bot)
        return RedirectResponse(f"../{secret}", 303)

    async def remove_friend(self, request: Request) -> Response:
        """Take a friend's seat away, as the host may before the match."""
        secret = request.path_params["secret"]
        place = await self.tables.get_place(secret)
        if secret != place.secrets[0]:
            raise ForbiddenError("only who has set the table up can remove a friend")
        name = get_first(await read_form(request), "friend")
        with refuse_with(ConflictError):
            room = await self.tables.find_room(secret)
            game, bot = room.setup.game, next(iter(room.setup.others), None)
            if bot is None:
                offers = await self._find_offers(room)
                bot = parse_bot(game, offers.first.name if offers and offers.first else "", ())
                room = await self.tables.find_room(secret)  # the match may have begun meanwhile
            room.remove_friend(name, bot)
        return RedirectResponse(f"../{secret}", 303)

    async def _find_offers(self, room: WaitingRoom) -> OfferedGame | None:
        """Return the bots that can play in a room; None for a game that has none at all."""
        pool = self.pools.get(room.setup.game.name)
        return await run_in_threadpool(offer, pool) if pool else None


def draw_code(link: str) -> str:
    """Return the QR code of a link as SVG, black on white, which a telephone's camera reads."""
    code = segno.make(link, error="m", micro=False)
    return str(code.svg_inline(light="#fff", border=2, omitsize=True, title="Link as QR code"))
