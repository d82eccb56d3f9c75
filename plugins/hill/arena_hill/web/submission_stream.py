"""The stream of a submission's states, for whoever waits until it is in."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial

import structlog
from attrs import define, field
from starlette.requests import Request
from starlette.responses import Response

from arena import UserError
from arena_hill.api_format import SubmissionStatus
from arena_hill.db.submissions import Submission
from arena_hill.web.served_hill import ServedHill
from arena_web.http.sse import ALIVE, BYE, RETRY, FollowerLimit, WakeUpSignal, build_state

POLL_SECONDS = 0.5  # between two queries of the hill's database

log = structlog.get_logger()


@define(eq=False)
class SubmissionStream:
    """Polls a hill's submissions for all followers together, while there are any."""

    served: ServedHill
    followers: FollowerLimit
    _follower_counts: Counter[int] = field(init=False, factory=Counter)
    _statuses: dict[int, SubmissionStatus] = field(init=False, factory=dict)
    _bell: WakeUpSignal = field(init=False, factory=WakeUpSignal)
    _poller: asyncio.Task[None] | None = field(init=False, default=None)
    _closed: bool = field(init=False, default=False)

    def answer(self, request: Request, submission: Submission) -> Response:
        """Return the stream of a submission, or a refusal if its author follows too much."""
        submission_id, author_id = submission.id, submission.bot.author_id
        stream, place = self._follow(submission_id), self._count(submission_id)
        return self.followers.answer(request, stream, place, str(author_id))

    def close(self) -> None:
        """End all streams, from any thread."""
        self._closed = True
        self._bell.notify_threadsafe()

    @contextmanager
    def _count(self, submission_id: int) -> Iterator[None]:
        self._follower_counts[submission_id] += 1
        try:
            yield
        finally:
            self._follower_counts -= Counter([submission_id])  # forgets who has none

    async def _follow(self, submission_id: int) -> AsyncIterator[bytes]:
        if self._poller is None or self._poller.done():
            self._statuses.clear()
            self._poller = asyncio.create_task(self._poll())
        yield RETRY
        last: SubmissionStatus | None = None
        while not (self._closed or self._poller.done()):
            status = self._statuses.get(submission_id)
            if status is not None and status != last:
                last = status
                yield build_state(status)
                if status.over:
                    return
            elif not await self._bell.wait():
                yield ALIVE
        if self._closed:
            yield BYE

    async def _poll(self) -> None:
        """Poll until nobody follows; a fault ends the streams, and who comes again polls anew."""
        try:
            await self._poll_while_followed()
        except Exception:
            log.exception("submissions cannot be followed")
        finally:
            self._bell.notify()

    async def _poll_while_followed(self) -> None:
        while self._follower_counts and not self._closed:
            with suppress(UserError):  # the database is away, or much is asked
                statuses = await self.served.ask(
                    partial(self._compute_statuses, [*self._follower_counts])
                )
                if statuses != self._statuses:
                    self._statuses = {**statuses}
                    self._bell.notify()
            await asyncio.sleep(POLL_SECONDS)

    def _compute_statuses(self, ids: list[int]) -> Mapping[int, SubmissionStatus]:
        access = self.served.access
        submissions = access.store.submissions.select(ids=ids)
        return access.read_statuses().compute_all(submissions)
