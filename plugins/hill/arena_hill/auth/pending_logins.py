"""Sign-ins in progress: browsers that are at the provider and have not returned yet."""

from __future__ import annotations

from collections.abc import Callable
from secrets import token_urlsafe
from time import monotonic

from cachetools import TTLCache

LOGIN_SECONDS = 600  # that a browser may be away
MAX_PENDING_LOGINS = 1000


class PendingLogins:
    """The states of sign-ins in progress, each valid once, with their PKCE verifiers."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._verifiers = TTLCache[str, str](MAX_PENDING_LOGINS, LOGIN_SECONDS, now)

    def begin(self) -> tuple[str, str]:
        """Return a new state with its verifier; if there are too many, drop the oldest."""
        state, verifier = token_urlsafe(32), token_urlsafe(48)
        self._verifiers[state] = verifier
        return state, verifier

    def end(self, state: str) -> str | None:
        """Remove a state and return its verifier, or None if it is not valid."""
        return self._verifiers.pop(state, None)
