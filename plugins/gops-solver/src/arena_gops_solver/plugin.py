"""The hooks of this plugin: bots, annotations, an explorer and insights for GOPS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import arena
from arena import records
from arena_gops_solver.bots import Nash, NashWin

if TYPE_CHECKING:
    from arena.plugins import Yardstick


@arena.hookimpl
def arena_bots() -> Mapping[str, Mapping[str, type[arena.Bot]]]:
    """Register the bots."""
    return {"gops": {"nash": Nash, "nash-win": NashWin}}


@arena.hookimpl
def arena_annotations(
    game: arena.Game, transcript: records.Transcript
) -> Sequence[arena.Annotation]:
    """Explain a match by the solution."""
    if game.name != "gops":
        return ()
    from arena_gops_solver.commentary import build_annotations  # a large import, rarely needed

    return build_annotations(game, transcript)


@arena.hookimpl
def arena_explorers() -> Sequence[arena.Explorer]:
    """Register the explorer of the solved game."""
    from arena_gops_solver.explorer_page import build_page, build_start_query, prepare_page

    return (arena.Explorer("gops", "GOPS, solved", build_page, build_start_query, prepare_page),)


@arena.hookimpl
def arena_insights() -> list[arena.Insights]:
    """Register what bids cost against the solution, if the cache has one."""
    from arena_gops_solver.commentary import build_insights

    return build_insights()


@arena.hookimpl
def arena_hints() -> list[arena.HintSource]:
    """Register the exact solution as a source of hints."""
    from arena_gops_solver.commentary import HINTS

    return [HINTS]


@arena.hookimpl
def arena_yardsticks() -> list[Yardstick]:
    """Register the exact solution as a yardstick."""
    from arena_gops_solver.yardsticks import YARDSTICK

    return [YARDSTICK]
