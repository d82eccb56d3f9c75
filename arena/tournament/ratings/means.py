"""Mean scores and mean places of all entrants, and what counts as luck.

Matches of one deal share its luck, which cancels out (everybody has each seat in turn) or adds up
(an entrant with good cards wins all of them). So values are summed over each deal, and only deals
count as independent.

The schedule decides which opponents an entrant meets, so this is not luck. An interval is about the
results of the same schedule with other cards, and the effects of the opponents are removed before
the spread is measured, as between the strata of a sample (Cochran, 'Sampling techniques', 1977,
chapter 5): first the effect of each opponent on all (least squares), then the remaining common part
of the deals of each group of entrants, such as rock's gain over scissors. Both are shrunk (Hoerl
and Kennard, 'Ridge regression', 1970), as if effects varied as much as a deal's luck, so that a
group with a single deal counts, too; the spread of the rest is scaled up to make up for this.

An entrant that won every deal, or tied every one, has no spread, but may lose the next. So each
mean gets PRIOR_DEALS more deals, as in the method of Agresti and Coull ('Approximate is better than
exact', 1998) for shares. The scale of a game's points is not known beforehand, so it is measured:
the additional deals are as far away as the entrant's own deals are from each other, its *swing*.
They lie towards the mean of everybody, by half a swing at most.

If all deals of an entrant have the same result, the swing is that of others, and the interval
reaches as far as deals may be other than these: their share is up to the exact bound for none in n
(Clopper and Pearson, 'The use of confidence or fiducial limits', 1934).
"""

from __future__ import annotations

from typing import Self

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from arena.tournament.entries import Id
from arena.tournament.ratings.estimate import Estimate
from arena.tournament.ratings.intervals import PRIOR_DEALS, compute_reach
from arena.tournament.ratings.linear_systems import MAX_DENSE, solve_stepwise
from arena.tournament.ratings.rating_input import Floats, Ints, Results

Sums = csr_array[np.float64, tuple[int, int]]
"""(deals, columns): an entry is stored, even if 0, where a deal contributes to a column."""

TRACE_PROBES = 3  # of an estimated trace
ROUNDING = 1e-9  # of sums of values that are equal, relative to the largest value


@frozen(eq=False)
class EntrantMeans:
    """A mean for each entrant over its matches; nan for entrants without matches."""

    entrants: tuple[Id, ...]  #: in the order of the rows
    level: float  #: of the intervals
    mean: Floats  #: (n,)
    #: (n,) the interval's lower end; -inf with fewer than two deals, or if no two differ
    low: Floats
    high: Floats  #: (n,) its upper end; inf likewise
    matches: Ints  #: (n,) that each was in
    deals: Ints  #: (n,) that each was in


def compute_mean_scores(
    results: Results, level: float = 0.95, opponents: Opponents | None = None
) -> EntrantMeans:
    """Return the mean score of each entrant, in the game's points, given its opponents."""
    return compute_means(results, results.scores, level, opponents)


def compute_mean_places(
    results: Results, level: float = 0.95, opponents: Opponents | None = None
) -> EntrantMeans:
    """Return the mean place of each entrant; two that share places 1 and 2 both count as 1."""
    means = compute_means(results, results.places.astype(np.float64), level, opponents)
    last = len(results.teams or ()) or results.places.shape[1]
    return evolve(means, low=np.maximum(means.low, 1), high=np.minimum(means.high, last))


def compute_means(
    results: Results, value: Floats, level: float, opponents: Opponents | None = None
) -> EntrantMeans:
    """Return the means of values (matches, table) for each entrant, with intervals by deal.

    The mean is the ratio of two sums over deals, of values and of matches (Cochran, chapter 6); its
    variance is that of what the opponents do not explain, its interval Student's, both with
    PRIOR_DEALS more. What follows from the opponents alone is taken from `opponents`, if given.
    Raises UserError for a level that is not a probability.
    """
    opponents = opponents or Opponents.of(results)
    sums = ValueSums.of(results, value, opponents)
    sample = sums.remove_opponents(opponents)
    low, high = sample.compute_ends(level)
    return EntrantMeans(
        entrants=results.entrants,
        level=level,
        mean=sums.mean,
        low=low,
        high=high,
        matches=sums.matches,
        deals=sample.deals,
    )


