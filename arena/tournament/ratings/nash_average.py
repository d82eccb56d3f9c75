"""Nash averaging: strength against the best mixture, independent of the rest of the field.

Two players each choose an entrant to play for them. In the equilibrium of this game both choose
at random, with weights against which no choice does better; of several equilibria the one with
the most entropy is taken, which is unique. Entrants beaten by mixtures of others have weight 0,
and copies share their weight, so that neither filling the field with weak entrants nor entering
twice changes the result of others. (Balduzzi, Tuyls, Perolat and Graepel, 'Re-evaluating
evaluation', 2018, arXiv:1806.02643.) With several equilibria, entropy over entrants would favour
those with copies. So entrants with equal payoffs throughout count as one.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from scipy.special import logsumexp, softmax

from arena.rules import UserError
from arena.tournament.entries import Id
from arena.tournament.ratings.head_to_head import HeadToHead, PairTable
from arena.tournament.ratings.rating_input import Floats

SLACK = 1e-9
"""The tolerance for zero, relative to the largest payoff."""


@frozen(eq=False)
class NashAverage:
    """The equilibrium, and the payoff of each entrant against it."""

    entrants: tuple[Id, ...]
    weight: Floats  # (n,) the weight of each in the equilibrium; they sum to 1
    skill: Floats  # (n,) the mean payoff against it: 0 for those with a weight, others below


def compute_nash_from_duels(duels: HeadToHead) -> NashAverage:
    """Return the equilibrium of the entrants that have met an opponent, from their margins."""
    indices = np.flatnonzero(duels.count_meetings()).tolist()
    entrants = tuple(duels.entrants[index] for index in indices)
    return compute_nash_average(entrants, compute_margins(duels.tabulate(indices, indices)))


def compute_margins(duels: PairTable) -> Floats:
    """Return payoffs (n, n): the mean result, 1 for a win and -1 for a loss; 0 if never met."""
    mean: Floats = (duels.ahead - duels.behind) / np.maximum(duels.matches, 1)
    return mean


def compute_nash_average(entrants: tuple[Id, ...], payoff: Floats) -> NashAverage:
    """Find the equilibrium with the highest entropy.

    `payoff` (n, n) is the payoff of row against column, in any unit; raises UserError unless it is
    antisymmetric.
    """
    largest = float(np.abs(payoff).max(initial=0))
    if not np.allclose(payoff, -payoff.T, atol=SLACK * largest):
        raise UserError("payoffs for Nash averaging must be antisymmetric")
    if not len(entrants):
        return NashAverage(entrants, np.zeros(0), np.zeros(0))
    _, first, copy = np.unique(payoff, axis=0, return_index=True, return_inverse=True)
    shared = find_equilibrium(payoff[np.ix_(first, first)] / (largest or 1))
    weight: Floats = shared[copy] / np.bincount(copy)[copy]
    return NashAverage(entrants, weight, payoff @ weight)


def find_equilibrium(payoff: Floats) -> Floats:
    """Return the equilibrium with most entropy; (n,)."""
    some = find_widest_equilibrium(payoff)
    support = np.flatnonzero(some > 0)
    within = payoff[np.ix_(support, support)]
    others = np.delete(payoff[:, support], support, axis=0)
    equations = np.vstack([within, np.ones(len(support))])
    unique = np.linalg.matrix_rank(equations, tol=SLACK) == len(support)
    weight = np.zeros(len(payoff))
    weight[support] = some[support] if unique else maximise_entropy(within, others)
    return weight


def find_widest_equilibrium(payoff: Floats) -> Floats:
    """Return an equilibrium whose support contains that of every other; (n,).

    Weights p >= 0 with payoff p <= 0 are a scaled equilibrium. Each weight that can be positive can
    be raised to 1 by scaling; so the sum of min(p, 1) is greatest when all of them are. (Goldman
    and Tucker, 'Theory of linear programming', 1956.) Here p = capped + beyond.
    """
    from scipy.optimize import linprog

    n = len(payoff)
    solution = linprog(
        -np.repeat([1.0, 0.0], n),
        A_ub=np.hstack([payoff, payoff]),
        b_ub=np.zeros(n),
        bounds=[(0, 1)] * n + [(0, None)] * n,
        method="highs",
    )
    capped, beyond = np.split(np.asarray(solution.x), 2)
    weight = np.where(capped > 1 / 2, capped + beyond, 0)
    total: Floats = weight / weight.sum()
    return total


def maximise_entropy(within: Floats, others: Floats) -> Floats:
    """Return the weights with the most entropy against which nobody gains.

    The entrants of the support, `within` (k, k), get payoff 0; the others (m, k) at most 0. The
    weights are softmax(-y payoff) for the multipliers y that minimise the log of its sum, with y >=
    0 for the others: the dual problem, whose constraints are simple.
    """
    from scipy.optimize import minimize

    payoff = np.vstack([within, others])

    def dual(y: Floats) -> tuple[float, Floats]:
        worth = -y @ payoff
        return float(logsumexp(worth)), -payoff @ softmax(worth)

    bounds = [(None, None)] * len(within) + [(0, None)] * len(others)
    solution = minimize(
        dual,
        np.zeros(len(payoff)),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000, "maxfun": 20000},
    )
    return np.asarray(softmax(-solution.x @ payoff))
