r"""The likelihood of choices in the Davidson-Luce model, and its derivatives.

From candidates with strengths \alpha, a set T of t tied members is chosen with a probability
proportional to

    \delta_t \prod_{i \in T} \alpha_i^{1/t},

which is the multi-item choice with ties of Firth, Kosmidis and Turner ('Davidson-Luce model for
multi-item choice with ties', 2019, arXiv:1909.07123). Without ties it is the model of Plackett
(1975) and Luce (1959), for two with ties that of Davidson (1970), for two without ties that of
Bradley and Terry (1952). Efron's treatment of ties does not reduce to Davidson's for two, and
counts five equals as five choices, although they carry no information.

Unlike the paper, each number of candidates has its own \delta, and sets of a size that never
occurred have probability 0. So rules by which, say, all but the winner share a place cost nothing:
if the number chosen is certain, it carries no information about strength, and no parameter
diverges.

In the logarithms of \alpha and \delta this is a multinomial logit: each set is an alternative with
features (1/t for its members, 1 for its \delta), and the likelihood is concave.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations

import numpy as np
from attrs import frozen
from scipy.sparse import csr_array
from scipy.special import comb

from arena.tournament.models.result_columns import Floats, Ints
from arena.tournament.ratings.ranking_choices import RankingChoices

Matrix = csr_array[np.float64, tuple[int, int]]
"""A sparse matrix: on such small matrices the threads of a BLAS mostly wait for busy cores."""

CELLS = 1 << 17
"""The number of values processed at a time: 1 MB, which fits in the cache."""


@frozen(eq=False)
class ChoiceDesign:
    r"""Choices among one number of entrants, as a multinomial logit.

    The parameters are one for each entrant, then those of the ties. The tie parameter of (size, t)
    is log \delta of t chosen from size, against that of the smallest number that was ever chosen
    from that size.
    """

    choices: RankingChoices
    columns: Ints  # (different, k) the parameters that each choice depends on
    features: Floats  # (alternatives, k) what each set has of these
    picked: Ints  # (different,) the alternative that was chosen
    ties: tuple[tuple[int, int], ...]  # (size, t) of its tie parameters, in order
    start: Floats  # their values if all were equally strong

    @cached_property
    def worths(self) -> Matrix:
        """Map each choice's parameters to the log weights of its alternatives."""
        return csr_array(self.features)

    @cached_property
    def means(self) -> Matrix:
        """Map the alternatives' probabilities to the mean of each feature."""
        return csr_array(self.features.T)

    @cached_property
    def squares(self) -> Matrix:
        """Map them to the mean of each product of two features: the upper half of (k, k)."""
        upper, lower = np.triu_indices(self.features.shape[1])
        return csr_array((self.features[:, upper] * self.features[:, lower]).T)


def build_alternatives(found: list[RankingChoices], entrants: int) -> list[ChoiceDesign]:
    """Build the design of the choices of each size, with numbered parameters."""
    laid: list[ChoiceDesign] = []
    parameters = entrants
    for choices in found:
        laid.append(build_alternatives_of(choices, parameters))
        parameters += len(laid[-1].ties)
    return laid


def build_alternatives_of(choices: RankingChoices, parameters: int) -> ChoiceDesign:
    """Build the design of the choices among one number of entrants, after earlier parameters."""
    size = choices.size
    numbers = np.unique(np.bitwise_count(choices.chosen)).tolist()
    sets = [subset for number in numbers for subset in combinations(range(size), number)]
    features = np.zeros((len(sets), size + len(numbers) - 1))
    index = np.zeros(1 << size, np.int64)
    for row, subset in enumerate(sets):
        features[row, subset] = 1 / len(subset)
        features[row, size:] = [len(subset) == number for number in numbers[1:]]
        index[sum(1 << member for member in subset)] = row
    ties = np.arange(parameters, parameters + len(numbers) - 1)
    columns = np.hstack([choices.members, np.tile(ties, (len(choices.members), 1))])
    named = tuple((size, number) for number in numbers[1:])
    picked = index[choices.chosen]
    return ChoiceDesign(choices, columns, features, picked, named, estimate_tie_start(choices))


