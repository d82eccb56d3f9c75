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

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
from attrs import frozen
from scipy.sparse import csr_array
from scipy.special import logsumexp, ndtr, softmax

from arena.rules import UserError
from arena.tournament.entries import Id
from arena.tournament.ratings.means import number_deals, sum_by_deal
from arena.tournament.ratings.rating_input import Floats, Ints, Results

SLACK = 1e-9
"""The tolerance for zero, relative to the largest payoff."""


@frozen(eq=False)
class HeadToHead:
    """The results of each pair of entrants that met, by their places.

    Of many thousands of entrants most have never met, so that these are columns and no matrix.
    """

    entrants: tuple[Id, ...]
    first: Ints  # (pairs,) the entrant with the lower index, in order
    second: Ints  # (pairs,) the one with the higher index, in order of those with the same first
    ahead: Ints  # (pairs,) matches that the first finished ahead of the second
    level: Ints  # (pairs,) that they shared a place
    behind: Ints  # (pairs,) that the first finished behind the second
    lead: Floats  # (pairs,) the test statistic of the first's lead: standard normal between equals
    meetings: PairMeetings

    @property
    def matches(self) -> Ints:
        """The number of matches that each pair played together; (pairs,)."""
        return self.ahead + self.level + self.behind

    def count_meetings(self) -> Ints:
        """Return the number of meetings of each entrant; (n,)."""
        return np.bincount(
            np.concatenate([self.first, self.second]), np.tile(self.matches, 2), len(self.entrants)
        ).astype(np.int64)

    def tabulate(
        self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None
    ) -> PairTable:
        """Return the results of some entrants, by index, against others; of all by default."""
        everybody = range(len(self.entrants))
        return PairTable.of(
            self,
            everybody if rows is None else rows,
            everybody if columns is None else columns,
        )


@frozen(eq=False)
class PairTable:
    """The results of some entrants against others; all arrays are (rows, columns)."""

    ahead: Ints  # matches that row finished ahead of column
    level: Ints  # that they shared a place
    behind: Ints  # that row finished behind column
    lead: Floats  # of row over column

    @classmethod
    def of(cls, duels: HeadToHead, rows: Sequence[int], columns: Sequence[int]) -> PairTable:
        """Return the table of these entrants."""
        counts = np.zeros((3, len(rows), len(columns)), np.int64)
        lead = np.zeros(counts.shape[1:])
        row, column = (_locate(some, len(duels.entrants)) for some in (rows, columns))
        sides = (
            (duels.first, duels.second, (duels.ahead, duels.level, duels.behind), duels.lead),
            (duels.second, duels.first, (duels.behind, duels.level, duels.ahead), -duels.lead),
        )
        for entrant, other, columns_of, leads in sides:
            is_cell = (row[entrant] >= 0) & (column[other] >= 0)
            cells = row[entrant[is_cell]], column[other[is_cell]]
            for table, column_of in zip(counts, columns_of, strict=True):
                table[cells] = column_of[is_cell]
            lead[cells] = leads[is_cell]
        ahead, level, behind = counts
        return cls(ahead, level, behind, lead)

    @cached_property
    def matches(self) -> Ints:
        """The number of matches that each pair played together."""
        return self.ahead + self.level + self.behind

    @cached_property
    def rate(self) -> Floats:
        """The share that row won, counting shared places half; nan if they never met."""
        matches = self.matches
        points = np.where(matches > 0, self.ahead + self.level / 2, np.nan)
        return points / np.maximum(matches, 1)


def _locate(some: Sequence[int], n: int) -> Ints:
    """Return the position of each of n entrants among some, or -1; (n,)."""
    position = np.full(n, -1)
    position[np.asarray(some, np.int64)] = np.arange(len(some))
    return position


