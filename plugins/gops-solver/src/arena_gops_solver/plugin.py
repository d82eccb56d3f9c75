"""What this plugin brings to the arena: bots for the game, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena import Bot, Game, Note, Walk, hookimpl
from arena.records import Transcript
from arena_gops_solver.bots import Nash, NashWin


@hookimpl
def arena_bots() -> Mapping[str, Mapping[str, type[Bot]]]:
    """Bring the bots."""
    return {"gops": {"nash": Nash, "nash-win": NashWin}}


@hookimpl
def arena_notes(game: Game, transcript: Transcript) -> Sequence[Note]:
    """Explain a match by the solution."""
    if game.name != "gops":
        return ()
    from arena_gops_solver.notes import notes  # imports much, and is wanted seldom

    return notes(game, transcript)


@hookimpl
def arena_walks() -> Sequence[Walk]:
    """Bring a walk through the solved game."""
    from arena_gops_solver.study import look

    return (Walk("gops", "GOPS, solved", look),)