def estimate_tie_start(choices: RankingChoices) -> Floats:
    r"""Return log \delta of each number chosen except the smallest, if all were equal."""
    often = np.bincount(np.bitwise_count(choices.chosen), choices.count)
    numbers = np.flatnonzero(often)
    logs = np.log(often[numbers] / comb(choices.size, numbers))
    difference: Floats = logs[1:] - logs[0]
    return difference


def compute_probabilities(
    alternatives: ChoiceDesign, beta: Floats, rows: slice
) -> tuple[Floats, Floats]:
    """Return each alternative's probability (alternatives, rows), and the chosen one's log."""
    worth = np.asarray(alternatives.worths @ beta[alternatives.columns[rows]].T)
    worth -= worth.max(axis=0)
    weight = np.exp(worth)
    total = weight.sum(axis=0)
    picked = worth[alternatives.picked[rows], np.arange(len(total))] - np.log(total)
    return weight / total, picked


def slice_rows(alternatives: ChoiceDesign, parameters: int) -> Iterator[slice]:
    """Split the rows so that the data of each slice fits in the cache.

    Slices are not so small that summing over all pairs of parameters dominates.
    """
    widest = max(alternatives.features.shape[0], alternatives.features.shape[1] ** 2)
    step = max(1, max(CELLS, parameters**2) // widest)
    for start in range(0, len(alternatives.picked), step):
        yield slice(start, start + step)


def compute_scores(alternatives: ChoiceDesign, beta: Floats) -> Floats:
    """Return each choice's score: chosen minus expected features; (different, k)."""
    parts = [np.empty((0, alternatives.features.shape[1]))]
    for rows in slice_rows(alternatives, len(beta)):
        expected = alternatives.means @ compute_probabilities(alternatives, beta, rows)[0]
        parts.append(alternatives.features[alternatives.picked[rows]] - expected.T)
    return np.concatenate(parts)


@frozen(eq=False)
class LikelihoodPoint:
    """The log likelihood at a point, with its first two derivatives."""

    value: float
    score: Floats  # (parameters,) the first
    information: Floats  # (parameters, parameters) the second, negated


def evaluate(laid: list[ChoiceDesign], beta: Floats) -> LikelihoodPoint:
    """Return the log likelihood of all choices, weighted by their counts."""
    total = len(beta)
    value, score, information = 0.0, np.zeros(total), np.zeros(total * total)
    for alternatives in laid:
        upper, lower = np.triu_indices(alternatives.features.shape[1])
        for rows in slice_rows(alternatives, total):
            columns = alternatives.columns[rows].T
            part = evaluate_rows(alternatives, beta, rows)
            value += part[0]
            score += np.bincount(columns.ravel(), part[1].ravel(), total)
            cells = columns[upper] * total + columns[lower]
            information += np.bincount(cells.ravel(), part[2].ravel(), total * total)
    half = information.reshape(total, total)
    return LikelihoodPoint(value, score, half + half.T - np.diag(half.diagonal()))


def evaluate_rows(
    alternatives: ChoiceDesign, beta: Floats, rows: slice
) -> tuple[float, Floats, Floats]:
    """Return the value, each row's score (k, rows) and its information.

    Of the information, only the upper half of its (k, k) is given: (k (k + 1) / 2, rows).
    """
    chance, picked = compute_probabilities(alternatives, beta, rows)
    count = alternatives.choices.count[rows]
    expected = np.asarray(alternatives.means @ chance)
    upper, lower = np.triu_indices(alternatives.features.shape[1])
    spread = np.asarray(alternatives.squares @ chance)
    spread -= expected[upper] * expected[lower]
    score = alternatives.features[alternatives.picked[rows]].T - expected
    return float(picked @ count), score * count, spread * count
