"""GOPS solved exactly: tables of values, and strategies from them.

Two players, hands 1 to N, prizes 1 to N in random order, a tie gives the prize to nobody. `solve`
writes a table for one of two objectives: `points`, the expected difference of points, and `win`,
the sign of the final difference. `SolvedGame` reads values and stages from it, `find_equilibrium`
gives the mixed strategy of a stage.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena_gops_solver.positions import SolverPosition, Strategy, find_equilibrium
    from arena_gops_solver.solver import Parallelism, SolvedGame, SolveProgress, solve
    from arena_gops_solver.value_table import TableSpec, ValueTable

__all__ = [
    "Parallelism",
    "SolveProgress",
    "SolvedGame",
    "SolverPosition",
    "Strategy",
    "TableSpec",
    "ValueTable",
    "find_equilibrium",
    "solve",
]

HOMES = {
    "positions": ("SolverPosition", "Strategy", "find_equilibrium"),
    "solver": ("Parallelism", "SolveProgress", "SolvedGame", "solve"),
    "value_table": ("TableSpec", "ValueTable"),
}
"""The module of each name; numpy is imported on first use, so that the arena starts quickly."""


def __getattr__(name: str) -> Any:
    """Import a name from its module on first use (PEP 562)."""
    for module, names in HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
