r"""How far ratings depend on the luck of opponents, where results decided the pairings.

A fit takes the schedule as given. But where winners meet winners, as in Swiss leagues and
eliminations, an entrant in luck meets others in luck, whose ratings are too high, and which raise
those of their opponents. Such errors add up, while a covariance takes them for independent: among
16 equals in a Swiss league, its 95 % intervals would contain the truth in 82 % of the cases.

A fit that believes opponents to be much alike is not misled, because beliefs about strengths do not
depend on why a match was played (the likelihood principle: Berger and Wolpert, 1988). So each
entrant is rated a second time from the same results: nothing is believed of its own strength, and
the others' are drawn from a normal distribution, whose variance \tau^2 has the largest likelihood
(empirical Bayes: Efron and Morris, 'Data analysis using Stein's estimator', 1975). The difference
of both ratings counts as one more error. There is none where all have met equally often, and next
to none where entrants are far apart.

A lead is counted from the weighted mean of the others. Of an entrant that won nearly everything the
results say little, so it has little weight: a belief about its strength should move nobody else.

With the information I and M = (I + 1/\tau^2)^{-1}, leaving out what is believed of one entrant is a
change of rank one (Sherman and Morrison, 1950). So one decomposition serves all entrants and
variances. With many entrants, systems are solved step by step, and the diagonal and the determinant
of M follow from the first terms of their series, which suffice where entrants have many opponents.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import frozen
from scipy.sparse import csr_array

from arena.tournament.ratings.linear_systems import solve_stepwise
from arena.tournament.ratings.rating_input import Floats, Ints

MAX_DECOMPOSED = 200  # entrants
WEIGHT_QUANTILE = 1 / 4  # of the information of entrants: more gives nobody more weight
VARIANCES = 4.0 ** np.arange(-3, 6)  # of strengths, relative to that of the error of one


def measure_schedule_luck(information: csr_array, strength: Floats, group: Ints) -> Floats:
    """Return the excess of each strength over that among similar opponents; (n,).

    Strengths are relative to the mean of a group, whose entrants met directly or through others.
    """
    diagonal, n = information.diagonal(), len(strength)
    has_met = diagonal > 0
    if not has_met.any():
        return np.zeros(n)
    weight = np.minimum(diagonal, np.quantile(diagonal[has_met], WEIGHT_QUANTILE))

    def sum_others(value: Floats) -> Floats:
        return np.asarray(np.bincount(group, value)[group] - value)

    total = np.where(has_met, sum_others(weight), 1)
    variances = VARIANCES / diagonal[has_met].mean()
    shrink = shrink_exactly if n <= MAX_DECOMPOSED else shrink_stepwise
    most, similar = np.full(n, -np.inf), np.zeros(n)
    for belief in shrink(information, information @ strength, weight, variances):
        remainder = np.where(has_met, belief.variance - belief.own, 1)
        change = belief.strength / remainder  # of all, where nothing is believed of one
        others = sum_others(weight * belief.strength)
        others += (belief.weight - weight * belief.own) * change
        lead = belief.strength + belief.own * change - others / total
        likelihood = belief.strength * change - np.log(remainder / belief.variance**2)
        likelihood += belief.likelihood
        similar = np.where(likelihood > most, lead, similar)
        most = np.maximum(likelihood, most)
    luck = strength - sum_others(weight * strength) / total - similar
    return np.where(has_met, (1 - 1 / np.bincount(group)[group]) * luck, 0)


@frozen(eq=False)
class Belief:
    """What the results say of strengths that are drawn from a population of a given variance."""

    variance: float  # of the population
    strength: Floats  # (n,) relative to the mean of the population
    weight: Floats  # (n,) the product of M with the weights
    own: Floats  # (n,) the diagonal of M
    likelihood: float  # the logarithm of that of the variance, but for what an entrant changes


def shrink_exactly(
    information: csr_array, score: Floats, weight: Floats, variances: Floats
) -> Iterator[Belief]:
    """Yield the strengths for each variance."""
    values, vectors = np.linalg.eigh(information.toarray())
    parts, weights, squares = vectors.T @ score, vectors.T @ weight, vectors**2
    for variance in variances.tolist():
        inverse = 1 / (np.maximum(values, 0) + 1 / variance)
        strength, own = vectors @ (inverse * parts), squares @ inverse
        likelihood = score @ strength + np.log(inverse).sum() - len(score) * np.log(variance)
        yield Belief(variance, strength, vectors @ (inverse * weights), own, float(likelihood))


def shrink_stepwise(
    information: csr_array, score: Floats, weight: Floats, variances: Floats
) -> Iterator[Belief]:
    """Yield the strengths for each variance, without a decomposition."""
    own_part, right = information.diagonal(), np.column_stack([score, weight])
    squares = information.multiply(information).tocsr()
    for variance in variances.tolist():
        diagonal = own_part + 1 / variance
        through = squares @ (1 / diagonal) - own_part**2 / diagonal

        def multiply(at: Floats, more: float = 1 / variance) -> Floats:
            return np.asarray(information @ at + more * at)

        strength, weights = solve_stepwise(multiply, diagonal, right).T
        volume = np.log(diagonal * variance).sum() - (through / diagonal).sum() / 2
        own = 1 / (diagonal - through)
        yield Belief(variance, strength, weights, own, float(score @ strength - volume))