@frozen(eq=False)
class ValueSums:
    """The values of n entrants, summed over the seats of each deal.

    The values are forgotten before these sums are worked on: of both there may be millions.
    """

    mean: Floats  # (n,) nan for entrants without matches
    common_mean: float  # of all values
    matches: Ints  # (n,)
    deviations: Sums  # (deals, n) of the values from the mean of their entrant
    is_uniform: NDArray[np.bool_]  # (n,) whether all deals have the same result
    other_swings: Floats  # (n,) of such an entrant: how far the deals of others are from its own

    @classmethod
    def of(cls, results: Results, value: Floats, opponents: Opponents) -> Self:
        """Sum values (matches, table) over the deals of each entrant."""
        n, shape = len(results.entrants), opponents.matches.shape
        deal, entrant, values = *flatten_seats(results), value[results.seats >= 0]
        matches = np.bincount(entrant, minlength=n)
        mean = np.bincount(entrant, values, n) / np.where(matches > 0, matches, np.nan)
        deviations = sum_by_deal(deal, entrant, values - mean[entrant], shape)
        tolerance = ROUNDING * float(np.abs(values).max(initial=1))
        is_spread = np.abs(deviations.data) > tolerance
        is_uniform = np.bincount(deviations.indices, is_spread, n) == 0
        other_swings = np.zeros(n)
        if is_uniform[matches > 0].any():
            totals = sum_by_deal(deal, entrant, values, shape)
            own = np.where(is_uniform, mean, np.nan)
            other_swings = measure_distances(totals, opponents.matches, own, tolerance)
        common_mean = float(values.sum()) / max(len(values), 1)
        return cls(
            mean=mean,
            common_mean=common_mean,
            matches=matches,
            deviations=deviations,
            is_uniform=is_uniform,
            other_swings=other_swings,
        )

    def remove_opponents(self, opponents: Opponents) -> DealSample:
        """Return the deals without what their opponents explain; the deviations change in place."""
        deviations, deals = self.deviations, count_deals(self.deviations)
        opponents.subtract_effects(deviations)
        freedom = subtract_group_means(deviations, opponents.group)
        swing = np.where(self.is_uniform, self.other_swings, measure_swings(deviations))
        size = np.maximum(self.matches, 1) / np.maximum(deals, 1)
        squares = np.bincount(deviations.indices, deviations.data**2, len(self.mean)) / size**2
        return DealSample(
            mean=self.mean,
            common_mean=np.full(len(self.mean), self.common_mean),
            deals=deals,
            squares=squares,
            freedom=freedom,
            swing=swing / size,
            is_uniform=self.is_uniform,
        )


@frozen(eq=False)
class DealSample:
    """The deals of n means, and where PRIOR_DEALS more are; all are (n,)."""

    mean: Floats
    common_mean: Floats  # towards which the additional deals lie, by half a swing at most
    deals: Ints
    squares: Floats  # the sum of squared deviations of the deals
    freedom: Floats  # the degrees of freedom of that sum
    swing: Floats  # how far deals are from each other; 0 if nothing tells
    is_uniform: NDArray[np.bool_]  # whether all deals have the same result

    def compute_ends(self, level: float) -> tuple[Floats, Floats]:
        """Return the ends of the intervals, by Student's t.

        They are infinite with fewer than two deals, or without a swing.
        """
        total, swing = self.deals + PRIOR_DEALS, self.swing
        pull = np.clip(self.common_mean - self.mean, -swing / 2, swing / 2)
        centre = self.mean + pull * PRIOR_DEALS / total
        mask = (self.deals > 1) & (swing > 0)
        reach = compute_reach(np.where(mask, self.freedom + PRIOR_DEALS, 0), level)
        reach[mask] *= (np.sqrt(self.squares + PRIOR_DEALS * swing**2 / 2) / total)[mask]
        other_share = 1 - ((1 - level) / 2) ** (1 / np.maximum(self.deals, 1))  # of unlike deals
        uniform_reach = other_share * swing - np.abs(centre - self.mean)
        reach = np.where(self.is_uniform & mask, uniform_reach, reach)
        return centre - reach, centre + reach


def measure_swings(deviations: Sums) -> Floats:
    """Return the swing of each entrant: how far its deals are from each other; (n,).

    It is the root of the mean square of the difference of two deals, weighted by itself: so it is
    the size of rare swings, however rare they are.
    """
    n, deals = deviations.shape[1], np.maximum(count_deals(deviations), 1)
    squares, fourths = (
        np.bincount(deviations.indices, deviations.data**power, n) for power in (2, 4)
    )
    weighted = fourths / np.where(squares > 0, squares, 1)
    return np.asarray(np.sqrt(weighted + 3 * squares / deals))


