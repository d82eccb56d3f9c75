"""Minimum-cost pairings: the best partition of a field by the costs of pairs.

Pairs are a perfect matching of minimum cost in a complete graph, found exactly by integer
programming (Edmonds, Journal of Research of the National Bureau of Standards 69B, 1965, for the
problem). Larger tables start as slices of the ordered field, and are improved until no exchange of
two entrants helps.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

MAX_PAIR_DISTANCE = 30  # in places of the order; for large fields only

Costs = NDArray[np.float64]  # (n, n), symmetric


def find_best_pairs(costs: Costs) -> list[tuple[int, int]]:
    """Return the pairs of a field of even size with the lowest total cost.

    Pairs of neighbours in the field's order are cheap, so in large fields only these are
    considered.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    size = len(costs)
    first, second = np.triu_indices(size, 1)
    near = (second - first <= MAX_PAIR_DISTANCE) | (size <= 2 * MAX_PAIR_DISTANCE)
    first, second = first[near], second[near]
    edges = np.arange(len(first))
    ends = csr_array(
        (np.ones(2 * len(first)), (np.r_[first, second], np.r_[edges, edges])), (size, len(first))
    )
    found = milp(
        costs[first, second],
        constraints=LinearConstraint(ends, 1, 1),
        integrality=np.ones(len(first), int),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0},
    )
    assert found.success, found.message
    chosen = found.x > 0.5  # noqa: PLR2004
    return [*zip(first[chosen].tolist(), second[chosen].tolist(), strict=True)]


def find_best_tables(costs: Costs, table: int) -> list[list[int]]:
    """Return groups of `table` entrants whose cost no exchange of two members lowers."""
    tables = [[*range(start, start + table)] for start in range(0, len(costs), table)]
    better = True
    while better:
        better = False
        for left, right in combinations(tables, 2):
            for here, there in product(range(table), repeat=2):
                better |= _exchange_if_cheaper(left, here, right, there, costs)
    return tables


def _exchange_if_cheaper(
    left: list[int], here: int, right: list[int], there: int, costs: Costs
) -> bool:
    """Exchange two members if that is cheaper; the cost of an entrant with itself is zero."""
    mover, partner = left[here], right[there]
    change = costs[partner] - costs[mover]
    gain = change[right].sum() - change[left].sum() + 2 * costs[mover, partner]
    if gain <= 1e-9:  # noqa: PLR2004
        return False
    left[here], right[there] = partner, mover
    return True
