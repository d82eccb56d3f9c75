"""The tools: an agent sits down, looks, answers, and reads replays.

Each call may be repeated: an answer names its question, and who looks again is told the same again.
A call waits for the next question, for less time than clients allow by default; where one breaks a
call off, the next ones of its seat wait much less.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from itertools import chain
from time import monotonic
from typing import Any, ParamSpec, TypeVar

from attrs import define, field, frozen
from cachetools import LRUCache
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from arena import Game, UserError
from arena.host import Entrant
from arena.plugins import build_variant, get_plugins
from arena.records import Replayer, Spectator, Transcript
from arena.version import __version__
from arena.wires import to_printable
from arena_mcp.answers import parse_answer
from arena_mcp.seat_state import SeatState, list_lines
from arena_web.play.lobby import WaitingRoom
from arena_web.play.person_names import parse_name
from arena_web.play.seat_secrets import Secret
from arena_web.play.setup_requests import PROGRAM_PREFIX, check_numbers, parse_bot
from arena_web.play.store.retention import MAX_KEPT_TABLES
from arena_web.play.store.stored_tables import StoredTable
from arena_web.play.table_quota import AUTHOR_PREFIX
from arena_web.play.table_setup import TableSetup
from arena_web.play.table_terms import TableTerms
from arena_web.play.tables import Place, PlayTables
from arena_web.player_names import label_players
from arena_web.protocol.messages import Refusal

INSTRUCTIONS = """\
Card games with hidden information, against bots, people and other agents. Call `games` and `rules`,
then `sit`, then `answer` each question until `over`. `seat` is a secret that stands for your place:
pass it in each call, and keep it to yourself. Every call may be repeated; if one breaks off, call
`look`. Pass `since` from the last reply to be told only what is new."""

AGENT = "agent"  # the name of an agent that gives none
MAX_WAIT_SECONDS = 45.0  # for which a call waits; some clients break it off after 60
USUAL_WAIT_SECONDS = 20.0
BROKEN_WAIT_SECONDS = 4.0  # where a call of the seat broke off; some clients do that after 5
SHARED_CLOCK_SECONDS = 120.0  # for each answer, where people play together and nobody said how long
MAX_MOVE_SECONDS = 3600.0
SEED_PATTERN = "[!-~]{1,100}"
MAX_LINES = 500  # lines of a replay in one call

P = ParamSpec("P")
T = TypeVar("T")


def report_errors(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Have a tool tell the agent in one line what was wrong."""

    @wraps(tool)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await tool(*args, **kwargs)
        except UserError as problem:
            raise ToolError(to_printable(str(problem))) from None

    return call


NO_SEAT = "there is no such seat: `sit` returns the secret of yours"


@frozen
class Visitor:
    """Who calls a tool."""

    site: str = ""  #: the address of the server's pages; nothing without a web server
    account: str = ""  #: for whom tables count: an address, or an author of a hill

    @classmethod
    def of(cls, ctx: Context) -> Visitor:
        """Return the visitor of a call."""
        request = ctx.request_context.request
        return cls() if request is None else cls(str(request.base_url), request.state.account)

    def check_seat(self, secret: Secret, table: Place | StoredTable) -> None:
        """Raise UserError for the seat of an author who has set the table up, and is another.

        All other seats are theirs who have their links.
        """
        opened = table.address.startswith(AUTHOR_PREFIX) and secret == table.secrets[0]
        if opened and table.address != self.account:
            raise UserError(NO_SEAT)


