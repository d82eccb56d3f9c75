r"""Bradley-Terry and Plackett-Luce: strengths by maximum likelihood, and their errors.

**Choices.** A ranking is a sequence of choices: the first of all, the first of the rest, and so on.
Each has its candidates, and the one chosen, or several that share a place. The last remaining
entrant is no choice. Equal choices are counted together, so that the cost of a fit depends on the
number of different choices.

**Model.** From candidates with strengths \alpha, a set T of t tied members is chosen with a
probability proportional to

    \delta_t \prod_{i \in T} \alpha_i^{1/t},

which is the multi-item choice with ties of Firth, Kosmidis and Turner ('Davidson-Luce model for
multi-item choice with ties', 2019, arXiv:1909.07123). Without ties it is the model of Plackett
(1975) and Luce (1959), for two with ties that of Davidson (1970), for two without ties that of
Bradley and Terry (1952). Efron's treatment of ties does not reduce to Davidson's for two, and
counts five equals as five choices, although they carry no information.

Unlike the paper, each number of candidates has its own \delta, and sets of a size that never
occurred have probability 0. So rules by which, say, all but the winner share a place cost
nothing: if the number chosen is certain, it carries no information about strength, and no
parameter diverges.

In the logarithms of \alpha and \delta this is a multinomial logit: each set is an alternative
with features (1/t for its members, 1 for its \delta), and the likelihood is concave.

**Fit.** The logarithm of the likelihood is penalised by RIDGE/2 \sum \beta^2: as if each parameter
had been drawn from a normal distribution with a standard deviation of ten (1737 Elo points). So an
entrant that won every match gets a finite rating, with a wide interval, and the strengths of each
connected group have mean 0. For an entrant with wins and losses, ten matches have hundreds of
times the weight of the penalty. The maximum is found by Newton's method.

**Errors.** They allow any dependence between the matches of a deal. The covariance is the sandwich
of Huber (1967) and White (1982), clustered by deal (Liang and Zeger, 1986): the inverse information
on both sides of the scores' own spread from deal to deal. It stays valid if the model's own
variance is wrong, either because the matches of a deal share its luck, or because the model does
not fit.

Two corrections make it usable with few deals:

- The residuals of a fit are too small for an entrant with few deals, by (k - 1)/k for k deals.
  Each deal is scaled up for its entrant with the fewest deals.
- The penalty counts as PENALTY additional deals, each with the corresponding spread. The results of
  an entrant that won every match have no spread, so without this the interval would be a point.
  PENALTY is chosen so that if one of two entrants won every deal, of up to a thousand, the near end
  of the interval is about that of the exact one (Clopper and Pearson, 1934).

In simulations these intervals reach their nominal coverage from about ten deals per entrant on,
so there is no bootstrap, which would take a thousand fits for the same result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import ClassVar, Protocol

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import comb, stdtr

from arena.rules import UserError
from arena.tournament.models import Id
from arena.tournament.ratings.duels import find_groups
from arena.tournament.ratings.means import (
    Sums,
    compute_reach,
    count_deals,
    number_deals,
    sum_by_deal,
)
from arena.tournament.result_columns import Floats, Ints, Results

ELO = 400 / float(np.log(10))
"""Elo points to a unit of log strength: 400 points are odds of ten to one in a duel."""

LARGEST = 12
"""The largest table: with 12 seats, there are 4,095 sets that could share the first place."""

RIDGE = 0.01
MAX_STEPS = 200
STEP_TOLERANCE = 1e-5  # the remaining error is about its square
PENALTY = 3

CELLS = 1 << 17
"""The number of values processed at a time: 1 MB, which fits in the cache."""

Bools = NDArray[np.bool_]

Matrix = csr_array[np.float64, tuple[int, int]]
"""A sparse matrix: on such small matrices the threads of a BLAS mostly wait for busy cores."""
DENSE = 4  # a table up to this many times the keys is faster than sorting
WIDEST = np.iinfo(np.int64).max // 2


@frozen(eq=False)
class Ratings:
    """The ratings of all entrants, with their uncertainty.

    Ratings are relative to the mean of a group, whose entrants met directly or through others.
    Nothing is known between groups, so ratings of different groups must not be compared.

    An entrant with fewer than two deals has an infinite interval, and one that met nobody is rated
    0.
    """

    entrants: tuple[Id, ...]
    level: float  # of the intervals, such as 0.95
    rating: Floats  # (n,) Elo points above the mean of the group
    low: Floats  # (n,) the interval's lower end, Elo points
    high: Floats  # (n,) its upper end
    covariance: Floats  # (n, n) of `rating`, squared Elo points; only contrasts are meaningful
    superiority: Floats  # (n, n) the probability that row is stronger than column
    group: Ints  # (n,) equal for entrants that met, directly or through others
    deals: Ints  # (n,) that each was in
    ties: Mapping[tuple[int, int], float]  # see `ChoiceDesign`; empty without shared places

    def ranking(self) -> Ints:
        """Return the indices of all entrants, the strongest first; (n,)."""
        return np.argsort(-self.rating, kind="stable")


class RatingModel(Protocol):
    """A rating model: estimates strengths from results.

    Models are frozen attrs classes whose fields are their parameters, like formats; name and
    summary belong to the class.
    """

    @property
    def name(self) -> str:
        """The model's name in commands and files."""

    @property
    def summary(self) -> str:
        """The summary of the model, in one line."""

    def suits(self, table: int) -> bool:
        """Return whether the model can rate tables of this size."""

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Rate all entrants; raise UserError for tables or a level that do not suit it."""


@frozen
class BradleyTerry:
    """Bradley and Terry's (1952) model of duels, with Davidson's (1970) ties."""

    name: ClassVar = "bradley-terry"
    summary: ClassVar = "strengths from duels by maximum likelihood, with Davidson's ties"

    def suits(self, table: int) -> bool:
        """Return whether the table has two seats, the only size of this model."""
        return table == 2  # noqa: PLR2004  # a duel

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Rate all entrants; raise UserError for larger tables or an impossible level."""
        return fit_model(self, results, level)


