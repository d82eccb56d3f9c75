"""Event streams of a submission's states, until the final one."""

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

from arena import UserError
from arena_hill.db.submissions import Submission
from arena_hill.service import HillService
from arena_hill.submission_status import SubmissionStatus
from arena_web.http.sse import ALIVE, BYE, RETRY, FollowerLimit, WakeUpSignal
from arena_web.live import build_message

POLL_SECONDS = 0.5  # seconds between two queries of the hill's database


@define(eq=False)
class SubmissionStream:
    """Polls a hill's submissions for all followers together, while there are any."""

    service: HillService
    followers: FollowerLimit
    _followed: Counter[int] = field(init=False, factory=Counter)
    _known: dict[int, SubmissionStatus] = field(init=False, factory=dict)
    _bell: WakeUpSignal = field(init=False, factory=WakeUpSignal)
    _looking: asyncio.Task[None] | None = field(init=False, default=None)
    _closed: bool = field(init=False, default=False)

    def answer(self, request: Request, submission: Submission) -> Response:
        """Return the stream of a submission, or a refusal if its author follows too much."""
        number, author = submission.id, f"{self.service.name}/{submission.author}"
        return self.followers.answer(request, self._follow(number), self._count(number), author)

    def close(self) -> None:
        """End all streams, from any thread."""
        self._closed = True
        self._bell.notify_threadsafe()

    @contextmanager
    def _count(self, number: int) -> Iterator[None]:
        self._followed[number] += 1
        try:
            yield
        finally:
            self._followed -= Counter([number])  # forgets who has none

    async def _follow(self, number: int) -> AsyncIterator[bytes]:
        if self._looking is None or self._looking.done():
            self._known.clear()
            self._looking = asyncio.create_task(self._poll())
        yield RETRY
        told: SubmissionStatus | None = None
        while not (self._closed or (told and told.over)):
            now = self._known.get(number)
            if now is not None and now != told:
                told = now
                yield build_message("state", **now.to_json())
            elif not await self._bell.wait():
                yield ALIVE
        yield BYE

    async def _poll(self) -> None:
        while self._followed and not self._closed:
            with suppress(UserError, HTTPException):  # the database is away, or much is asked
                found = await self.service.ask(partial(self._compute_statuses, [*self._followed]))
                if found != self._known:
                    self._known = {**found}
                    self._bell.notify()
            await asyncio.sleep(POLL_SECONDS)

    def _compute_statuses(self, numbers: list[int]) -> Mapping[int, SubmissionStatus]:
        return self.service.compute_statuses(
            self.service.database.list_submissions(numbers=numbers)
        )
