"""Questions to the store of a tournament: pages put them, and a source answers them in a thread."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from arena.tournament.store import Store

T = TypeVar("T")


class StoreQueryRunner(Protocol):
    """Whatever asks a tournament's store in a thread."""

    def __call__(self, question: Callable[[Store], T]) -> Awaitable[T]:
        """Return the answer."""
