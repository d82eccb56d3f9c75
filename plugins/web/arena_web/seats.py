"""Pages of tables: set one, sit at it, watch it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

from attrs import define, field
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.plugins import plugins
from arena.records import SUFFIX, Spectator, Transcript, parse_text
from arena.rules import UserError
from arena.wires import printable
from arena_web.addresses import find_client
from arena_web.app import attached, page
from arena_web.chairs import Chair, Sent
from arena_web.explaining import Explaining, walked
from arena_web.feeds import Followers
from arena_web.forms import CLOCKS, Offer, offers, read
from arena_web.orders import PERSON, Order, usual
from arena_web.playing import Full, Table, Tables
from arena_web.replay import eyes_of, replay_json

LONGEST_BODY = 8192  # bytes
LONGEST_LINE = 500  # characters that are typed
FIELDS = 200  # of a form
QUICK = 3  # bots that one click plays against
SCALARS = (str, int, float, bool, type(None))


@define
class Seats:
    """The pages of the tables that a server keeps."""

    tables: Tables
    followers: Followers = field(factory=Followers)
    explaining: Explaining = field(init=False, factory=Explaining)

    def way(self, game: str | None, order: Order | None) -> str:
        """Return what to show first, behind the root: a new table's seat, or the form."""
        if order is not None:
            return f"seat/{next(iter(self.tables.open(order).chairs))}"
        return f"play?game={game}" if game else ""

    @property
    def routes(self) -> list[BaseRoute]:
        """Return where each page is."""
        seat = "/seat/{secret:str}"
        table = "/table/{key:str}"
        return [
            Route("/play", self.play, methods=["GET"]),
            Route("/play", self.set, methods=["POST"]),
            Route(seat, self.seat),
            Route(f"{seat}/events", self.seat_events),
            Route(f"{seat}/answer", self.answer, methods=["POST"]),
            Route(f"{seat}/leave", self.leave, methods=["POST"]),
            Route(f"{seat}/again", self.again, methods=["POST"]),
            Route(table, self.table),
            Route(f"{table}/events", self.table_events),
            Route(f"{table}/replay", self.replay),
            Route(f"{table}/replay/steps", self.steps),
            Route(f"{table}/notes", self.notes),
            Route(f"{table}/transcript", self.transcript),
        ]

    @property
    def alone(self) -> list[BaseRoute]:
        """Return the root, where nothing else is served."""
        return [Route("/", lambda _: RedirectResponse("play"))]

    async def play(self, request: Request) -> Response:
        """Show what can be played, or, of one game, all that can be chosen."""
        name = request.query_params.get("game")
        try:
            chosen = Offer(plugins().game(name), self.tables.programs) if name else None
        except UserError as problem:
            return self._form({}, str(problem), 404)
        return self._form({}, "", 200, chosen)

    async def set(self, request: Request) -> Response:
        """Set a table; one person is led to the seat, several get a link each."""
        form = parse_qs(await _text(request), keep_blank_values=True, max_num_fields=FIELDS)
        try:
            order = read(form, self.tables.programs)
            table = self.tables.open(order, find_client(request.scope))
        except Full as problem:
            return self._form(form, str(problem), 503)
        except UserError as problem:
            return self._form(form, str(problem), 422)
        if len(table.chairs) == 1:
            return RedirectResponse(f"seat/{next(iter(table.chairs))}", 303)
        return _page("set.html", root="", table=table)

    async def seat(self, request: Request) -> Response:
        """Show a person's seat."""
        table, chair = self._seat(request)
        return _page("seat.html", root="../", table=table, chair=chair, base=chair.secret)

    async def seat_events(self, request: Request) -> Response:
        """Stream what happens at a seat; who opens it is there."""
        found = self.tables.seat(request.path_params["secret"])
        if found is None:
            return Response(status_code=204)
        table, chair = found
        table.arrive(chair)
        return self.followers.stream(request, chair.feed)

    async def answer(self, request: Request) -> Response:
        """Take an answer; whether it is one the match finds out."""
        _, chair = self._seat(request)
        if chair.send(_sent(await _text(request))):
            return Response(status_code=204)
        return JSONResponse({"title": "that question is over"}, 409)

    async def leave(self, request: Request) -> Response:
        """Leave the table."""
        self._seat(request)[1].leave()
        return Response(status_code=204)

    async def again(self, request: Request) -> Response:
        """Sit down again, when the match is over: the same persons and bots, new cards."""
        table, chair = self._seat(request)
        if not table.over:
            raise HTTPException(409, "this match is not over")
        try:
            following = self.tables.again(table)
        except UserError as problem:
            return self._form({}, str(problem), 503)
        place = [*table.chairs].index(chair.secret)
        return RedirectResponse(f"../{[*following.chairs][place]}", 303)

    async def table(self, request: Request) -> Response:
        """Show a table to who watches."""
        table = self._table(request)
        return _page("table.html", root="../", table=table, base=table.key)

    async def table_events(self, request: Request) -> Response:
        """Stream what is announced at a table."""
        table = self.tables.table(request.path_params["key"])
        return self.followers.stream(request, table.feed if table else None)

    async def transcript(self, request: Request) -> Response:
        """Return the transcript, when the match is over."""
        recorded = self._recorded(request)
        headers = attached(f"{recorded.header.match}{SUFFIX}")
        return PlainTextResponse(recorded.text, headers=headers)

    async def replay(self, request: Request) -> Response:
        """Show the match again, through all eyes, when it is over."""
        recorded = self._recorded(request)
        header = recorded.header
        names = [*map(printable, header.names)]
        return _page(
            "again.html", root="../../", game=header.game, names=names, eyes=eyes_of(names),
            walked=walked(),
        )  # fmt: skip

    async def steps(self, request: Request) -> Response:
        """Return the steps of the replay."""
        recorded, eye = self._recorded(request), request.query_params.get("eye", Spectator.ALL)
        try:
            return JSONResponse(await run_in_threadpool(replay_json, recorded, eye))
        except UserError as problem:
            raise HTTPException(404, str(problem)) from None

    async def notes(self, request: Request) -> Response:
        """Return what plugins have to say of the match, when it is over."""
        return await self.explaining.answer(self._recorded(request))

    def _seat(self, request: Request) -> tuple[Table, Chair]:
        found = self.tables.seat(request.path_params["secret"])
        if found is None:
            raise HTTPException(404, "there is no such seat, or not any more")
        return found

    def _table(self, request: Request) -> Table:
        found = self.tables.table(request.path_params["key"])
        if found is None:
            raise HTTPException(404, "there is no such table, or not any more")
        return found

    def _recorded(self, request: Request) -> Transcript:
        text = self._table(request).transcript
        if not text:
            raise HTTPException(404, "there is a transcript when the match is over")
        return parse_text(text)

    def _form(
        self,
        form: Mapping[str, Sequence[str]],
        problem: str,
        status: int,
        chosen: Offer | None = None,
    ) -> Response:
        """Show the form, with what was chosen and what is wrong with it."""
        games = plugins().games
        name = form.get("game", ("",))[0]
        if chosen is None and name in games and "quick" not in form:
            chosen = Offer(games[name], self.tables.programs)
        return _page(
            "play.html", status, root="", offers=offers(self.tables.programs), chosen=chosen,
            form=form, problem=problem, clocks=[*CLOCKS], quick=QUICK, person=PERSON, usual=usual,
        )  # fmt: skip


def _page(name: str, status: int = 200, **values: Any) -> Response:
    """Return a page that no cache keeps: it may hold a secret."""
    made = page(name, status, **values)
    made.headers["Cache-Control"] = "no-store"
    return made


async def _text(request: Request) -> str:
    """Return a request's body, if it is short and a text."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_BODY:
            raise HTTPException(413, f"at most {LONGEST_BODY} bytes")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise HTTPException(400, "not UTF-8") from None


def _sent(text: str) -> Sent:
    """Read an answer: `{"n": 3, "answer": value}` or `{"n": 3, "line": "as typed"}`."""
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode()  # half a character is no text
    except (ValueError, RecursionError):
        raise HTTPException(400, "not JSON") from None
    match value:
        case {"n": int(number), "line": str(line)} if len(line) <= LONGEST_LINE:
            return Sent(number, line=line.strip())
        case {"n": int(number), "answer": answer} if _flat(answer):
            return Sent(number, answer=answer)
    raise HTTPException(422, "no answer: it has n, and answer or line")


def _flat(answer: object) -> bool:
    """Is it one value, or a list of values?"""
    return all(
        isinstance(one, SCALARS) for one in (answer if isinstance(answer, list) else [answer])
    )
