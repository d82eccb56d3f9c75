"""Pages of tables: opening one, playing, watching."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any
from urllib.parse import parse_qs

from attrs import define, field
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena import UserError
from arena.plugins import get_plugins
from arena.records import SUFFIX, Spectator, Transcript, parse_text
from arena.wires import to_printable
from arena_web.app import build_attachment_headers, render_page
from arena_web.http.caches import LimitedThreads
from arena_web.http.rate_limits import find_client
from arena_web.http.sse import FollowerLimit
from arena_web.match_announcements import describe_sides
from arena_web.pages.analysis import Annotator, list_explorable_games
from arena_web.pages.matches import build_replay, list_eyes
from arena_web.pages.review import Reviewer
from arena_web.play.own_games import (
    MAX_SHOWN,
    TicketOffice,
    build_export,
    collect_records,
    list_rows,
)
from arena_web.play.preparations import Preparations, can_prepare, play_sample_matches
from arena_web.play.seats import BrowserSeat, HintDesk, SentAnswer, find_hint_source
from arena_web.play.table_setup import (
    CLOCKS,
    MAX_PERSONS,
    PERSON,
    OpponentPool,
    TableSetup,
    get_first,
    load_pools,
    offer,
    parse_bot,
    parse_name,
    read_setup,
)
from arena_web.play.tables import NoFreeTableError, PlayTable, PlayTables
from arena_web.player_names import present_players
from arena_web.sources import TournamentSource
from arena_web.visibility import find_transcript_sides

MAX_BODY_BYTES = 8192  # bytes
MAX_LINE_LENGTH = 500  # characters that are typed
MAX_FORM_FIELDS = 200  # of a form
MAX_RUNNING = 4  # games of a visitor that are shown where one chooses a game
MAX_WAITING_EXPORTS = 10  # that are waited for; the next is refused
RETRY_SECONDS = 5  # seconds after which it may come again
SCALARS = (str, int, float, bool, type(None))


@define
class PlayViews:
    """The pages of the tables that a server keeps."""

    tables: PlayTables
    followers: FollowerLimit = field(factory=FollowerLimit)
    tournaments: Sequence[TournamentSource] = ()  #: to which the pages of tables lead back
    sources: Mapping[str, str] = field(factory=dict)  #: what else is served: kinds by name
    prepares: bool = False  #: whether visitors may have bots prepared, which takes the machine
    preparations: Preparations = field(init=False, factory=Preparations)
    annotator: Annotator = field(init=False, factory=Annotator)
    reviewer: Reviewer = field(init=False, factory=Reviewer)
    hints: HintDesk = field(init=False, factory=HintDesk)
    exports: LimitedThreads = field(init=False, factory=lambda: LimitedThreads(1))
    pools: dict[str, OpponentPool] = field(init=False)
    tickets: TicketOffice = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Read who can be played against."""
        self.tickets = TicketOffice(self.tables.store.read_signing_key())
        self.pools = load_pools(self.tables.programs)

    def find_path(self, game: str | None, order: TableSetup | None) -> str:
        """Return the path of the first page: a new table's seat, or the form."""
        if order is not None:
            return f"seat/{next(iter(self.tables.open(order).seats))}"
        return f"play?game={game}" if game else ""

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the pages."""
        seat = "/seat/{secret:str}"
        table = "/table/{key:str}"
        return [
            Route("/play", self.show_games, methods=["GET"]),
            Route("/play", self.open_table, methods=["POST"]),
            Route("/play/samples", self.get_samples),
            Route("/play/prepare", self.prepare, methods=["POST"]),
            Route("/play/prepare", self.get_preparation, methods=["GET"]),
            Route("/games", self.show_own_games, methods=["GET"]),
            Route("/games", self.delete_own_games, methods=["POST"]),
            Route("/games/export", self.export_own_games),
            Route(seat, self.show_seat),
            Route(f"{seat}/events", self.stream_seat),
            Route(f"{seat}/name", self.rename, methods=["POST"]),
            Route(f"{seat}/start", self.start, methods=["POST"]),
            Route(f"{seat}/remove", self.remove_friend, methods=["POST"]),
            Route(f"{seat}/replace", self.replace_absent, methods=["POST"]),
            Route(f"{seat}/answer", self.answer, methods=["POST"]),
            Route(f"{seat}/ask-again", self.ask_again, methods=["POST"]),
            Route(f"{seat}/hint", self.give_hint, methods=["POST"]),
            Route(f"{seat}/leave", self.leave, methods=["POST"]),
            Route(f"{seat}/again", self.reopen, methods=["POST"]),
            Route(table, self.show_table, methods=["GET"]),
            Route(table, self.join_table, methods=["POST"]),
            Route(f"{table}/events", self.stream_table),
            Route(f"{table}/replay", self.show_replay),
            Route(f"{table}/replay/steps", self.get_steps),
            Route(f"{table}/notes", self.get_notes),
            Route(f"{table}/moments", self.get_moments),
            Route(f"{table}/transcript", self.download_transcript),
        ]

    @property
    def root_routes(self) -> list[BaseRoute]:
        """The route of the root, if nothing else is served."""
        return [Route("/", lambda _: RedirectResponse("play"))]

    async def show_games(self, request: Request) -> Response:
        """Show the games, or the opponents and the options of one game."""
        name = request.query_params.get("game")
        if name:
            try:
                get_plugins().find_game(name)
            except UserError as problem:
                return await self._render_form(request, {}, problem.message, 404)
        return await self._render_form(request, {}, "", 200, name)

    async def get_samples(self, _: Request) -> Response:
        """Return a sample match of each game."""
        samples = await run_in_threadpool(play_sample_matches)
        headers = {"Cache-Control": "max-age=3600"}
        return Response(samples, media_type="application/json", headers=headers)

    async def prepare(self, request: Request) -> Response:
        """Begin to prepare a bot, and show its game again."""
        form = await _read_form(request)
        name, bot = get_first(form, "game"), get_first(form, "bot")
        if not self.prepares or name not in self.pools:
            raise HTTPException(404)
        try:
            self.preparations.start(self.pools[name], bot)
        except UserError as problem:
            return await self._render_form(request, {}, problem.message, 409, name)
        return RedirectResponse(f"../play?game={name}", 303)

    async def get_preparation(self, request: Request) -> Response:
        """Return how far the preparation of a bot is."""
        game, bot = (request.query_params.get(name, "") for name in ("game", "bot"))
        found = self.preparations.find(game, bot)
        if found is None:
            raise HTTPException(404)
        headers = {"Cache-Control": "no-store"}
        return JSONResponse({"share": found.share, "over": found.over}, headers=headers)

    async def open_table(self, request: Request) -> Response:
        """Open a table, and redirect to the first seat."""
        form = await _read_form(request, keeps_blanks=True)
        try:
            order = await run_in_threadpool(read_setup, form, self.tables.programs)
            table = self.tables.open(order, find_client(request.scope))
        except NoFreeTableError as problem:
            return await self._render_form(request, form, problem.message, 503)
        except UserError as problem:
            return await self._render_form(request, form, problem.message, 422)
        return RedirectResponse(f"seat/{next(iter(table.seats))}", 303)

    async def rename(self, request: Request) -> Response:
        """Name a person who waits for the match."""
        with _refuse_in_a_line():
            name = await _read_name(request)
            table, chair = self._find_seat(request)
            self.tables.rename(table, chair, name)
        return RedirectResponse(f"../{chair.secret}", 303)

    async def start(self, request: Request) -> Response:
        """Begin a match without those who have not come; a bot has the free seats, or nobody."""
        name = get_first(await _read_form(request), "bot")
        game = self._find_seat(request)[0].setup.game
        with _refuse_in_a_line():
            bot = await run_in_threadpool(parse_bot, game, name, ()) if name else None
            table, chair = self._find_seat(request)  # a friend may have come meanwhile
            self.tables.start(table, chair, bot)
        return RedirectResponse(f"../{chair.secret}", 303)

    async def remove_friend(self, request: Request) -> Response:
        """Take a friend's seat away, as the host may before the match."""
        table, chair = self._find_seat(request)
        if chair.secret != next(iter(table.seats)):
            raise HTTPException(403, "only who has set the table up can remove a friend")
        name = get_first(await _read_form(request), "friend")
        with _refuse_in_a_line():
            bot = next(iter(table.setup.others), None)
            if bot is None:
                offered = await run_in_threadpool(offer, self.pools[table.setup.game.name])
                bot = parse_bot(table.setup.game, offered.first.name if offered.first else "", ())
            self.tables.remove_friend(table, name, bot)
        return RedirectResponse(f"../{chair.secret}", 303)

    async def replace_absent(self, request: Request) -> Response:
        """Wait no longer for a person who has been away for long."""
        table, chair = self._find_seat(request)
        with _refuse_in_a_line():
            table.replace_absent(get_first(await _read_form(request), "name"), chair)
        return Response(status_code=204)

    async def show_own_games(self, request: Request) -> Response:
        """Show the games of the visitor's browser."""
        rows = list_rows(self.tables.store, self.tickets.read(request))
        own = [row.own.secret for row in rows]
        return _render(
            "games.html", root="./", rows=rows, shown=MAX_SHOWN,
            records=collect_records(rows).values(),
            asked=self.tables.list_asking(own), lost=self.tables.list_lost_tables(own),
            retention=self.tables.store.retention,
        )  # fmt: skip

    async def delete_own_games(self, request: Request) -> Response:
        """Delete a finished game, or all of them, from the list of the visitor's browser."""
        form = await _read_form(request)
        for key in form.get("delete", ()):
            self.tables.store.delete_games(
                self.tickets.read(request), None if key == "all" else key
            )
        return RedirectResponse("games", 303)

    async def export_own_games(self, request: Request) -> Response:
        """Return the finished games of the visitor's browser as a zip file."""
        store = self.tables.store
        build = partial(build_export, store, list_rows(store, self.tickets.read(request)))
        body = await self.exports.run(build, MAX_WAITING_EXPORTS, RETRY_SECONDS)
        headers = {**build_attachment_headers("games.zip"), "Cache-Control": "no-store"}
        return Response(body, media_type="application/zip", headers=headers)

    async def show_seat(self, request: Request) -> Response:
        """Show a person's seat, or the replay of a match that is long over."""
        stored = self.tables.store.find_seat(request.path_params["secret"])
        if stored and stored.result and not self.tables.has(stored.key):
            return RedirectResponse(f"../table/{stored.key}/replay")
        table, chair = self._find_seat(request)
        values: dict[str, Any] = {"table": table, "chair": chair, "base": chair.secret}
        if table.waiting:
            pool = self.pools.get(table.setup.game.name)
            offered = await run_in_threadpool(offer, pool) if pool else None
            usual = next((bot.bot for bot in table.setup.others), None) or (
                offered and offered.first and offered.first.name
            )
            page = _render(
                "waiting.html", root="../", bots=offered.ready if offered else (), usual=usual,
                unnamed=table.get_name(chair) == PERSON, **values,
            )  # fmt: skip
        else:
            page = _render("seat.html", root="../", tournaments=self.tournaments, **values)
        return self.tickets.give(page, request)

    async def stream_seat(self, request: Request) -> Response:
        """Stream the events of a seat, and record that its person has arrived."""
        with refuse_what_cannot_go_on():
            found = self.tables.find_seat(request.path_params["secret"])
        if found is None:
            return Response(status_code=204)
        table, chair = found
        if ticket := self.tickets.read(request):
            self.tables.store.add_browser(chair.secret, ticket)
        table.arrive(chair)
        await table.ready.wait()
        return self.followers.stream(request, chair.feed)

    async def answer(self, request: Request) -> Response:
        """Pass an answer on to the match, which validates it."""
        _, chair = self._find_seat(request)
        if chair.send(_parse_answer(await _read_text(request))):
            return Response(status_code=204)
        return JSONResponse({"title": "this question is already closed"}, 409)

    async def ask_again(self, request: Request) -> Response:
        """Take back the answer that stands for later questions."""
        self._find_seat(request)[1].ask_again()
        return Response(status_code=204)

    async def give_hint(self, request: Request) -> Response:
        """Return a hint for the open question, and record that the person took one."""
        table, chair = self._find_seat(request)
        source, question = table.hint_source, chair.question
        if source is None or question is None:
            return JSONResponse({"title": "there is no hint without an open question"}, 409)
        if question.number not in chair.hints:
            try:
                chair.hints[question.number] = await self.hints.find(source, question)
            except UserError as problem:
                return JSONResponse({"n": question.number, "none": to_printable(problem.message)})
            self.tables.store.count_hint(chair.secret)
        hint = chair.hints[question.number]
        return JSONResponse({"n": question.number, **hint}, headers={"Cache-Control": "no-store"})

    async def leave(self, request: Request) -> Response:
        """Leave the table."""
        table, chair = self._find_seat(request)
        table.leave(chair)
        return Response(status_code=204)

    async def reopen(self, request: Request) -> Response:
        """Open a new table with the same persons and bots, perhaps in other seats."""
        table, chair = self._find_seat(request)
        if not table.over:
            raise HTTPException(409, "this match is not over yet")
        form = await _read_form(request)
        try:
            following = self.tables.reopen(table, swap="swap" in form)
        except UserError as problem:
            return await self._render_form(request, {}, problem.message, 503)
        own = table.next_seats[chair.secret]
        if self.tables.find_seat(own) is None:  # they have begun without this person
            return RedirectResponse(f"../../table/{following.key}", 303)
        return RedirectResponse(f"../{own}", 303)

    async def show_table(self, request: Request) -> Response:
        """Show a table to spectators, to friends who are invited, or as a replay when long over."""
        stored = self.tables.store.find(request.path_params["key"])
        if stored and stored.result and not self.tables.has(stored.key):
            return RedirectResponse(f"{stored.key}/replay")
        table = self._find_table(request)
        if not (table.waiting and table.setup.invites) or "watch" in request.query_params:
            return _render("table.html", root="../", table=table, base=table.key)
        if own := self.tables.store.find_own_seat(table.key, self.tickets.read(request)):
            return RedirectResponse(f"../seat/{own}")
        return self.tickets.give(
            _render("join.html", root="../", table=table, person=PERSON), request
        )

    async def join_table(self, request: Request) -> Response:
        """Give a friend a seat at a table, once; show it where no seat is free any more."""
        with _refuse_in_a_line():
            name = await _read_name(request)
            table, ticket = self._find_table(request), self.tickets.read(request)
            own = self.tables.store.find_own_seat(table.key, ticket)
            if not own and not (table.waiting and table.setup.invites):
                return RedirectResponse(table.key, 303)  # too late for a seat, but not to watch
            own = own or self.tables.seat_friend(table, name)
        if ticket:
            self.tables.store.add_browser(own, ticket)
        return RedirectResponse(f"../seat/{own}", 303)

    async def stream_table(self, request: Request) -> Response:
        """Stream the announcements of a table."""
        with refuse_what_cannot_go_on():
            table = self.tables.find_table(request.path_params["key"])
        if table:
            await table.ready.wait()
        return self.followers.stream(request, table.feed if table else None)

    async def download_transcript(self, request: Request) -> Response:
        """Return the transcript once the match is over."""
        recorded = self._load_transcript(request)
        headers = build_attachment_headers(f"{recorded.header.match}{SUFFIX}")
        return PlainTextResponse(recorded.text, headers=headers)

    async def show_replay(self, request: Request) -> Response:
        """Show the replay once the match is over: to who has played what that person saw."""
        recorded, key = self._load_transcript(request), request.path_params["key"]
        header, stored = recorded.header, self.tables.store.find(key)
        rows = list_rows(self.tables.store, self.tickets.read(request))
        own = next((row for row in rows if row.own.key == key), None)
        result = (stored and stored.result) or {}
        names = present_players(header.game, header.names, header.bots)
        places, scores = result.get("places"), result.get("scores")
        said = describe_sides(names, places, scores or (), find_transcript_sides(header))
        return _render(
            "table_replay.html", root="../../", game=header.game, names=names,
            eyes=list_eyes(names), said=(own and own.said) or said, own=own,
            walked=list_explorable_games(), hints=result.get("hints") or {},
        )  # fmt: skip

    async def get_steps(self, request: Request) -> Response:
        """Return the steps of the replay."""
        recorded, eye = (
            self._load_transcript(request),
            request.query_params.get("eye", Spectator.ALL),
        )
        header = recorded.header
        try:
            names = present_players(header.game, header.names, header.bots)
            build = partial(build_replay, recorded, eye, names, weighed=True)
            return JSONResponse(await run_in_threadpool(build))
        except UserError as problem:
            raise HTTPException(404, str(problem)) from None

    async def get_notes(self, request: Request) -> Response:
        """Return the annotations of plugins on the match, once it is over."""
        return await self.annotator.answer(self._load_transcript(request))

    async def get_moments(self, request: Request) -> Response:
        """Return the moments that decided the match for a seat, once it is over."""
        recorded, seat = self._load_transcript(request), request.query_params.get("seat", "")
        try:
            game = get_plugins().find_game(recorded.header.game)
        except UserError as problem:
            raise HTTPException(404, problem.message) from None
        source = find_hint_source(game.name, recorded.header.read_variant(game), recorded.seats)
        return await self.reviewer.list_moments(recorded, seat, source)

    def _find_seat(self, request: Request) -> tuple[PlayTable, BrowserSeat]:
        with refuse_what_cannot_go_on():
            found = self.tables.find_seat(request.path_params["secret"])
        if found is None:
            raise HTTPException(
                404, "this seat does not exist, is closed, or was taken away by the host"
            )
        return found

    def _find_table(self, request: Request) -> PlayTable:
        with refuse_what_cannot_go_on():
            found = self.tables.find_table(request.path_params["key"])
        if found is None:
            raise HTTPException(404, "this table does not exist or is closed")
        return found

    def _load_transcript(self, request: Request) -> Transcript:
        text = self.tables.store.read_transcript(request.path_params["key"])
        if not text:
            raise HTTPException(404, "this match is not over yet, or its transcript was not kept")
        return parse_text(text)

    async def _render_form(
        self,
        request: Request,
        form: Mapping[str, Sequence[str]],
        problem: str,
        status: int,
        game: str | None = None,
    ) -> Response:
        """Show all games, or one game and its form, with the previous input and its error."""
        name = game or get_first(form, "game")
        pools = [self.pools[name]] if name in self.pools else [*self.pools.values()]
        offers = await run_in_threadpool(lambda: [*map(offer, pools)])
        rows = list_rows(self.tables.store, self.tickets.read(request))
        lost = self.tables.list_lost_tables([row.own.secret for row in rows])
        running = [row for row in rows if not row.said and row.own.key not in lost][:MAX_RUNNING]
        page = "play_game.html" if name in self.pools else "play.html"
        return _render(
            page, status, root="./", offers=offers, form=form, problem=problem, clocks=[*CLOCKS],
            person=PERSON, most=MAX_PERSONS, sources=self.sources, records=collect_records(rows),
            running=running, asked=self.tables.list_asking([row.own.secret for row in running]),
            walks=get_plugins().explorers, preparing=self.preparations.find,
            can_prepare=can_prepare if self.prepares else lambda *_: False,
        )  # fmt: skip