@define(eq=False)
class AgentTools:
    """The tools of a server, at the tables of its pages."""

    tables: PlayTables
    _broken: LRUCache[str, bool] = field(init=False, factory=lambda: LRUCache(MAX_KEPT_TABLES))
    """The seats of which a call broke off, by their secrets."""

    @property
    def all(self) -> Sequence[Callable[..., Awaitable[Any]]]:
        """The tools."""
        return (
            self.games, self.rules, self.sit, self.look, self.answer, self.leave, self.replay,
        )  # fmt: skip

    @report_errors
    async def games(self) -> list[dict[str, Any]]:
        """List the games, with their options (and the usual values), numbers of seats, and bots."""
        programs = [f"{PROGRAM_PREFIX}{program}" for program in self.tables.programs]
        return [
            {
                "game": game.name,
                "summary": game.summary,
                "seats": [min(game.seats), max(game.seats)],
                "options": game.default_options,
                "bots": [*game.bots, *programs],
            }
            for game in get_plugins().games.values()
        ]

    @report_errors
    async def rules(self, game: str) -> str:
        """Read the rules of a game."""
        return get_plugins().find_game(game).presentation.rules

    @report_errors
    async def sit(  # noqa: PLR0917  # by agents, by their names
        self,
        game: str,
        opponents: list[str],
        ctx: Context,
        options: dict[str, Any] | None = None,
        partners: list[str] | None = None,
        table: int | None = None,
        people: list[str] | None = None,
        move_seconds: float | None = None,
        seed: str | None = None,
    ) -> dict[str, Any]:
        """Sit down at a new table against bots, and get the first question.

        `partners` are bots on your side in games of teams; `table` is the number of seats. `people`
        are the names of all persons and agents at the table, yours first: give the others their
        links from `other_seats`. `move_seconds` is the time for each answer. `seed` chooses the
        deal, where you are the only one.
        """
        visitor = Visitor.of(ctx)
        setup = await run_in_threadpool(
            build_setup, self.tables, name=game, opponents=opponents, options=options or {},
            partners=partners or [], table=table, people=people or [AGENT],
            move_seconds=move_seconds, seed=seed,
        )  # fmt: skip
        place = self.tables.open(setup, visitor.account)
        own, *others = place.secrets
        state = await self._wait(visitor, own, "", 0.0 if others else USUAL_WAIT_SECONDS)
        site = visitor.site
        links = [f"{site}seat/{secret}" if site else secret for secret in others]
        shared = (
            {"other_seats": dict(zip(setup.terms.persons[1:], links, strict=True))}
            if others
            else {}
        )
        watched = {"watch": f"{site}table/{place.key}"} if site else {}
        return {"seat": own, "table": place.key, **watched, **shared, **state.json}

    @report_errors
    async def look(
        self, seat: str, ctx: Context, since: str = "", wait: float = USUAL_WAIT_SECONDS
    ) -> dict[str, Any]:
        """See what your seat was told after `since`, and the open question.

        Waits up to `wait` seconds for a question. `seat` may also be the link of a seat that
        somebody gave you.
        """
        return (await self._wait(Visitor.of(ctx), Secret(parse_seat(seat)), since, wait)).json

    @report_errors
    async def answer(  # noqa: PLR0917  # by agents, by their names
        self,
        seat: str,
        n: int,
        answer: Any,
        ctx: Context,
        since: str = "",
        wait: float = USUAL_WAIT_SECONDS,
    ) -> dict[str, Any]:
        """Answer question `n`, and wait up to `wait` seconds for the next one.

        The answer is a value that fits `answer_schema`, or a label, or a list of labels. One of the
        `standing_answers` also holds for the questions after it. Safe to repeat.
        """
        visitor, secret = Visitor.of(ctx), Secret(parse_seat(seat))
        state = await self._wait(visitor, secret, since, wait)
        if state.question is None or state.question["n"] != n:
            if not state.over:
                state.note = f"Question {n} is not open; it may have been answered already."
            return state.json
        _, chair = await self.tables.find_chair(secret)
        question, seen = chair.question, len(chair.feed.messages)
        if question is not None and question.number == n:
            chair.send(parse_answer(question, answer))

        def is_news(state: SeatState) -> bool:
            refused = any(
                isinstance(message, Refusal) and message.n == n
                for message in chair.feed.messages[seen:]
            )
            following = state.question is not None and state.question["n"] != n
            return bool(state.over) or following or refused

        return (await self._wait(visitor, secret, since, wait, is_news)).json

    @report_errors
    async def leave(self, seat: str, ctx: Context) -> str:
        """Leave the table: you lose the match, and where others play a bot goes on for you."""
        secret = Secret(parse_seat(seat))
        place = await self._arrive(Visitor.of(ctx), secret)
        if isinstance(place, WaitingRoom):
            raise UserError("the match has not begun, so there is nothing to lose: just stay away")
        if place is None or place.over:
            return "The match is over."
        place.leave(place.chairs[secret])
        return "You left the table."

    @report_errors
    async def replay(self, table: str, first: int = 0, most: int = 100) -> dict[str, Any]:
        """Read a finished match, with all hands: `most` lines from line `first` on."""
        transcript = await self.tables.load_transcript(parse_seat(table))
        lines = await run_in_threadpool(_list_replay, transcript)
        most = max(1, min(most, MAX_LINES))
        first = max(0, first)
        return {"lines": lines[first : first + most], "total": len(lines)}

    async def _wait(
        self,
        visitor: Visitor,
        secret: Secret,
        since: str,
        seconds: float,
        is_ready: Callable[[SeatState], bool] = lambda state: not state.is_waiting,
    ) -> SeatState:
        """Return the state of a seat once it is ready, or so many seconds are over.

        Whoever waits counts as there.
        """
        limit = BROKEN_WAIT_SECONDS if secret in self._broken else MAX_WAIT_SECONDS
        end = monotonic() + min(seconds, limit)
        try:
            while True:
                place = await self._arrive(visitor, secret)
                if place is None:
                    return await self._describe_ending(secret)
                feed = place.attendance.feeds[secret]
                seen = len(feed.messages)
                state = describe(place, secret, since)
                left = end - monotonic()
                if is_ready(state) or left <= 0:
                    return state
                if feed.closed:
                    raise UserError("the server stops: call `look` when it is back")
                with feed.count_follower():
                    await _wait_at_most(left, feed.wait(seen))
        except asyncio.CancelledError:  # the client has gone
            self._broken[secret] = True
            raise

    async def _arrive(self, visitor: Visitor, secret: Secret) -> Place | None:
        """Return the place of a seat, which has come; None where the match is long over."""
        place = await self.tables.find_by_secret(secret)
        table = place or await self.tables.find_stored_by_secret(secret)
        if table is None:
            raise UserError(NO_SEAT)
        visitor.check_seat(secret, table)
        if place is None:
            return None
        self.tables.arrive(place, secret)
        place = await self.tables.find_by_secret(secret)  # the match may have begun by that
        if place:
            await place.attendance.up_to_date.wait()
        return place

    async def _describe_ending(self, secret: Secret) -> SeatState:
        """Return how a match came out that is only in the store."""
        stored = await self.tables.find_stored_by_secret(secret)
        if stored is None or stored.result is None:
            raise UserError("this match was not kept")
        said = stored.result.persons[stored.secrets.index(secret)].said
        return SeatState("", over={"result": said, "table": stored.key})


