"""What plugins say of a finished match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from arena import Annotation
from arena.plugins import get_plugins
from arena.records import parse_text

MAX_CACHED_MATCHES = 64  # matches whose notes are remembered

NoteFinder = Callable[[str], Sequence[Annotation]]
"""Finds what plugins say of a match, given its transcript."""


def annotate(text: str) -> Sequence[Annotation]:
    """Return the annotations of plugins on a match, given its transcript."""
    transcript = parse_text(text)
    plugins = get_plugins()
    return plugins.list_annotations(plugins.find_game(transcript.header.game), transcript)


def remember_notes() -> NoteFinder:
    """Return a finder that remembers the notes of some matches."""
    return lru_cache(MAX_CACHED_MATCHES)(annotate)
