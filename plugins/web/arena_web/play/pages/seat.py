"""The page of a person in a match, which is played there."""

from __future__ import annotations

import json
from collections.abc import Sequence

from attrs import define, field, frozen
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena import Game, UserError
from arena_web.http.refusals import ConflictError, NotFoundError
from arena_web.http.sse import FollowerLimit
from arena_web.page_templates import PageValues
from arena_web.play.chairs.chair import Chair
from arena_web.play.chairs.hint_queue import HintQueue
from arena_web.play.chairs.sent_answers import MAX_LINE_LENGTH, SentAnswer, is_answer
from arena_web.play.lobby import WaitingRoom
from arena_web.play.match.table import PlayTable
from arena_web.play.pages.requests import read_form, read_text, render_fresh
from arena_web.play.pages.start import SentForm, StartPages
from arena_web.play.pages.waiting import WaitingPages
from arena_web.play.setup_requests import get_first
from arena_web.play.tables import NO_SEAT, PlayTables
from arena_web.play.visitors.visitors import Visitors
from arena_web.protocol.json_format import to_json
from arena_web.protocol.replies import GivenHint, HintReply
from arena_web.tournaments.sources import TournamentSource


@frozen(kw_only=True)
class SeatPage(PageValues):
    """The values of the page of a person in a match."""

    template = "seat.html"

    base: str  #: the last part of its address
    table: PlayTable
    chair: Chair
    tournaments: Sequence[TournamentSource]  #: to which it leads back
    beginner: bool  #: whether the browser has finished no match of this game


@define
class SeatPages:
    """The page `seat/SECRET`: a place at a table belongs to whoever knows the secret."""

    tables: PlayTables
    followers: FollowerLimit
    visitors: Visitors
    tournaments: Sequence[TournamentSource]  #: to which the page leads back
    start_pages: StartPages  #: where one is led if there is no room for a rematch
    waiting_pages: WaitingPages  #: where the person waits for the others
    hints: HintQueue = field(init=False, factory=HintQueue)

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the page."""
        seat = "/seat/{secret:str}"
        return [
            Route(seat, self.show),
            Route(f"{seat}/events", self.stream),
            Route(f"{seat}/replace", self.replace_absent, methods=["POST"]),
            Route(f"{seat}/answer", self.answer, methods=["POST"]),
            Route(f"{seat}/ask-again", self.ask_again, methods=["POST"]),
            Route(f"{seat}/hint", self.give_hint, methods=["POST"]),
            Route(f"{seat}/leave", self.leave, methods=["POST"]),
            Route(f"{seat}/again", self.reopen, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """Show the people before the match, then the match, or its replay when long over."""
        secret = request.path_params["secret"]
        place = await self.tables.find_by_secret(secret)
        if place is None:
            table = await self.tables.find_stored_by_secret(secret)
            if table is None:
                raise NotFoundError(NO_SEAT)
            return RedirectResponse(f"../table/{table.key}/replay")
        if isinstance(place, WaitingRoom):
            page = await self.waiting_pages.render(request, place, secret)
        else:
            values = SeatPage(
                base=secret,
                table=place,
                chair=place.chairs[secret],
                tournaments=self.tournaments,
                beginner=await self._is_beginner(request, place.seating.game),
            )
            page = render_fresh(request, values)
        return self.visitors.greet(page, request)

    async def _is_beginner(self, request: Request, game: Game) -> bool:
        """Return whether the browser has not finished a match of this game yet."""
        rows = await self.visitors.list_games(request)
        return not any(row.game == game.name and row.is_over for row in rows)

    async def stream(self, request: Request) -> Response:
        """Stream the events of a seat, and record that its person has arrived."""
        secret = request.path_params["secret"]
        place = await self.tables.find_by_secret(secret)
        if place is None:
            return Response(status_code=204)
        self.visitors.add_seat(request, secret)
        feed = place.attendance.feeds[secret]
        self.tables.arrive(place, secret)
        await place.attendance.up_to_date.wait()
        return self.followers.stream(request, feed)

    async def answer(self, request: Request) -> Response:
        """Pass an answer on to the match, which validates it."""
        _, chair = await self._find_chair(request)
        if not chair.send(_parse_answer(await read_text(request))):
            raise ConflictError("this question is already closed")
        return Response(status_code=204)

    async def ask_again(self, request: Request) -> Response:
        """Take back the answer that stands for later questions."""
        _, chair = await self._find_chair(request)
        chair.ask_again()
        return Response(status_code=204)

    async def give_hint(self, request: Request) -> Response:
        """Return a hint for the open question, and record that the person took one."""
        table, chair = await self._find_chair(request)
        source, question = table.hint_source, chair.question
        if source is None or question is None:
            raise ConflictError("there is no hint without an open question")
        number = question.number
        hint = chair.hints.get(number) or await self.hints.find(source, question)
        if isinstance(hint, GivenHint):
            chair.add_hint(number, hint)
        return JSONResponse(to_json(HintReply(number, hint)), headers={"Cache-Control": "no-store"})

    async def replace_absent(self, request: Request) -> Response:
        """Wait no longer for a person who has been away for long."""
        table, chair = await self._find_chair(request)
        table.replace_absent(get_first(await read_form(request), "name"), chair)
        return Response(status_code=204)

    async def leave(self, request: Request) -> Response:
        """Leave the table."""
        table, chair = await self._find_chair(request)
        table.leave(chair)
        return Response(status_code=204)

    async def reopen(self, request: Request) -> Response:
        """Open a new table with the same persons and bots, perhaps in other seats."""
        table, chair = await self._find_chair(request)
        if not table.over:
            raise ConflictError("this match is not over yet")
        form = await read_form(request)
        try:
            rematch = self.tables.reopen(table, swap="swap" in form)
        except UserError as problem:
            return await self.start_pages.render(request, SentForm(problem=problem.message), 503)
        own = rematch.secrets[chair.secret]
        if await self.tables.find_by_secret(own) is None:  # they have begun without this person
            return RedirectResponse(f"../../table/{rematch.key}", 303)
        return RedirectResponse(f"../{own}", 303)

    async def _find_chair(self, request: Request) -> tuple[PlayTable, Chair]:
        """Return a person's match and chair there; raise ConflictError before the match."""
        return await self.tables.find_chair(request.path_params["secret"])


def _parse_answer(text: str) -> SentAnswer:
    """Parse an answer: `{"n": 3, "answer": value}`, or with a `line` as typed.

    With `standing` it is the label of an answer that is to stand for later questions.
    """
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode()  # half a character is no text
    except (ValueError, RecursionError):
        raise HTTPException(400, "not JSON") from None
    match value:
        case {"n": int(number), "line": str(line)} if len(line) <= MAX_LINE_LENGTH:
            return SentAnswer(number, line=line.strip())
        case {"n": int(number), "standing": str(label)} if len(label) <= MAX_LINE_LENGTH:
            return SentAnswer(number, standing=label)
        case {"n": int(number), "answer": answer} if is_answer(answer):
            return SentAnswer(number, answer=answer)
    raise HTTPException(422, "not an answer: send `n`, and `answer`, `line` or `standing`")