def _list_replay(transcript: Transcript) -> list[str]:
    """Return the lines of a match as it is read with all hands."""
    header = transcript.header
    names = label_players(header)
    game = get_plugins().find_game(header.game)
    replayer = Replayer.of(game, header, [Spectator.ALL], names)
    steps = [*replayer.begin(), *chain.from_iterable(map(replayer.take, transcript.lines))]
    return [line for step in steps for line in list_lines(step)]


class AgentServer(MCPServer[Any]):
    """An MCP server with these tools, which says also in one line what an argument must be."""

    def __init__(self, tables: PlayTables) -> None:
        super().__init__(
            "arena", title="Arena", instructions=INSTRUCTIONS, version=__version__,
            log_level="ERROR",
        )  # fmt: skip
        for tool in AgentTools(tables).all:
            self.add_tool(tool)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context | None = None
    ) -> Any:
        """Call a tool by its name."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as problem:
            if not isinstance(problem.__cause__, ValidationError):
                raise
            wrong = "; ".join(
                f"{'.'.join(map(str, error['loc']))}: {error['msg']}"
                for error in problem.__cause__.errors(include_url=False)
            )
            raise ToolError(to_printable(f"{name}: {wrong}")) from None


async def _wait_at_most(seconds: float, news: Awaitable[None]) -> None:
    try:
        await asyncio.wait_for(news, seconds)
    except TimeoutError:
        return


def build_setup(
    tables: PlayTables,
    *,
    name: str,
    opponents: Sequence[str],
    options: dict[str, Any],
    partners: Sequence[str],
    table: int | None,
    people: Sequence[str],
    move_seconds: float | None,
    seed: str | None,
) -> TableSetup:
    """Return the table that an agent asks for; raise UserError if it cannot be played."""
    game = get_plugins().find_game(name)
    check_numbers(len(people), len(opponents) + len(partners))
    if move_seconds is not None and not 1 <= move_seconds <= MAX_MOVE_SECONDS:
        raise UserError(f"move_seconds must be from 1 to {MAX_MOVE_SECONDS:.0f}")
    if seed is not None and not re.fullmatch(SEED_PATTERN, seed):
        raise UserError("a seed has 1 to 100 letters, digits and signs of ASCII")
    if seed is not None and len(people) > 1:
        raise UserError("a seed would tell you the others' cards: leave it out where people play")
    if move_seconds is None and len(people) > 1:
        move_seconds = SHARED_CLOCK_SECONDS
    return TableSetup(
        game,
        build_variant(game, options),
        _parse_bots(game, opponents, tables.programs),
        seed,
        _parse_bots(game, partners, tables.programs),
        terms=TableTerms(persons=tuple(map(parse_name, people)), clock=move_seconds, table=table),
    ).check()


def _parse_bots(game: Game, names: Sequence[str], programs: Sequence[str]) -> tuple[Entrant, ...]:
    return tuple([parse_bot(game, name, programs) for name in names])


def parse_seat(text: str) -> str:
    """Return the secret of a seat, or the key of a table, which may be given as a link.

    >>> parse_seat("secret"), parse_seat("http://localhost:8642/seat/secret#hand")
    ('secret', 'secret')
    """
    return text.strip().partition("#")[0].partition("?")[0].rstrip("/").rpartition("/")[2]


def describe(place: Place, secret: Secret, since: str) -> SeatState:
    """Return the state of a person's seat, or what the person waits for before the match."""
    if isinstance(place, WaitingRoom):
        return SeatState("", note=to_printable(place.describe_wait(secret)))
    return SeatState.read(place.chairs[secret], since)
