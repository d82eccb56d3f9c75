r"""How probable choices are: the Davidson-Luce model, and its derivatives.

Of those that a choice is among, with strengths \alpha, a set T of t is chosen, level with
each other, with a probability in proportion to

    \delta_t \prod_{i \in T} \alpha_i^{1/t},

which is the multi-item choice with ties of Firth, Kosmidis and Turner ('Davidson-Luce model
for multi-item choice with ties', 2019, arXiv:1909.07123). Without ties it is the model of
Plackett (1975) and Luce (1959), for two with ties that of Davidson (1970), for two without
ties that of Bradley and Terry (1952). Efron's way with ties does not become Davidson's for
two, and counts five equals as five choices, though they tell nothing.

Unlike the paper, each number to choose among has \delta of its own, and sets of a size that
never came up there have no chance. So rules by which, say, all but the winner are level
cost nothing: where it is certain how many are chosen, their number tells nothing of
strength, and no parameter runs off to infinity.

In the logarithms of \alpha and \delta this is a multinomial logit: each set is an
alternative with features (1/t for its members, 1 for its \delta), and the likelihood is
concave.
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
"""Features are sparse; and on matrices so small the threads of a BLAS wait more than they
work, above all where matches keep every core busy."""

CELLS = 1 << 17
"""As many numbers as are worked on at once: 1 MB, which stays in the cache."""


@frozen(eq=False)
class ChoiceDesign:
    r"""Choices among one number of entrants, as a multinomial logit.

    The parameters are one for each entrant, then those of the ties. The tie parameter of
    (size, t) is log \delta of t chosen from size, against that of the smallest number that
    was ever chosen from that size.
    """

    choices: RankingChoices
    columns: Ints  # (different, k) the parameters that each choice depends on
    features: Floats  # (alternatives, k) what each set has of these
    picked: Ints  # (different,) the alternative that was chosen
    ties: tuple[tuple[int, int], ...]  # (size, t) of its tie parameters, in order
    start: Floats  # what these would be, were all equally strong

    @cached_property
    def worths(self) -> Matrix:
        """Take each choice's parameters to the log weights of its alternatives."""
        return csr_array(self.features)

    @cached_property
    def means(self) -> Matrix:
        """Take the alternatives' probabilities to the mean of each feature."""
        return csr_array(self.features.T)

    @cached_property
    def squares(self) -> Matrix:
        """Take them to the mean of each product of two: the upper half of all (k, k)."""
        upper, lower = np.triu_indices(self.features.shape[1])
        return csr_array((self.features[:, upper] * self.features[:, lower]).T)


def build_alternatives(found: list[RankingChoices], entrants: int) -> list[ChoiceDesign]:
    """Lay the parameters out, and say what each choice has of them."""
    laid: list[ChoiceDesign] = []
    parameters = entrants
    for choices in found:
        laid.append(build_alternatives_of(choices, parameters))
        parameters += len(laid[-1].ties)
    return laid


def build_alternatives_of(choices: RankingChoices, parameters: int) -> ChoiceDesign:
    """Lay out the choices among one number of entrants, behind the earlier parameters."""
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
    r"""Return log \delta of each number that was chosen but the smallest, were all equals."""
    often = np.bincount(np.bitwise_count(choices.chosen), choices.count)
    numbers = np.flatnonzero(often)
    logs = np.log(often[numbers] / comb(choices.size, numbers))
    difference: Floats = logs[1:] - logs[0]
    return difference


def compute_probabilities(
    alternatives: ChoiceDesign, beta: Floats, rows: slice
) -> tuple[Floats, Floats]:
    """Return each alternative's probability (alternatives, rows), and log that of the picked."""
    worth = np.asarray(alternatives.worths @ beta[alternatives.columns[rows]].T)
    worth -= worth.max(axis=0)
    weight = np.exp(worth)
    total = weight.sum(axis=0)
    picked = worth[alternatives.picked[rows], np.arange(len(total))] - np.log(total)
    return weight / total, picked


def slice_rows(alternatives: ChoiceDesign, parameters: int) -> Iterator[slice]:
    """Cut the rows so that what is worked on at once stays small.

    But not so small that summing it up, over all pairs of parameters, is most of the work.
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
    """Return the log likelihood of all choices, each as often as it came up."""
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
