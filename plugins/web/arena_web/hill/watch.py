"""Streams that say how far a submission is, until it is in or has come to an end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial

from attrs import define, field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.rules import UserError
from arena_web.events import message
from arena_web.feeds import ALIVE, BYE, RETRY, Bell, Followers
from arena_web.hill.office import Office
from arena_web.hill.standing import Standing

LOOKING = 0.5  # seconds between two looks at the register


@define(eq=False)
class Watch:
    """Looks at a hill's submissions as long as anybody follows one, once for all who do."""

    office: Office
    followers: Followers
    _followed: Counter[int] = field(init=False, factory=Counter)
    _known: dict[int, Standing] = field(init=False, factory=dict)
    _bell: Bell = field(init=False, factory=Bell)
    _looking: asyncio.Task[None] | None = field(init=False, default=None)
    _closed: bool = field(init=False, default=False)

    def answer(self, request: Request, number: int) -> Response:
        """Return the stream of a submission, or a refusal where too many follow."""
        return self.followers.answer(request, self._follow(number), self._counted(number))

    def close(self) -> None:
        """End all streams, from whatever thread."""
        self._closed = True
        self._bell.ring_soon()

    @contextmanager
    def _counted(self, number: int) -> Iterator[None]:
        self._followed[number] += 1
        try:
            yield
        finally:
            self._followed -= Counter([number])  # forgets who has none

    async def _follow(self, number: int) -> AsyncIterator[bytes]:
        if self._looking is None or self._looking.done():
            self._known.clear()
            self._looking = asyncio.create_task(self._look())
        yield RETRY
        told: Standing | None = None
        while not (self._closed or (told and told.over)):
            now = self._known.get(number)
            if now is not None and now != told:
                told = now
                yield message("state", **now.pack())
            elif not await self._bell.heard():
                yield ALIVE
        yield BYE

    async def _look(self) -> None:
        while self._followed and not self._closed:
            with suppress(UserError, HTTPException):  # the database is away, or much is asked
                found = await self.office.ask(partial(self._found, [*self._followed]))
                if found != self._known:
                    self._known = {**found}
                    self._bell.ring()
            await asyncio.sleep(LOOKING)

    def _found(self, numbers: list[int]) -> Mapping[int, Standing]:
        return self.office.standings(self.office.register.submissions(numbers=numbers))
