"""The page of a table: for friends who are invited, for who watches, and the replay at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from attrs import define, field, frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena import Game, Seat, UserError
from arena_web.http.refusals import NotFoundError
from arena_web.http.sse import FollowerLimit
from arena_web.matches.finish import MatchFinish, list_finishes
from arena_web.matches.replay_steps import list_eyes
from arena_web.matches.summaries import find_transcript_sides
from arena_web.page_templates import PageValues
from arena_web.pages.annotations import Annotator
from arena_web.pages.replays import RecordedMatch, find_eye
from arena_web.play.lobby import WaitingRoom
from arena_web.play.pages.requests import find_name, read_form, render_fresh
from arena_web.play.setup_requests import get_first
from arena_web.play.table_setup import TableSetup
from arena_web.play.table_terms import PERSON
from arena_web.play.tables import Place, PlayTables
from arena_web.play.visitors.games import GameRow
from arena_web.play.visitors.visitors import Visitors
from arena_web.player_names import label_players
from arena_web.protocol.replies import Eye
from arena_web.review.reviewer import NO_REVIEW, Reviewer, build_reply
from arena_web.texts import find_count

NO_TABLE = "this table does not exist or is closed"


@frozen(kw_only=True)
class TablePage(PageValues):
    """The values of the page of who watches."""

    template = "table.html"

    base: str  #: the last part of its address
    game: Game
    names: Sequence[str]  #: of the players, as people read them


@frozen(kw_only=True)
class InvitationPage(PageValues):
    """The values of the page of a friend who is invited."""

    template = "join.html"

    key: str
    setup: TableSetup
    default_name: str  #: the name of a person who gives none
    given: str = ""  #: the name that was refused
    problem: str = ""  #: why that name was refused; empty for none


@frozen(kw_only=True)
class TableReplayPage(PageValues):
    """The values of the replay."""

    template = "table_replay.html"

    game: str
    names: Sequence[str]  #: of the players, as people read them
    eyes: Sequence[Eye]  #: through which it can be seen
    said: str  #: how it came out, in a sentence
    own: GameRow | None  #: the match as one of the visitor's games, if it is one
    hints: Mapping[str, int]  #: that people took, by their names


@define
class TablePages:
    """The page `table/KEY`, which is public, and its replay."""

    tables: PlayTables
    followers: FollowerLimit
    visitors: Visitors
    annotator: Annotator
    reviewer: Reviewer
    _joining: asyncio.Lock = field(init=False, factory=asyncio.Lock)

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the page."""
        table = "/table/{key:str}"
        return [
            Route(table, self.show, methods=["GET"]),
            Route(table, self.join, methods=["POST"]),
            Route(f"{table}/events", self.stream),
            Route(f"{table}/replay", self.show_replay),
            Route(f"{table}/replay/steps", self.get_steps),
            Route(f"{table}/notes", self.get_notes),
            Route(f"{table}/moments", self.get_moments),
            Route(f"{table}/transcript", self.download_transcript),
        ]

    async def show(self, request: Request) -> Response:
        """Show a table to spectators, to friends who are invited, or as a replay when long over."""
        key = request.path_params["key"]
        place = await self.tables.find_table(key)
        if place is None:
            if await self.tables.find_stored(key) is None:
                raise NotFoundError(NO_TABLE)
            return RedirectResponse(f"{key}/replay")
        takes_friends = isinstance(place, WaitingRoom) and place.takes_friends
        if not takes_friends or "watch" in request.query_params:
            page = TablePage(base=place.key, game=place.setup.game, names=place.names)
            return render_fresh(request, page)
        if own := await self.visitors.find_seat(request, place.key):
            return RedirectResponse(f"../seat/{own}")
        invitation = InvitationPage(key=place.key, setup=place.setup, default_name=PERSON)
        return self.visitors.greet(render_fresh(request, invitation), request)

    async def join(self, request: Request) -> Response:
        """Give a friend a seat at a table, once; show it where no seat is free any more."""
        form = await read_form(request)
        async with self._joining:  # so that two clicks give one seat
            return await self._join(request, form)

    async def _join(self, request: Request, form: Mapping[str, Sequence[str]]) -> Response:
        key = request.path_params["key"]
        own = await self.visitors.find_seat(request, key)
        place = await self._find_place(request)
        if not own:
            if not isinstance(place, WaitingRoom) or not place.takes_friends:
                return RedirectResponse(place.key, 303)  # too late, but not to watch
            try:
                own = place.seat_friend(find_name(form))
            except UserError as problem:
                page = InvitationPage(
                    key=place.key,
                    setup=place.setup,
                    default_name=PERSON,
                    given=get_first(form, "name"),
                    problem=problem.message,
                )
                return render_fresh(request, page, 422)
        self.visitors.add_seat(request, own)
        return RedirectResponse(f"../seat/{own}", 303)

    async def stream(self, request: Request) -> Response:
        """Stream the announcements of a table."""
        place = await self.tables.find_table(request.path_params["key"])
        if place:
            await place.attendance.up_to_date.wait()
        return self.followers.stream(request, place.attendance.feed if place else None)

    async def download_transcript(self, request: Request) -> Response:
        """Return the transcript once the match is over."""
        return (await self._find_match(request)).build_file()

    async def show_replay(self, request: Request) -> Response:
        """Show the replay once the match is over: to who has played what that person saw."""
        match, key = await self._find_match(request), request.path_params["key"]
        header, names = match.transcript.header, match.names
        table = await self.tables.find_stored(key)
        own = await self.visitors.find_game(request, key)
        result = table and table.result
        places, scores = (result.places, result.scores) if result else (None, None)
        players = list_finishes(names, places, scores)
        finish = MatchFinish(players, find_transcript_sides(header), find_count(header.game))
        page = TableReplayPage(
            game=header.game,
            names=names,
            eyes=list_eyes(names),
            said=(own and own.said) or finish.describe(),
            own=own,
            hints=result.hints if result else {},
        )
        return render_fresh(request, page)

    async def get_steps(self, request: Request) -> Response:
        """Return the steps of the replay."""
        match = await self._find_match(request)
        return await run_in_threadpool(match.build_steps, find_eye(request.query_params))

    async def get_notes(self, request: Request) -> Response:
        """Return the notes of plugins on the match once it is over, as its reader is addressed."""
        own = await self.visitors.find_game(request, request.path_params["key"])
        match = await self._find_match(request, own.seat if own else None)
        return await self.annotator.answer(match)

    async def get_moments(self, request: Request) -> Response:
        """Return the moments that decided the match for a seat, once it is over.

        There is nothing to say of a match whose transcript was not kept.
        """
        try:
            match = await self._find_match(request)
        except NotFoundError:
            table = await self.tables.find_stored(request.path_params["key"])
            if table is None or table.result is None:
                raise
            return build_reply(NO_REVIEW)
        return await self.reviewer.answer(match.transcript, request.query_params.get("seat", ""))

    async def _find_place(self, request: Request) -> Place:
        place = await self.tables.find_table(request.path_params["key"])
        if place is None:
            raise NotFoundError(NO_TABLE)
        return place

    async def _find_match(self, request: Request, reader: Seat | None = None) -> RecordedMatch:
        """Return the match of a table for its reader; raise NotFoundError before it is over."""
        transcript = await self.tables.load_transcript(request.path_params["key"])
        return RecordedMatch(transcript, label_players(transcript.header), reader)