def measure_distances(values: Sums, matches: Sums, mean: Floats, tolerance: float) -> Floats:
    """Return the swing of deals that differ from each mean: their distance from it; (n,).

    It is 0 for a mean that is nan. Both sums are over each deal; `tolerance` is the largest
    difference of equals.
    """
    sizes = np.zeros(len(mean))
    for value in np.unique(mean[np.isfinite(mean)]).tolist():  # most have one in common
        distances = values.data - value * matches.data
        distances = distances[np.abs(distances) > tolerance]
        sizes[mean == value] = np.sqrt((distances**2).mean()) if len(distances) else 0
    return sizes


def flatten_seats(results: Results) -> tuple[Ints, Ints]:
    """Return the deal and the entrant of each seat that is not empty; (seats,)."""
    mask = results.seats >= 0
    deals = np.broadcast_to(number_deals(results)[:, None], mask.shape)
    return deals[mask], results.seats[mask]


@frozen(eq=False)
class Opponents:
    """The meetings of entrants, which the means of all values of some results have in common."""

    matches: Sums  # (deals, n) of each entrant in each deal
    group: Ints  # (deals,) the same for deals of the same entrants
    meetings: Sums  # (n, n) the matches of the row's entrant in deals with the column's
    normal: Sums  # (n, n) the matrix of the normal equations of the effects, with the ridge
    ridge: float

    @classmethod
    def of(cls, results: Results) -> Opponents:
        """Count how often each two entrants sat at one table."""
        deal, entrant = flatten_seats(results)
        shape = (int(deal.max(initial=-1)) + 1, len(results.entrants))
        matches = sum_by_deal(deal, entrant, np.ones(len(deal)), shape)
        presence, in_deal = mark_presence(matches), np.asarray(matches.sum(axis=1), np.float64)
        together = matches.T @ presence
        meetings = csr_array(together - diags_array(together.diagonal()))
        ridge = float(matches.data.mean()) if len(matches.data) else 1.0
        normal = presence.T @ csr_array(presence.multiply(in_deal[:, None])) - meetings - meetings.T
        diagonal = presence.T @ in_deal - matches.sum(axis=0) + ridge
        normal += diags_array(np.asarray(diagonal - normal.diagonal()))
        return cls(matches, number_groups(matches), meetings, csr_array(normal), ridge)

    def subtract_effects(self, deviations: Sums) -> None:
        """Subtract the effects of opponents from the sums of each deal, in place.

        The value of an entrant in a match is its own effect and those of its opponents.
        `deviations` (deals, n) stores the same entries as `matches`, which sum to 0 for each
        entrant.
        """
        presence, own = mark_presence(deviations), np.asarray(self.matches.sum(axis=0), np.float64)
        values = presence.T @ np.asarray(deviations.sum(axis=1))
        values -= np.asarray(deviations.sum(axis=0))
        each = np.maximum(own, 1)
        opposing, trace = solve_for_opponents(self.normal, self.meetings, each, values)
        of_own: Floats = -np.asarray(self.meetings @ opposing) / each
        column = deviations.indices
        row = np.repeat(np.arange(len(self.group)), np.diff(deviations.indptr))
        of_table: Floats = np.asarray(presence @ opposing)
        effect = (of_own - opposing)[column] + of_table[row]
        freedom = len(column) - np.count_nonzero(own)
        cost = deviations.shape[1] - self.ridge * trace
        deviations.data -= self.matches.data * effect
        deviations.data *= np.sqrt(freedom / max(freedom - cost, 1))


def mark_presence(sums: Sums) -> Sums:
    """Return 1 where a deal contributes to a column."""
    presence = csr_array(sums, copy=True)
    presence.data[:] = 1
    return presence


def solve_for_opponents(
    normal: Sums, meetings: Sums, own: Floats, values: Floats
) -> tuple[Floats, float]:
    """Return the effect of each as an opponent, and the trace of what solves for them; (n,).

    Own effects follow from those as an opponent, so that these alone have to be solved for. With
    many entrants the trace is estimated (Hutchinson, 'A stochastic estimator of the trace of the
    influence matrix', 1989): it says how many degrees of freedom of millions were taken.
    """
    n = len(own)
    if n <= MAX_DENSE:
        dense_meetings = meetings.toarray()
        whole = normal.toarray() - dense_meetings.T @ (dense_meetings / own[:, None])
        inverse = np.linalg.inv(whole + 1e-9 * np.eye(n))
        return inverse @ values, float(np.trace(inverse))

    def multiply(vector: Floats) -> Floats:
        through = meetings.T @ (np.asarray(meetings @ vector) / own[:, None])
        return np.asarray(normal @ vector - through + 1e-9 * vector)

    signs = np.random.default_rng(0).choice([-1.0, 1.0], (n, TRACE_PROBES))
    solution = solve_stepwise(multiply, normal.diagonal(), np.column_stack([values, signs]))
    return solution[:, 0], float((signs * solution[:, 1:]).sum() / TRACE_PROBES)


