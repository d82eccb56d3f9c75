"""Sign-ins in progress: browsers that are at the provider and have not returned yet."""

from __future__ import annotations

from collections.abc import Callable
from secrets import token_urlsafe
from time import monotonic

from attrs import define, field

LOGIN_SECONDS = 600  # seconds that a browser may be away
MAX_PENDING_LOGINS = 1000  # browsers that are


@define
class PendingLogins:
    """The states of sign-ins in progress, each valid once, with their PKCE verifiers."""

    now: Callable[[], float] = monotonic
    _verifiers: dict[str, tuple[str, float]] = field(factory=dict)

    def begin(self) -> tuple[str, str]:
        """Return a new state with its verifier; if there are too many, drop the oldest."""
        if len(self._verifiers) >= MAX_PENDING_LOGINS:
            self._verifiers.pop(next(iter(self._verifiers)))
        state, verifier = token_urlsafe(32), token_urlsafe(48)
        self._verifiers[state] = (verifier, self.now() + LOGIN_SECONDS)
        return state, verifier

    def end(self, state: str) -> str | None:
        """Remove a state and return its verifier, or None if it is not valid."""
        verifier, until = self._verifiers.pop(state, ("", -1.0))
        return verifier if self.now() < until else None
