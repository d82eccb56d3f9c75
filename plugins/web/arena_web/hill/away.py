"""Browsers that have gone to a provider to sign in, and have not come back yet."""

from __future__ import annotations

from collections.abc import Callable
from secrets import token_urlsafe
from time import monotonic

from attrs import define, field

LASTS = 600  # seconds that a browser may be away
MOST = 1000  # browsers that are


@define
class Away:
    """The state of each, which is good once, with its verifier (PKCE), which stays here."""

    now: Callable[[], float] = monotonic
    _kept: dict[str, tuple[str, float]] = field(factory=dict)

    def begin(self) -> tuple[str, str]:
        """Return a new state with its verifier; where too many are away, the first is forgotten."""
        if len(self._kept) >= MOST:
            self._kept.pop(next(iter(self._kept)))
        state, verifier = token_urlsafe(32), token_urlsafe(48)
        self._kept[state] = (verifier, self.now() + LASTS)
        return state, verifier

    def end(self, state: str) -> str | None:
        """Use a state up; return its verifier, or None where it is not good."""
        verifier, until = self._kept.pop(state, ("", -1.0))
        return verifier if self.now() < until else None