def number_groups(sums: Sums) -> Ints:
    """Return a number for each deal that is the same for deals of the same entrants; (deals,)."""
    presence = mark_presence(sums)
    weights = np.random.default_rng(0).random(sums.shape[1])  # the sum tells one group from another
    return np.unique(np.asarray(presence @ weights), return_inverse=True)[1]


def subtract_group_means(deviations: Sums, group: Ints) -> Floats:
    """Subtract what the deals of a group have in common, in place, and scale up what is left.

    Returns the degrees of freedom of each column's sum of squares (Satterthwaite, 'An approximate
    distribution of estimates of variance components', 1946): for k deals k - 1, if each is in a
    group of its own, or if all are in one.

    The mean that is subtracted from m deals is their sum over m + 1; with R the matrix that does
    so, and C the one that subtracted the mean of all, they are the traces of RCR and its square.
    """
    if not deviations.nnz:
        return np.zeros(deviations.shape[1])
    sizes = np.bincount(group)
    in_group = np.repeat(group, np.diff(deviations.indptr))
    column, n = deviations.indices, deviations.shape[1]
    cell = np.unique(in_group * n + column, return_inverse=True)[1]
    group_size = sizes[in_group]
    deviations.data -= np.bincount(cell, deviations.data)[cell] / (group_size + 1)
    deals = np.bincount(column, minlength=n)
    squares, fourths = (np.bincount(column, (group_size + 1.0) ** -power, n) for power in (2, 4))
    groups = np.bincount(column, 1 / group_size, n)
    share = 1 / np.maximum(deals, 1)
    trace = (
        deals
        - groups
        + np.bincount(column, (group_size + 1.0) ** -2 / group_size, n)
        - share * squares
    )
    square_trace = deals - groups + np.bincount(column, (group_size + 1.0) ** -4 / group_size, n)
    mean_part = (share * squares) ** 2 - 2 * share * fourths
    mask = deals > 1
    deviations.data *= np.sqrt(np.where(mask, deals / np.where(mask, trace, 1), 1))[column]
    return np.where(mask, trace**2 / np.where(mask, square_trace + mean_part, 1), 0)


def number_deals(results: Results) -> Ints:
    """Return each match's deal, numbered from 0 without gaps; (matches,)."""
    step = np.diff(results.deal, prepend=results.deal[:1])
    if (step >= 0).all():  # as they are read from a store: a tenth of the time of sorting
        return np.cumsum(step > 0)
    return np.unique(results.deal, return_inverse=True)[1]


def sum_by_deal(deal: Ints, column: Ints, value: Floats, shape: tuple[int, int]) -> Sums:
    """Sum values over each deal and column; the three have one length."""
    sums = csr_array((value.astype(np.float64), (deal, column)), shape=shape)
    sums.sum_duplicates()
    return sums


def count_deals(sums: Sums) -> Ints:
    """Return the number of deals that contribute to each column; (columns,)."""
    return np.bincount(sums.indices, minlength=sums.shape[1])


def estimate_difference(first: Floats, second: Floats, level: float = 0.95) -> Estimate:
    """Estimate the mean difference of two values of the same deals.

    The interval is that of means, by deals. Where all differences are alike, the swing is that of
    each value from deal to deal: as far apart the two may be in the next deal. So the interval is
    infinite only with fewer than two deals, or if no two results differ. Without any deal the mean
    is nan.
    """
    deals = len(first)
    if not deals:
        return Estimate(float("nan"), float("-inf"), float("inf"))
    difference = first - second
    mean = difference.mean(keepdims=True)
    tolerance = ROUNDING * max(1.0, float(np.abs([first, second]).max()))
    is_uniform = bool((np.abs(difference - mean) <= tolerance).all())
    deviation = first - first.mean() if is_uniform else difference - mean
    deviation = np.where(np.abs(deviation) > tolerance, deviation, 0)
    column = np.zeros(deals, np.int64)
    swing = measure_swings(sum_by_deal(np.arange(deals), column, deviation, (deals, 1)))
    squares = ((difference - mean) ** 2).sum(keepdims=True)
    count = np.array([deals])
    sample = DealSample(
        mean=mean,
        common_mean=np.zeros(1),
        deals=count,
        squares=squares,
        freedom=count - 1.0,
        swing=swing,
        is_uniform=np.array([is_uniform]),
    )
    low, high = sample.compute_ends(level)
    return Estimate.at(mean, low, high, 0)
