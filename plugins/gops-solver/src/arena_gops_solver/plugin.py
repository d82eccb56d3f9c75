"""The hooks of this plugin: bots, annotations, an explorer and insights for GOPS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena import Annotation, Bot, Explorer, Game, HintSource, Insights, hookimpl
from arena.records import Transcript
from arena_gops_solver.bots import Nash, NashWin


@hookimpl
def arena_bots() -> Mapping[str, Mapping[str, type[Bot]]]:
    """Register the bots."""
    return {"gops": {"nash": Nash, "nash-win": NashWin}}


@hookimpl
def arena_annotations(game: Game, transcript: Transcript) -> Sequence[Annotation]:
    """Explain a match by the solution."""
    if game.name != "gops":
        return ()
    from arena_gops_solver.commentary import build_annotations  # a large import, rarely needed

    return build_annotations(game, transcript)


@hookimpl
def arena_explorers() -> Sequence[Explorer]:
    """Register the explorer of the solved game."""
    from arena_gops_solver.explorer import build_page

    return (Explorer("gops", "GOPS, solved", build_page),)


@hookimpl
def arena_insights() -> list[Insights]:
    """Register what bids cost against the solution, if the cache has one."""
    from arena_gops_solver.commentary import build_insights

    return build_insights()


@hookimpl
def arena_hints() -> list[HintSource]:
    """Register the exact solution as a source of hints."""
    from arena_gops_solver.commentary import HINTS

    return [HINTS]
