"""What plugins say of a finished match; the notes of some matches are remembered."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from arena import Annotation
from arena.plugins import get_plugins
from arena.records import parse_text

MAX_CACHED_MATCHES = 64  # matches whose notes are remembered


@lru_cache(maxsize=MAX_CACHED_MATCHES)
def annotate(text: str) -> Sequence[Annotation]:
    """Return the annotations of plugins on a match, given its transcript."""
    transcript = parse_text(text)
    plugins = get_plugins()
    return plugins.list_annotations(plugins.find_game(transcript.header.game), transcript)
