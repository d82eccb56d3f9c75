"""What is found out of transcripts, remembered until something was prepared, such as a solution.

Nothing in a finished match changes; but once its game is solved, more can be said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Concatenate, ParamSpec, TypeVar

from cachetools import LRUCache, cached

from arena.records import Transcript
from arena_web.preparations import Preparations

P = ParamSpec("P")
T = TypeVar("T")

MAX_MATCHES = 64  # of which it is remembered


def remember(
    find: Callable[Concatenate[Transcript, P], T], preparations: Preparations
) -> Callable[Concatenate[Transcript, P], T]:
    """Return the same function, which remembers its results until a preparation ends."""

    def build_key(transcript: Transcript, *others: P.args, **_: P.kwargs) -> Hashable:
        return transcript.text, preparations.ended, *others

    return cached(LRUCache(MAX_MATCHES), build_key, Lock())(find)
