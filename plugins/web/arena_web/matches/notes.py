"""What plugins say of a finished match."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena import Annotation
from arena.plugins import get_plugins
from arena.records import Transcript

NoteFinder = Callable[[Transcript], Sequence[Annotation]]
"""Finds what plugins say of the match of a transcript."""


def annotate(transcript: Transcript) -> Sequence[Annotation]:
    """Return the annotations of plugins on the match of a transcript."""
    plugins = get_plugins()
    return plugins.list_annotations(plugins.find_game(transcript.header.game), transcript)