@frozen
class PlackettLuce:
    """The model of Plackett (1975) and Luce (1959), with ties.

    On duels it is `bradley-terry`.
    """

    name: ClassVar = "plackett-luce"
    summary: ClassVar = "strengths from places at any table by maximum likelihood, with ties"

    def suits(self, table: int) -> bool:
        """Return whether the table has two to twelve seats."""
        return 1 < table <= LARGEST

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Rate all entrants; raise UserError for larger tables or an impossible level."""
        return fit_model(self, results, level)


def fit_model(model: RatingModel, results: Results, level: float) -> Ratings:
    """Fit strengths, their covariance, and all that follows from these."""
    check_tables(model, results)
    n = len(results.entrants)
    laid = build_alternatives(list_choices(results, number_deals(results)), n)
    fit = maximise(laid, n)
    covariance, deals = compute_sandwich(laid, fit, n)
    return build_ratings(
        results, level, fit.beta[:n], (covariance, deals), name_ties(laid, fit.beta[n:])
    )


def check_tables(model: RatingModel, results: Results) -> None:
    """Raise UserError for a table size that the model cannot rate; tables of one are ignored."""
    largest = int((results.seats >= 0).sum(axis=1).max(initial=0))
    if largest > 1 and not model.suits(largest):
        raise UserError(f"{model.name} cannot rate a table of {largest}")


def name_ties(laid: list[ChoiceDesign], logs: Floats) -> dict[tuple[int, int], float]:
    """Return the tie parameters by their names."""
    names = [name for alternatives in laid for name in alternatives.ties]
    return dict(zip(names, np.exp(logs).tolist(), strict=True))


def build_ratings(
    results: Results,
    level: float,
    strength: Floats,
    sandwiched: tuple[Floats, Ints],
    ties: dict[tuple[int, int], float],
) -> Ratings:
    """Return ratings from log strengths, their covariance, and the deals of each entrant."""
    group, deals = find_groups(results), sandwiched[1]
    centre = build_centring_matrix(group)
    rating: Floats = ELO * centre @ strength
    covariance: Floats = ELO**2 * centre @ sandwiched[0] @ centre.T
    away = compute_reach(deals, level)
    away[deals > 1] *= np.sqrt(covariance.diagonal()[deals > 1])
    surely = compute_superiority(rating, covariance, group, deals)
    low, high = rating - away, rating + away
    return Ratings(
        results.entrants, level, rating, low, high, covariance, surely, group, deals, ties
    )


def build_centring_matrix(group: Ints) -> Floats:
    """Return the matrix that subtracts the mean of each group; (n, n)."""
    same = (group[:, None] == group).astype(np.float64)
    centre: Floats = np.eye(len(group)) - same / same.sum(axis=1)
    return centre


def compute_superiority(rating: Floats, covariance: Floats, group: Ints, deals: Ints) -> Floats:
    """Return the probability that row is stronger than column; (n, n).

    The difference over its standard error has Student's distribution, with the smaller number of
    deals minus one as degrees of freedom. The probability is a half if nothing is known: between
    groups, and with fewer than two deals.
    """
    variance = covariance.diagonal()
    error = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0))
    fewest = np.minimum(deals[:, None], deals)
    known = (group[:, None] == group) & (fewest > 1) & (error > 0)
    ratio = (rating[:, None] - rating) / np.where(known, error, np.inf)
    return np.where(known, stdtr(np.maximum(fewest - 1, 1), ratio), 0.5)


@frozen(eq=False)
class RankingChoices:
    """All choices among the same number of entrants."""

    members: Ints  # (different, size) the indices of the candidates, ascending
    chosen: Ints  # (different,) a bit for each candidate, the first the lowest
    count: Ints  # (different,) the count of each choice
    which: Ints  # (choices,) the index of the different choice
    deal: Ints  # (choices,) the deal of each choice, numbered without gaps

    @property
    def size(self) -> int:
        """The number of candidates of each choice."""
        return int(self.members.shape[1])


def list_choices(results: Results, deal: Ints) -> list[RankingChoices]:
    """Return all choices of all matches, one item for each number to choose among, ascending.

    `deal` (matches,) numbers the matches' deals without gaps. Tables of one give no choice.
    """
    found: defaultdict[int, list[tuple[Ints, Ints, Ints]]] = defaultdict(list)
    seats, places = sort_by_entrant(results)
    left = seats >= 0
    while left.size:
        best = np.where(left, places, WIDEST).min(axis=1, initial=WIDEST)
        taken = left & (places == best[:, None])
        sizes = left.sum(axis=1)
        for size in np.unique(sizes[sizes > 1]).tolist():
            found[size].append(collect_choices(size, sizes == size, (seats, left, taken), deal))
        more = sizes > 2  # noqa: PLR2004  # of two at most one is left
        seats, places, deal = seats[more], places[more], deal[more]
        left = left[more] & ~taken[more]
    return [merge_choices(found[size]) for size in sorted(found)]


def sort_by_entrant(results: Results) -> tuple[Ints, Ints]:
    """Return seats and places with each row sorted by entrant, so that equals look equal."""
    order = np.argsort(results.seats, axis=1)
    seats, places = (
        np.take_along_axis(array, order, axis=1) for array in (results.seats, results.places)
    )
    return seats, places


def collect_choices(
    size: int, rows: Bools, tables: tuple[Ints, Bools, Bools], deal: Ints
) -> tuple[Ints, Ints, Ints]:
    """Return members, chosen and deal of the choices among `size` candidates in these rows."""
    seats, left, taken = tables
    here = left & rows[:, None]
    bits: Ints = taken[here].reshape(-1, size) @ (1 << np.arange(size))
    return seats[here].reshape(-1, size), bits, deal[rows]


def merge_choices(parts: list[tuple[Ints, Ints, Ints]]) -> RankingChoices:
    """Count equal choices together."""
    members, chosen, deal = (np.concatenate(column) for column in zip(*parts, strict=True))
    first, which, count = count_distinct([chosen, *members.T])
    return RankingChoices(members[first], chosen[first], count, which, deal)


def count_distinct(columns: Sequence[Ints]) -> tuple[Ints, Ints, Ints]:
    """Count equal rows, given as columns of natural numbers.

    Returns the index of one row of each kind, the kind of each row, and the count of each kind.
    """
    keys, bound = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        width = int(column.max(initial=0)) + 1
        if bound > WIDEST // width:
            keys = np.unique(keys, return_inverse=True)[1]
            bound = len(keys)
        keys, bound = keys * width + column, bound * width
    return count_small_keys(keys) if bound <= DENSE * len(keys) else count_large_keys(keys)


def count_small_keys(keys: Ints) -> tuple[Ints, Ints, Ints]:
    """Do the same as `count_distinct` for small keys, without sorting."""
    count = np.bincount(keys)
    used = np.flatnonzero(count)
    number = np.empty(len(count), np.int64)
    number[used] = np.arange(len(used))
    which = number[keys]
    first = np.empty(len(used), np.int64)
    first[which] = np.arange(len(keys))
    return first, which, count[used]


def count_large_keys(keys: Ints) -> tuple[Ints, Ints, Ints]:
    """Do the same as `count_distinct` for keys too far apart to have an array of all between."""
    _, first, which, count = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    return first, which, count


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


@frozen(eq=False)
class Fit:
    """The maximum of the penalised likelihood."""

    beta: Floats  # (parameters,) log strengths, then log ties
    inverse: Floats  # (parameters, parameters) of the penalised information


def maximise(laid: list[ChoiceDesign], entrants: int) -> Fit:
    """Find the maximum; it exists and is unique, for the penalised likelihood is concave."""
    beta = np.concatenate([np.zeros(entrants), *(alternatives.start for alternatives in laid)])
    here = evaluate(laid, beta)
    for _ in range(MAX_STEPS):
        # numpy's solver only: numpy and scipy each have a BLAS with its own threads, and
        # alternating calls make these wait for each other much longer than they work
        step = np.linalg.solve(penalise(here), here.score - RIDGE * beta).astype(np.float64)
        beta, here = take_step(laid, beta, step, here)
        if np.abs(step).max(initial=0) < STEP_TOLERANCE:
            break
    inverse = np.linalg.inv(penalise(here)).astype(np.float64)
    return Fit(beta, inverse)


def penalise(here: LikelihoodPoint) -> Floats:
    """Return the information, including that of the penalty."""
    return here.information + RIDGE * np.eye(len(here.score))


def take_step(
    laid: list[ChoiceDesign], beta: Floats, step: Floats, here: LikelihoodPoint
) -> tuple[Floats, LikelihoodPoint]:
    """Take the step, or shorten it until the objective does not decrease."""
    floor = here.value - RIDGE / 2 * beta @ beta
    floor -= 1e-9 * (1 + abs(floor))  # for rounding
    while True:
        there = evaluate(laid, beta + step)
        if there.value - RIDGE / 2 * (beta + step) @ (beta + step) >= floor:
            return beta + step, there
        step = step / 2


def compute_sandwich(laid: list[ChoiceDesign], fit: Fit, entrants: int) -> tuple[Floats, Ints]:
    """Return the covariance of the log strengths (n, n), and the deals of each entrant (n,)."""
    scores = score_deals(laid, fit.beta)
    deals = count_deals(scores)
    correct_leverage(
        scores, np.where(np.arange(len(deals)) < entrants, deals, np.iinfo(np.int64).max)
    )
    spread = (scores.T @ scores).toarray() + PENALTY * RIDGE * np.eye(len(fit.beta))
    covariance = fit.inverse @ spread @ fit.inverse
    return covariance[:entrants, :entrants], deals[:entrants]


def score_deals(laid: list[ChoiceDesign], beta: Floats) -> Sums:
    """Return the score of each deal; (deals, parameters)."""
    nobody = np.zeros(0, np.int64)
    deal, column, value = [nobody], [nobody], [np.zeros(0)]
    for alternatives in laid:
        which = alternatives.choices.which
        deal.append(np.repeat(alternatives.choices.deal, alternatives.columns.shape[1]))
        column.append(alternatives.columns[which].ravel())
        value.append(compute_scores(alternatives, beta)[which].ravel())
    deals = np.concatenate(deal)
    shape = (int(deals.max(initial=-1)) + 1, len(beta))
    return sum_by_deal(deals, np.concatenate(column), np.concatenate(value), shape)


def correct_leverage(scores: Sums, deals: Ints) -> None:
    """Apply the CR3 leverage correction to each cluster, in place.

    `deals` (parameters,) is the number of deals that depend on each parameter.
    """
    lengths = np.diff(scores.indptr)
    starts = scores.indptr[:-1][lengths > 0]
    fewest = np.maximum(np.minimum.reduceat(deals[scores.indices], starts), 2)
    scores.data *= np.repeat(np.sqrt(fewest / (fewest - 1)), lengths[lengths > 0])
