"""What this plugin brings to the arena: bots for the game."""

from __future__ import annotations

from collections.abc import Mapping

from arena import Bot, hookimpl
from arena_gops_solver.bots import Nash, NashWin


@hookimpl
def arena_bots() -> Mapping[str, Mapping[str, type[Bot]]]:
    """Bring the bots."""
    return {"gops": {"nash": Nash, "nash-win": NashWin}}
