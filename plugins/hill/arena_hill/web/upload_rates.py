"""The limits of uploads to a hill, whichever way they come: of its pages, its API, or git.

There are so many in an hour, of an author and of an address, and one of an author at a time. Only
what was queued counts. What is refused is refused before its body is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from attrs import define, field

from arena_hill.denials import Denial, SubmissionDeniedError, format_wait
from arena_web.http.rate_limits import RateLimiter

MAX_UPLOADS_PER_AUTHOR = 10  # an hour
HOUR_SECONDS = 3600.0
RETRY_SECONDS = 5.0  # until an upload under way is likely to be over
KIND = "upload"
STILL_UNDER_WAY_MESSAGE = (
    "your last upload is still being received: wait until it is, and send this again"
)


@define(eq=False)
class UploadRates:
    """The limits of uploads to a hill; used in the event loop alone."""

    per_address: int  #: uploads an hour of all authors behind an address
    _authors: RateLimiter = field(
        init=False, factory=lambda: _limit_per_hour(MAX_UPLOADS_PER_AUTHOR)
    )
    _addresses: RateLimiter = field(init=False)
    _receiving: set[int] = field(init=False, factory=set)

    @_addresses.default
    def _limit_addresses(self) -> RateLimiter:
        return _limit_per_hour(self.per_address)

    @contextmanager
    def reserve(self, author_id: int, address: str) -> Iterator[Callable[[], object]]:
        """Reserve an upload of an author within the context; yield what makes it count.

        Raises SubmissionDeniedError where the author or the address has sent too much, or is
        sending.
        """
        if author_id in self._receiving:
            raise SubmissionDeniedError(Denial.LIMIT, STILL_UNDER_WAY_MESSAGE, RETRY_SECONDS)
        with ExitStack() as reservations:
            for limiter, client in ((self._authors, str(author_id)), (self._addresses, address)):
                if wait := limiter.wait(client, KIND):
                    reason = f"too many uploads in an hour: try again in {format_wait(wait)}"
                    raise SubmissionDeniedError(Denial.LIMIT, reason, wait)
                reservations.callback(limiter.give_back, client, KIND)
            self._receiving.add(author_id)
            try:
                yield reservations.pop_all
            finally:
                self._receiving.discard(author_id)


def _limit_per_hour(limit: int) -> RateLimiter:
    return RateLimiter({KIND: limit}, span_seconds=HOUR_SECONDS)
