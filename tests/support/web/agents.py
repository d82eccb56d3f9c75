"""Agents at the tables of a server: clients of the official SDK, which make every call twice."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from attrs import define, field
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from sse_starlette.sse import AppStatus

from arena_mcp.server import AgentEndpoint
from arena_web.app import GuardedApplication, build_application
from arena_web.http.sse import EventBroadcast
from arena_web.play.routes import PlayPages
from arena_web.play.tables import PlayTables
from arena_web.server import LOOPBACK, Server, open_listener
from tests.support.programs import TIMEOUT

MOST_WAIT = 45.0  # seconds: a call ends as soon as there is something to answer


@asynccontextmanager
async def serve_agents(tables: PlayTables) -> AsyncIterator[str]:
    """Serve tables, with their pages, in this event loop; yield the address."""
    routes = [*PlayPages(tables).routes, *AgentEndpoint(tables).routes]
    app = build_application(routes, limits={}, on_shutdown=[tables.close])
    async with serve_application(app) as address:
        yield address
    await asyncio.to_thread(tables.join)


@asynccontextmanager
async def serve_application(app: GuardedApplication) -> AsyncIterator[str]:
    """Serve an application in this event loop; yield the address."""
    AppStatus.should_exit = False  # the SDK's streams end with the first server of a process
    there = asyncio.Event()
    server = Server(app, there.set)
    with open_listener(0) as listener:
        serving = asyncio.create_task(server.serve([listener]))
        await there.wait()
        try:
            yield f"http://{LOOPBACK}:{listener.getsockname()[1]}/"
        finally:
            server.handle_exit(signal.SIGTERM, None)
            await serving


@asynccontextmanager
async def connect_with_token(
    site: str, token: str, mode: str = "auto", source: str = LOOPBACK
) -> AsyncIterator[Client]:
    """Connect a client that sends a token, from this address of this machine."""
    transport = httpx2.AsyncHTTPTransport(verify=False, local_address=source)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, transport=transport, timeout=TIMEOUT) as http:
        way = streamable_http_client(f"{site}mcp", http_client=http)
        async with Client(way, mode=mode) as client:
            yield client


@define
class Agent:
    """An agent with a client, and the place that it has at a table."""

    client: Client
    seat: str = ""
    since: str = ""
    told: list[str] = field(factory=list)
    table: str = ""  #: its key

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return its structured result."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    async def fail(self, tool: str, **arguments: Any) -> str:
        """Call a tool that refuses; return why, which is one line."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error
        (said,) = result.content
        assert said.type == "text"
        assert "\n" not in said.text
        return said.text

    async def sit(self, game: str, *opponents: str, **more: Any) -> dict[str, Any]:
        """Sit down at a new table."""
        return self.take(await self.call("sit", game=game, opponents=[*opponents], **more))

    async def look(self, wait: float = MOST_WAIT) -> dict[str, Any]:
        """Look at the seat, twice: the second time the agent is told the same again."""
        first, again = [
            await self.call("look", seat=self.seat, since=self.since, wait=wait) for _ in range(2)
        ]
        assert again["told"][: len(first["told"])] == first["told"]
        return self.take(again)

    async def answer(self, state: dict[str, Any], answer: Any) -> dict[str, Any]:
        """Answer the open question, twice: the second time it changes nothing."""
        call = {
            "seat": self.seat, "n": state["question"]["n"], "answer": answer, "since": self.since,
            "wait": MOST_WAIT,
        }  # fmt: skip
        first, again = [await self.call("answer", **call) for _ in range(2)]
        assert not first.get("refused"), first
        assert again["told"][: len(first["told"])] == first["told"]
        return self.take(again)

    def take(self, state: dict[str, Any]) -> dict[str, Any]:
        """Keep what the next call needs."""
        self.seat, self.since = state.get("seat", self.seat), state["since"]
        self.table = state.get("table", self.table)
        self.told += state["told"]
        return state

    async def play(self, state: dict[str, Any]) -> dict[str, Any]:
        """Play to the end, by labels where a question has some; return how it came out."""
        while not state.get("over"):
            if state["waiting"]:
                state = await self.look()
            else:
                state = await self.answer(state, choose_first(state["question"]))
        over: dict[str, Any] = state["over"]
        return over


def choose_first(question: dict[str, Any]) -> Any:
    """Return the first answer to a question: a label, labels, or a value by the schema."""
    schema, labels = question["answer_schema"], question.get("labels")
    if schema.get("type") == "array":
        return (labels or schema["items"]["enum"])[: schema["minItems"]]
    if labels:
        return labels[0]
    if question["default"] is not None:
        return question["default"]
    return schema.get("enum", [schema.get("minimum", "agent")])[0]


async def wait_until_followed(feed: EventBroadcast) -> None:
    """Wait until somebody follows a feed, or waits for it."""
    come, tell = asyncio.Event(), feed.on_followers

    def see() -> None:
        tell()
        if feed.followers:
            come.set()

    feed.on_followers = see
    see()
    await come.wait()


TABLES: Sequence[tuple[str, list[str], dict[str, Any]]] = [
    ("gops", ["easy"], {"options": {"cards": 5}}),
    ("bs", ["honest", "liar"], {"options": {"max_turns": 12}}),
    ("hearts", ["low", "low", "low"], {"options": {"deals": 1}}),
    ("briscola", ["thrifty"], {}),
    ("coup", ["honest", "bold"], {}),
    ("kuhn", ["optimal"], {}),
    ("briscola", ["thrifty", "thrifty"], {"partners": ["counter"], "table": 4}),
]
"""A table of each game, and one of partners."""