def compute_head_to_head(results: Results) -> HeadToHead:
    """Count the matches of each pair of entrants that met.

    `lead` is the sum over deals of the first's wins beyond an even share, divided by the root of
    the sum of their squares: positive if it won more, 0 if both won as much, and bounded by the
    root of the number of deals. It tests the hypothesis of equality by clusters of deals, and is
    conservative with few deals (Efron, 'Student's t test under symmetry conditions', 1969).
    """
    meetings = list_meetings(results)
    first, second, pair = number_pairs(meetings, len(results.entrants))
    ahead, level, behind = (
        np.bincount(pair[meetings.margin == margin], minlength=len(first)) for margin in (1, 0, -1)
    )
    lead = compute_leads(meetings.deal, pair, meetings.margin, len(first))
    return HeadToHead(
        entrants=results.entrants,
        first=first,
        second=second,
        ahead=ahead,
        level=level,
        behind=behind,
        lead=lead,
        meetings=meetings,
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


def number_pairs(meetings: PairMeetings, n: int) -> tuple[Ints, Ints, Ints]:
    """Return both entrants of each pair that met, in order, and the pair of each meeting."""
    pairs, pair = np.unique(meetings.first * n + meetings.second, return_inverse=True)
    return *divmod(pairs, max(n, 1)), pair


def compute_leads(deal: Ints, pair: Ints, margin: Ints, pairs: int) -> Floats:
    """Return the lead of the first of each pair, from all meetings; (pairs,)."""
    shape = (int(deal.max(initial=-1)) + 1, pairs)
    each = sum_by_deal(deal, pair, margin.astype(np.float64), shape)
    total = np.bincount(each.indices, each.data, pairs)
    square = np.bincount(each.indices, each.data**2, pairs)
    lead: Floats = total / np.sqrt(np.where(square > 0, square, 1))
    return lead


def list_connected_groups(results: Results) -> tuple[tuple[Id, ...], ...]:
    """Return the groups of entrants that met, directly or through others, the largest first.

    With more than one, ratings can only be compared within a group. An entrant that met nobody is a
    group of its own. Each group is in the order of `results`.
    """
    return name_groups(results.entrants, find_groups(results))


def find_groups(results: Results) -> Ints:
    """Return the number of each entrant's group; (n,)."""
    n = len(results.entrants)
    if not n:
        return np.zeros(0, np.int64)
    meetings = list_meetings(results)
    return find_components(n, meetings.first, meetings.second)


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


def find_beating_cycle(duels: HeadToHead, confidence: float = 0.95) -> tuple[Id, ...]:
    """Find a shortest cycle of entrants, in which each beats the next and the last the first.

    An entrant beats another with at least this confidence, which is that of a one-sided test of
    each pair alone, so among many pairs some pass by chance: a hundred entrants have 4,950 pairs,
    which call for 0.99999. With 0.5, any entrant that is ahead beats the other. Returns () if there
    is no cycle.
    """
    beats = (ndtr(np.abs(duels.lead)) >= confidence) & (duels.lead != 0)
    first, second, ahead = duels.first[beats], duels.second[beats], duels.lead[beats] > 0
    winner, loser = np.where(ahead, first, second), np.where(ahead, second, first)
    cycle = find_shortest_cycle(len(duels.entrants), winner, loser)
    return tuple(duels.entrants[index] for index in cycle)


MAX_COMPARED_CYCLES = 1000  # entrants behind whom there are cycles; of more, any cycle is returned


def find_shortest_cycle(n: int, winner: Ints, loser: Ints) -> list[int]:
    """Return a shortest cycle of this relation, as indices, or an empty list."""
    members = find_cycle_members(n, winner, loser)
    if not len(members):
        return []
    position = _locate(members.tolist(), n)
    inside = (position[winner] >= 0) & (position[loser] >= 0)
    edges = position[winner[inside]], position[loser[inside]]
    if len(members) > MAX_COMPARED_CYCLES:
        return [int(index) for index in members[walk_to_cycle(*edges)]]
    from scipy.sparse.csgraph import shortest_path  # slow to import, and seldom needed

    beats = np.zeros((len(members), len(members)), bool)
    beats[edges] = True
    length, before = shortest_path(csr_array(beats), unweighted=True, return_predecessors=True)
    round_trip = np.where(beats, length.T + 1, np.inf)
    first, second = divmod(int(round_trip.argmin()), len(beats))
    cycle = [first, *trace_path(before.astype(np.int64), second, first)]
    return [int(index) for index in members[cycle]]


def find_cycle_members(n: int, winner: Ints, loser: Ints) -> Ints:
    """Return the entrants that are left as those who beat nobody leave in turn.

    Nobody is left unless there is a cycle: each who is left beats another one who is.
    """
    order = np.argsort(loser, kind="stable")
    winner, start = winner[order], np.searchsorted(loser[order], np.arange(n + 1))
    victims = np.bincount(winner, minlength=n)  # the number of those left whom each beats
    queue = np.flatnonzero(victims == 0).tolist()
    is_member = np.ones(n, bool)
    while queue:
        entrant = queue.pop()
        is_member[entrant] = False
        winners = winner[start[entrant] : start[entrant + 1]]
        victims[winners] -= 1
        queue += winners[victims[winners] == 0].tolist()
    return np.flatnonzero(is_member)


def walk_to_cycle(winner: Ints, loser: Ints) -> list[int]:
    """Return the cycle to which a walk from winners to losers leads, where each beats another."""
    losers = dict(zip(winner.tolist(), loser.tolist(), strict=True))
    walk = [int(winner[0])]
    while losers[walk[-1]] not in walk:
        walk.append(losers[walk[-1]])
    return walk[walk.index(losers[walk[-1]]) :]


def trace_path(before: Ints, start: int, end: int) -> list[int]:
    """Return the path from start up to, but without, end, along the predecessors in `before`."""
    way: list[int] = []
    position = end
    while position != start:
        position = int(before[start, position])
        way.append(position)
    return way[::-1]


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
