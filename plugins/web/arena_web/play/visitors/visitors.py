"""The visitors of a server's tables: each browser has a list of its games, by its ticket.

A list grows as long as it is kept, so it is read in a thread. What is put into one is short, and in
the order of what happens, so that is written in the event loop.
"""

from __future__ import annotations

from attrs import frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from arena_web.play.seat_secrets import Secret
from arena_web.play.store.table_store import TableStore
from arena_web.play.visitors.games import GameRow, list_rows
from arena_web.play.visitors.tickets import Tickets


@frozen
class Visitors:
    """Finds what the server knows of the browser that has sent a request."""

    store: TableStore
    tickets: Tickets

    def greet(self, response: Response, request: Request) -> Response:
        """Return the response; it gives the browser a ticket, or has it keep its own for longer."""
        return self.tickets.give(response, request)

    async def list_games(self, request: Request) -> list[GameRow]:
        """Return the games of the browser, the latest first."""
        return await run_in_threadpool(list_rows, self.store, self.tickets.read(request))

    async def find_game(self, request: Request, key: str) -> GameRow | None:
        """Return the browser's game at the table of this key, if it has one."""
        rows = await self.list_games(request)
        return next((row for row in rows if row.key == key), None)

    async def find_seat(self, request: Request, key: str) -> Secret | None:
        """Return the secret of the browser's seat at the table of this key, if it has one."""
        ticket = self.tickets.read(request)
        return await run_in_threadpool(self.store.browsers.find_secret, key, ticket)

    def add_seat(self, request: Request, secret: Secret) -> None:
        """Put a seat into the list of the browser, if it has a ticket."""
        if ticket := self.tickets.read(request):
            self.store.browsers.add(secret, ticket)

    async def delete_games(self, request: Request, key: str | None) -> None:
        """Delete a finished game, or (None) all of them, from the list of the browser.

        Raises:
            StorageError: where that cannot be written.
        """
        ticket = self.tickets.read(request)
        await run_in_threadpool(self.store.browsers.delete_games, ticket, key)
