"""GOPS solved exactly: tables of values, and strategies from them.

Two players, hands 1 to N, prizes 1 to N in random order, a tie gives the prize to nobody. `solve`
writes a table for one of two objectives: `points`, the expected difference of points, and `win`,
the sign of the final difference. `Solved` reads values and stages from it, `equilibrium` gives the
mixed strategy of a stage.
"""

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
