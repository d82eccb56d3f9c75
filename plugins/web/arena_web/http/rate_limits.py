"""Rate limits: how many requests of each kind a client of a server may make in a span of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic

from attrs import define, field

from arena_web.http.clients import find_networks

RATE_LIMITS = {"page": 300, "part": 1200, "steps": 300, "answer": 600}
"""How many requests of a kind an address may make in a minute, and at once: a whole course may sit
behind one address."""

MINUTE_SECONDS = 60
MAX_BUCKETS = 10_000  # addresses that are remembered
SAFE_METHODS = ("GET", "HEAD")


@define
class RateLimiter:
    """Token buckets by client and kind of request."""

    limits: Mapping[str, int]  #: of a span, by kind
    now: Callable[[], float] = monotonic
    span_seconds: float = MINUTE_SECONDS
    _buckets: dict[tuple[str, str], tuple[float, float]] = field(factory=dict)

    def wait(self, client: str, kind: str) -> float:
        """Take a token and return 0, or return the seconds until there is one."""
        limit = self.limits.get(kind)
        if limit is None:
            return 0.0
        now, wait, remaining = self.now(), 0.0, {}
        for network, share in find_networks(client).items():
            full = float(limit * share)
            rate = full / self.span_seconds
            before, last = self._buckets.get((network, kind), (full, now))
            remaining[network] = min(full, before + (now - last) * rate)
            wait = max(wait, (1 - remaining[network]) / rate)
        if wait > 0:
            return wait
        for network, tokens in remaining.items():
            self._keep((network, kind), (tokens - 1, now))
        return 0.0

    def give_back(self, client: str, kind: str) -> None:
        """Give back a token that was taken for what did not come about."""
        for network in find_networks(client):
            if bucket := self._buckets.get((network, kind)):
                tokens, last = bucket
                self._buckets[network, kind] = (tokens + 1, last)

    def _keep(self, key: tuple[str, str], bucket: tuple[float, float]) -> None:
        if key not in self._buckets and len(self._buckets) >= MAX_BUCKETS:
            self._buckets.pop(next(iter(self._buckets)))  # who was first seen longest ago
        self._buckets[key] = bucket
