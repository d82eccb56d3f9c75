"""The hooks of this plugin: the reasons of models beside their answers in replays."""

from __future__ import annotations

import os
from collections.abc import Sequence

import arena
from arena import records
from arena_llm.record import RECORD_VARIABLE


@arena.hookimpl
def arena_annotations(
    game: arena.Game,  # noqa: ARG001
    transcript: records.Transcript,
) -> Sequence[arena.Annotation]:
    """Return the reasons that models gave, if the folder of their records is named."""
    if not os.environ.get(RECORD_VARIABLE):
        return ()
    from arena_llm.evaluation.records import annotate_reasons

    return annotate_reasons(transcript)
