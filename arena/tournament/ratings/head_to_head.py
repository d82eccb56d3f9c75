"""Head to head: who beat whom, which groups are connected, cycles, and the Nash average.

Head-to-head results are counted for tables of any size: each two seats of a match have met, unless
they are partners.
Entrants that results do not connect cannot be compared, and no ranking can show a cycle of
entrants that beat each other.

Nash averaging is strength against the best mixture, independent of the rest of the field. Two
players each choose an entrant to play for them. In the equilibrium of this game both choose
at random, with weights against which no choice does better; of several equilibria the one with
the most entropy is taken, which is unique. Entrants beaten by mixtures of others have weight 0,
and copies share their weight, so that neither filling the field with weak entrants nor entering
twice changes the result of others. (Balduzzi, Tuyls, Perolat and Graepel, 'Re-evaluating
evaluation', 2018, arXiv:1806.02643.) With several equilibria, entropy over entrants would favour
those with copies. So entrants with equal payoffs throughout count as one.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import logsumexp, ndtr, softmax

from arena.rules import UserError
from arena.tournament.models import Id
from arena.tournament.rating_input import Floats, Ints, Results
from arena.tournament.ratings.means import number_deals, sum_by_deal

SLACK = 1e-9
"""The tolerance for zero, relative to the largest payoff."""

Bools = NDArray[np.bool_]


@frozen(eq=False)
class HeadToHead:
    """The results of each pair of entrants by their places; row against column."""

    entrants: tuple[Id, ...]
    ahead: Ints  # (n, n) matches that row finished ahead of column
    level: Ints  # (n, n) that they shared a place
    behind: Ints  # (n, n) that row finished behind column
    lead: Floats  # (n, n) the test statistic of row's lead: standard normal between equals
    meetings: PairMeetings

    @cached_property
    def matches(self) -> Ints:
        """The number of matches that each pair played together; (n, n)."""
        return self.ahead + self.level + self.behind

    @cached_property
    def rate(self) -> Floats:
        """Return the share that row won, counting shared places half; nan if they never met."""
        met = self.matches
        won = np.where(met > 0, self.ahead + self.level / 2, np.nan)
        return won / np.maximum(met, 1)


def compute_head_to_head(results: Results) -> HeadToHead:
    """Count the matches of each pair of entrants.

    `lead` is the sum over deals of row's wins beyond an even share, divided by the root of the sum
    of their squares: positive if row won more, 0 if they never met, and bounded by the root of the
    number of deals. It tests the hypothesis of equality by clusters of deals, and is conservative
    with few deals (Efron, 'Student's t test under symmetry conditions', 1969).
    """
    n = len(results.entrants)
    met = list_meetings(results)
    pair = met.first * n + met.second
    counts = [np.bincount(pair[met.margin == margin], minlength=n * n) for margin in (1, 0, -1)]
    ahead, level, behind = (count.reshape(n, n) for count in counts)
    lead = compute_leads(met, n)
    return HeadToHead(
        results.entrants, ahead + behind.T, level + level.T, behind + ahead.T, lead - lead.T, met
    )


@frozen(eq=False)
class PairMeetings:
    """All meetings of two entrants at a table; all arrays are (meetings,)."""

    deal: Ints  # numbered without gaps
    first: Ints  # the entrant with the lower index
    second: Ints  # the entrant with the higher index
    margin: Ints  # 1 where the first finished ahead, 0 level, -1 behind


def list_meetings(results: Results) -> PairMeetings:
    """Return all meetings, of every two seats that are no partners."""
    deal, nobody = number_deals(results), np.zeros(0, np.int64)
    parts = [(nobody, nobody, nobody, nobody)]
    for seat, other in combinations(range(results.seats.shape[1]), 2):
        if results.are_partners(seat, other):
            continue
        first, second = results.seats[:, seat], results.seats[:, other]
        both = (first >= 0) & (second >= 0) & (first != second)
        margin = np.sign(results.places[:, other] - results.places[:, seat])
        margin = np.where(first < second, margin, -margin)
        lower, upper = np.minimum(first, second), np.maximum(first, second)
        parts.append((deal[both], lower[both], upper[both], margin[both]))
    return PairMeetings(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def compute_leads(met: PairMeetings, n: int) -> Floats:
    """Return the lead of the first over the second, for a lower and a higher index; (n, n)."""
    shape = (int(met.deal.max(initial=-1)) + 1, n * n)
    each = sum_by_deal(met.deal, met.first * n + met.second, met.margin.astype(np.float64), shape)
    total = np.bincount(each.indices, each.data, n * n)
    square = np.bincount(each.indices, each.data**2, n * n)
    lead: Floats = total / np.sqrt(np.where(square > 0, square, 1))
    return lead.reshape(n, n)


@frozen
class Connectivity:
    """The groups of entrants that results connect."""

    groups: tuple[tuple[Id, ...], ...]
    """Groups of entrants that met, directly or through others; the largest group first.

    With more than one, ratings can only be compared within a group. An entrant that met nobody is a
    group of its own.
    """


def find_connectivity(results: Results) -> Connectivity:
    """Return the groups of entrants that results connect, each in the order of `results`."""
    names = results.entrants
    return Connectivity(name_groups(names, find_groups(results)))


def find_groups(results: Results) -> Ints:
    """Return the number of each entrant's group; (n,)."""
    n = len(results.entrants)
    if not n:
        return np.zeros(0, np.int64)
    met = list_meetings(results)
    pairs = np.flatnonzero(np.bincount(met.first * n + met.second))
    return find_components(n, *divmod(pairs, n))


def find_components(n: int, first: Ints, second: Ints) -> Ints:
    """Return the number of each entrant's group, given the pairs that are connected; (n,).

    Each entrant takes the lowest number among its neighbours until nothing changes. (The function
    of scipy takes a fifth of a second to import, and every run and ranking needs this.)
    """
    lowest = np.arange(n)
    while True:
        before = lowest.copy()
        np.minimum.at(lowest, first, before[second])
        np.minimum.at(lowest, second, before[first])
        lowest = lowest[lowest]  # halves the number of steps along a chain
        if np.array_equal(lowest, before):
            return np.asarray(np.unique(lowest, return_inverse=True)[1], np.int64)


def name_groups(names: tuple[Id, ...], group: Ints) -> tuple[tuple[Id, ...], ...]:
    """Return the groups by their entrants' names, the largest first."""
    groups = [
        tuple(names[index] for index in np.flatnonzero(group == component).tolist())
        for component in range(int(group.max(initial=-1)) + 1)
    ]
    return tuple(sorted(groups, key=lambda members: (-len(members), names.index(members[0]))))


@frozen(eq=False)
class Dominance:
    """The pairs of entrants of which one beats the other."""

    entrants: tuple[Id, ...]
    beats: Bools  # (n, n) row beats column
    cycle: tuple[Id, ...]
    """A shortest cycle, in which each beats the next and the last beats the first, or ()."""


def find_dominance(duels: HeadToHead, confidence: float = 0.95) -> Dominance:
    """Find a shortest cycle of entrants that beat each other with at least this confidence.

    The confidence is that of a one-sided test of each pair alone, so among many pairs some pass by
    chance: a hundred entrants have 4,950 pairs, which call for 0.99999. With 0.5, any entrant that
    is ahead beats the other.
    """
    sure = np.asarray(ndtr(duels.lead))
    beats = (sure >= confidence) & (duels.lead > 0)
    cycle = tuple(duels.entrants[index] for index in find_shortest_cycle(beats))
    return Dominance(duels.entrants, beats, cycle)


def find_shortest_cycle(beats: Bools) -> list[int]:
    """Return a shortest cycle of this relation, as indices, or an empty tuple."""
    if not has_cycle(beats):
        return []
    from scipy.sparse.csgraph import shortest_path  # slow to import, and seldom needed

    length, before = shortest_path(csr_array(beats), unweighted=True, return_predecessors=True)
    round_trip = np.where(beats, length.T + 1, np.inf)
    first, second = divmod(int(round_trip.argmin()), len(beats))
    if not np.isfinite(round_trip[first, second]):
        return []
    return [first, *trace_path(before.astype(np.int64), second, first)]


def has_cycle(beats: Bools) -> bool:
    """Return whether this relation has a cycle: whether some are left as losers leave in turn."""
    left = np.ones(len(beats), bool)
    while left.any():
        winners = left & (beats & left).any(axis=1)
        if np.array_equal(winners, left):
            return True
        left = winners
    return False


def trace_path(before: Ints, start: int, end: int) -> list[int]:
    """Return the path from start up to, but without, end, along the predecessors in `before`."""
    way: list[int] = []
    here = end
    while here != start:
        here = int(before[start, here])
        way.append(here)
    return way[::-1]


@frozen(eq=False)
class NashAverage:
    """The equilibrium, and the payoff of each entrant against it."""

    entrants: tuple[Id, ...]
    weight: Floats  # (n,) the weight of each in the equilibrium; they sum to 1
    skill: Floats  # (n,) the mean payoff against it: 0 for those with a weight, others below


def compute_nash_from_duels(duels: HeadToHead) -> NashAverage:
    """Return the equilibrium of the entrants that have met an opponent, from their margins."""
    met = np.flatnonzero(duels.matches.any(axis=1))
    entrants = tuple(duels.entrants[index] for index in met.tolist())
    return compute_nash_average(entrants, compute_margins(duels)[np.ix_(met, met)])


def compute_margins(duels: HeadToHead) -> Floats:
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
    found = linprog(
        -np.repeat([1.0, 0.0], n),
        A_ub=np.hstack([payoff, payoff]),
        b_ub=np.zeros(n),
        bounds=[(0, 1)] * n + [(0, None)] * n,
        method="highs",
    )
    capped, beyond = np.split(np.asarray(found.x), 2)
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
    found = minimize(
        dual,
        np.zeros(len(payoff)),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000, "maxfun": 20000},
    )
    return np.asarray(softmax(-found.x @ payoff))
