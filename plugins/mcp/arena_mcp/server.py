"""The MCP server: over stdin and stdout, or as a page of `arena web`, by Streamable HTTP.

No call depends on one before it, so there are no sessions, and a server that is started anew is as
good as the one before. What an agent has to come back to is its seat.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from attrs import define, field
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from arena_web.addresses import AGENTS_PATH
from arena_web.http.clients import find_client
from arena_web.http.sse import RETRY_AFTER_SECONDS, FollowerLimit
from arena_web.play.table_quota import MAX_OPEN_TABLES, MAX_OPEN_TABLES_PER_ADDRESS
from arena_web.play.tables import PlayTables

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


async def identify_by_address(request: Request) -> str:
    """Return the address of whoever sends a request: anybody may."""
    return find_client(request.scope) or "unknown"


def build_server(tables: PlayTables) -> MCPServer:
    """Return a server whose agents sit at these tables."""
    from arena_mcp.tools import AgentServer

    logging.getLogger().addHandler(logging.NullHandler())  # else the SDK sets up everybody's logs
    return AgentServer(tables)


async def serve_stdio(tables: PlayTables) -> None:
    """Serve one client over stdin and stdout, until it closes them."""
    try:
        await build_server(tables).run_stdio_async()
    finally:
        tables.close()
        await asyncio.to_thread(tables.join)


@define(eq=False)
class AgentEndpoint:
    """The page for MCP clients of a web server, which has the hosts and origins checked.

    `identify` returns for whom the calls and tables of a request count, or raises HTTPException.
    Most calls wait, and each has a connection meanwhile: so there may be as many as open tables.

    The SDK is first loaded, and its sessions first run, when a client comes: the server of the
    pages knows no lifespan, and starts as fast as without agents.
    """

    tables: PlayTables
    identify: Callable[[Request], Awaitable[str]] = identify_by_address
    calls: FollowerLimit = field(
        factory=lambda: FollowerLimit(MAX_OPEN_TABLES, MAX_OPEN_TABLES_PER_ADDRESS)
    )
    _manager: StreamableHTTPSessionManager | None = None
    _running: asyncio.Task[None] | None = None
    _lock: asyncio.Lock = field(init=False, factory=asyncio.Lock)

    @property
    def routes(self) -> Sequence[BaseRoute]:
        """The route of the page."""
        return [Route(AGENTS_PATH, self)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope)
        request.state.account = account = await self.identify(request)
        if self.calls.is_full(account):
            again = {"Retry-After": RETRY_AFTER_SECONDS}
            raise HTTPException(503, "too many calls at once: wait until one is over", again)
        with self.calls.count(account):
            async with self._lock:
                manager = self._manager = self._manager or await self._start()
            await manager.handle_request(scope, receive, send)

    async def _start(self) -> StreamableHTTPSessionManager:
        """Return the sessions, which run until the event loop ends."""
        server = await run_in_threadpool(build_server, self.tables)
        from mcp.server.transport_security import TransportSecuritySettings

        unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        server.streamable_http_app(stateless_http=True, transport_security=unchecked)
        manager, ready = server.session_manager, asyncio.Event()

        async def run() -> None:
            async with manager.run():
                ready.set()
                await asyncio.Event().wait()

        self._running = asyncio.create_task(run())
        await ready.wait()
        return manager
