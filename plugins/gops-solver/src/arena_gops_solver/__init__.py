"""GOPS solved exactly: tables of values, and strategies from them.

Two players, hands 1 to N, prizes 1 to N in random order, a tie gives the prize to nobody. `solve`
writes a table for one of two objectives: `points`, the expected difference of points, and `win`,
the sign of the final difference. `Solved` reads values and stages from it, `equilibrium` gives the
mixed strategy of a stage.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena_gops_solver.layers import Kind
    from arena_gops_solver.matrix import Strategy, equilibrium
    from arena_gops_solver.positions import Place, Solved
    from arena_gops_solver.solving import Effort, Progress, solve
    from arena_gops_solver.tables import Table

__all__ = [
    "Effort",
    "Kind",
    "Place",
    "Progress",
    "Solved",
    "Strategy",
    "Table",
    "equilibrium",
    "solve",
]

HOMES = {
    "layers": ("Kind",),
    "matrix": ("Strategy", "equilibrium"),
    "positions": ("Place", "Solved"),
    "solving": ("Effort", "Progress", "solve"),
    "tables": ("Table",),
}
"""Where each name is: numbers are imported when one is used, as the arena is to start at once."""


def __getattr__(name: str) -> Any:
    """Return what is asked for from its module (PEP 562)."""
    for module, names in HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