@contextmanager
def refuse_what_cannot_go_on() -> Iterator[None]:
    """Say why a table that was kept cannot be played on."""
    try:
        yield
    except NoFreeTableError as problem:
        raise HTTPException(503, problem.message) from None
    except UserError as problem:
        why = f"this match cannot go on: {to_printable(problem.message)}"
        raise HTTPException(404, why) from None


@contextmanager
def _refuse_in_a_line() -> Iterator[None]:
    """Say why something cannot be done at a table that has not begun."""
    try:
        yield
    except UserError as problem:
        raise HTTPException(409, problem.message) from None


async def _read_name(request: Request) -> str:
    """Return the name that a person has typed, or raise UserError."""
    return parse_name(get_first(await _read_form(request), "name").strip() or PERSON)


def _render(name: str, status: int = 200, **values: Any) -> Response:
    """Render a page that is not cached, as it may contain a secret."""
    made = render_page(name, status, **values)
    made.headers["Cache-Control"] = "no-store"
    return made


async def _read_form(request: Request, *, keeps_blanks: bool = False) -> dict[str, list[str]]:
    return parse_qs(
        await _read_text(request), keep_blank_values=keeps_blanks, max_num_fields=MAX_FORM_FIELDS
    )


async def _read_text(request: Request) -> str:
    """Return a request's body; raise an HTTP error if it is too long or not UTF-8."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise HTTPException(413, f"the request body may have at most {MAX_BODY_BYTES} bytes")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise HTTPException(400, "not UTF-8") from None


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
        case {"n": int(number), "answer": answer} if _is_answer(answer):
            return SentAnswer(number, answer=answer)
    raise HTTPException(422, "not an answer: send `n`, and `answer`, `line` or `standing`")


def _is_answer(answer: object, depth: int = 2) -> bool:
    """Whether an answer is a scalar value, a list of them, or a list of such lists."""
    if isinstance(answer, list):
        return depth > 0 and all(_is_answer(part, depth - 1) for part in answer)
    return isinstance(answer, SCALARS)
