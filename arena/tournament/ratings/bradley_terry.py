r"""Bradley and Terry's ratings: one Elo scale for every game, table and number of ties.

**Scale.** A rating says how often one entrant finishes ahead of another, with a shared place as
half a win: the expected share of i against j is 1/(1 + 10^{(r_j - r_i)/400}), as in chess. So 100
points are 64 % of the points in each game, a duel and a tournament of the same pair give the same
difference, and a pair that always ties is 0 apart. The alternative, Davidson's (1970) model, rates
by decided matches alone: there, the share that 100 points are worth depends on the game's ties, and
two bots that win 65 of 100 matches and tie the rest are infinitely far apart, since nothing tells
how often the weaker wins.

**Model.** Each two seats of a match have met; without ties the model is that of Bradley and Terry
(1952), to which Plackett's (1975) and Luce's (1959) reduces for each pair of a larger table. With
expected shares p_ij and shares w_ij in m_ij meetings, the strengths solve, for each i,

    \sum_j (w_ij - m_ij p_ij) = 0,

a composite likelihood of pairs (Varin, Reid and Firth, 'An overview of composite likelihood
methods', 2011). It is right whenever the expected shares are, whatever else depends on what. If the
model of Plackett and Luce were exact, it would use 94 % of the information of a table of four
equals.

**Teams.** Where partners are drawn, each two teams of a match have met, and the strength of a team
is the mean of its members': so the rating of an entrant is that of a team of its kind, on the scale
of a tournament in which it plays all seats of its team. A team with an empty seat has met nobody.

**Fit.** The logarithm of the likelihood is penalised by RIDGE/2 \sum \beta^2: as if each strength
had been drawn from a normal distribution with a standard deviation of ten (1737 Elo points). So an
entrant that won every match gets a finite rating, with a wide interval, and the strengths of each
connected group have mean 0. For an entrant with wins and losses, ten matches have hundreds of
times the weight of the penalty. The maximum is found by Newton's method.

**Errors.** They allow any dependence between the matches of a deal. The covariance is the sandwich
of Huber (1967) and White (1982), clustered by deal (Liang and Zeger, 1986): the inverse information
on both sides of the scores' own spread from deal to deal. It stays valid if the model's own
variance is wrong, either because the matches of a deal share its luck, or because of ties, or the
meetings of one table, or because the model does not fit. The common part of all deals of a group of
entrants is not luck (see `means.py`, which also makes up for what the fit takes from the residuals
of few deals).

A sandwich takes the schedule as given. What luck had to do with it is one more error
(`schedule_luck.py`).

Two more corrections make it usable with few deals:

- The spread is shrunk towards the model's own, as if each entrant had played PRIOR_DEALS more. So
  the interval of a pair that always ties is not a point.
- The penalty counts as PENALTY additional deals, each with the corresponding spread. The results of
  an entrant that won every match have no spread. PENALTY is chosen so that if one of two entrants
  won every deal, of up to a thousand, the near end of the interval is about that of the exact one
  (Clopper and Pearson, 1934).

`benchmarks/coverage.py` and `coverage_grid.py` show how often these intervals contain the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np
from attrs import evolve, frozen
from scipy.sparse import csr_array, vstack
from scipy.special import expit, log_expit
from threadpoolctl import ThreadpoolController

from arena.tournament.ratings.intervals import compute_reach
from arena.tournament.ratings.linear_systems import MAX_DENSE, solve_stepwise
from arena.tournament.ratings.means import (
    Sums,
    count_deals,
    number_deals,
    number_groups,
    subtract_group_means,
    sum_by_deal,
)
from arena.tournament.ratings.meeting_graph import (
    PairMeetings,
    find_groups,
    list_meetings,
    number_pairs,
)
from arena.tournament.ratings.rating_input import Floats, Ints, Results
from arena.tournament.ratings.ratings import ELO, Covariance, DenseCovariance, Ratings
from arena.tournament.ratings.schedule_luck import measure_schedule_luck

RIDGE = 0.01
PENALTY = 2.5
PRIOR_DEALS = 1
MAX_STEPS = 200
STEP_TOLERANCE = 1e-6  # the remaining error is about its square
PROBES = 64  # drawn errors from which variances of many entrants are estimated


@frozen
class BradleyTerry:
    """Bradley and Terry's (1952) model of who finishes ahead, with ties as half wins."""

    name: ClassVar = "bradley-terry"
    summary: ClassVar = "strengths from who finishes ahead of whom; ties are half wins"
    needs_opponents: ClassVar = True

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Rate all entrants; raise UserError for an impossible level."""
        with find_blas().limit(limits=1, user_api="blas"):
            return self._fit(results, level)

    def _fit(self, results: Results, level: float) -> Ratings:
        group, n = find_groups(results), len(results.entrants)
        if results.teams:
            teams = list_team_meetings(results)
            strengths = fit_strengths(teams.contests)
            scores = score_team_deals(teams, strengths.log)
        else:
            meetings = list_meetings(results)
            strengths = fit_strengths(count_wins(meetings, n))
            scores = score_deals(meetings, strengths.log)
        errors = Errors.of(scores, strengths, group)
        # formats that draw partners do not go by results
        luck = np.zeros(n) if results.teams else errors.measure_luck()
        build = compute_covariance if n <= MAX_DENSE else EstimatedCovariance.draw
        return build_ratings(results, level, strengths.log, errors, build(errors, luck))


@cache
def find_blas() -> ThreadpoolController:
    """Return the control of the threads of the libraries for linear algebra.

    On busy cores, several threads wait for each other much longer than they work.
    """
    return ThreadpoolController()


def build_ratings(
    results: Results, level: float, strength: Floats, errors: Errors, covariance: Covariance
) -> Ratings:
    """Return ratings from log strengths and their errors."""
    freedom, deals = errors.freedom, errors.deals
    rating = ELO * centre(strength, errors.group)
    reach = compute_reach(freedom, level)
    reach[deals > 1] *= np.sqrt(covariance.variance[deals > 1])
    return Ratings(
        entrants=results.entrants,
        level=level,
        rating=rating,
        low=rating - reach,
        high=rating + reach,
        covariance=covariance,
        freedom=freedom,
        group=errors.group,
        deals=deals,
    )


def centre(values: Floats, group: Ints) -> Floats:
    """Return values, or rows of them, less the mean of each group; (n, ...)."""
    size = np.bincount(group)
    cells = 1 / size[group], (group, np.arange(len(group)))
    mean = csr_array(cells, shape=(len(size), len(group)))
    return np.asarray(values - np.asarray(mean @ values)[group])


@frozen(eq=False)
class Contests:
    """What two sides, which are entrants or teams, have won against each other.

    Contests of the same sides may be counted together.
    """

    sides: Sums  # (contests, n) 1/k for each of k members of the first side, -1/k of the second
    won: Floats  # (contests,) by the first side, with shared places as halves
    lost: Floats  # (contests,) by it


def count_wins(meetings: PairMeetings, n: int) -> Contests:
    """Return a contest for each pair that met, with the wins of both."""
    first, second, pair = number_pairs(meetings, n)
    share = (1 + meetings.margin) / 2
    won, lost = (np.bincount(pair, part, len(first)) for part in (share, 1 - share))
    return Contests(build_sides(first, second, n), won.astype(float), lost.astype(float))


def build_sides(first: Ints, second: Ints, n: int) -> Sums:
    """Return the sides of contests of two entrants."""
    entrants = np.column_stack([first, second]).ravel()
    start = np.arange(0, len(entrants) + 1, 2)
    return csr_array((np.tile([1.0, -1.0], len(first)), entrants, start), shape=(len(first), n))


@frozen(eq=False)
class Strengths:
    """The maximum of the penalised likelihood."""

    log: Floats  # (n,)
    sides: Sums  # (contests, n) as `Contests` has them
    weight: Floats  # (contests,) of each in the information
    ridge: float

    @cached_property
    def information(self) -> Sums:
        """The information without the penalty; (n, n)."""
        return csr_array(self.sides.T @ csr_array(self.sides.multiply(self.weight[:, None])))

    def solve(self, right: Floats) -> Floats:
        """Solve for the penalised information, which the ridge makes regular; (n, ...)."""
        n = len(self.log)
        if n <= MAX_DENSE:
            penalised = self.information.toarray() + self.ridge * np.eye(n)
            return np.asarray(np.linalg.solve(penalised, right), np.float64)

        def multiply(at: Floats) -> Floats:
            each = self.weight[:, None] * (self.sides @ at)
            return np.asarray(self.sides.T @ each + self.ridge * at)

        diagonal = np.asarray(self.sides.multiply(self.sides).T @ self.weight) + self.ridge
        return solve_stepwise(multiply, diagonal, right.reshape(n, -1)).reshape(right.shape)


def fit_strengths(contests: Contests, ridge: float = RIDGE) -> Strengths:
    """Find the strengths of the largest penalised likelihood by Newton's method.

    The maximum is unique, as the likelihood is concave. `ridge` is the inverse of the variance from
    which each strength is drawn beforehand.
    """
    sides, won, lost = contests.sides, contests.won, contests.lost

    def evaluate(at: Floats) -> float:
        lead: Floats = np.asarray(sides @ at)
        likelihood = float(((won + lost) * log_expit(lead) - lost * lead).sum())
        return likelihood - float(ridge / 2 * at @ at)

    log = np.zeros(sides.shape[1])
    for _ in range(MAX_STEPS):
        expected = expit(np.asarray(sides @ log))
        slope = np.asarray(sides.T @ (won - (won + lost) * expected)) - ridge * log
        strengths = Strengths(log, sides, (won + lost) * expected * (1 - expected), ridge)
        step = strengths.solve(slope)
        log = log + shorten_step(evaluate, log, step)
        if np.abs(step).max(initial=0) < STEP_TOLERANCE:
            return evolve(strengths, log=log)
    raise AssertionError("no maximum was found")  # pragma: no cover  # never seen


def shorten_step(evaluate: Callable[[Floats], float], log: Floats, step: Floats) -> Floats:
    """Halve a step until it does not make the likelihood, which `evaluate` returns, smaller."""
    floor = evaluate(log)
    floor -= 1e-9 * (1 + abs(floor))  # for rounding
    while evaluate(log + step) < floor:
        step = step / 2
    return step


@frozen(eq=False)
class Errors:
    """What the errors of log strengths come from: the spread of scores from deal to deal."""

    strengths: Strengths
    scores: Sums  # (deals, n) each entrant's share beyond the expected one, shrunk
    prior: Floats  # (n,) with which the model's own spread is multiplied on both sides
    freedom: Floats  # (n,) the degrees of freedom of each variance
    deals: Ints  # (n,) of each entrant
    group: Ints  # (n,) of entrants that have met

    @classmethod
    def of(cls, scores: Sums, strengths: Strengths, group: Ints) -> Errors:
        """Return the errors; `scores`, the shares beyond the expected ones, are changed in place.

        The spread is shrunk towards the model's own, as if each entrant had played PRIOR_DEALS
        more.
        """
        deals = count_deals(scores)
        freedom = subtract_group_means(scores, number_groups(scores))
        each = np.sqrt(np.maximum(deals, 1))
        shrunk = each / np.sqrt(each**2 + PRIOR_DEALS)
        scores.data *= shrunk[scores.indices]
        return cls(strengths, scores, np.sqrt(PRIOR_DEALS) * shrunk / each, freedom, deals, group)

    def multiply_spread(self, at: Floats) -> Floats:
        """Return the product of the spread with a vector; (n,)."""
        own = self.prior * (self.strengths.information @ (self.prior * at))
        return np.asarray(self.scores.T @ (self.scores @ at) + own + PENALTY * RIDGE * at)

    def compute_own_spread(self) -> Floats:
        """Return the diagonal of the spread; (n,)."""
        n = len(self.prior)
        own = np.bincount(self.scores.indices, self.scores.data**2, n)
        return own + self.prior**2 * self.strengths.information.diagonal() + PENALTY * RIDGE

    def measure_luck(self) -> Floats:
        """Return the part of strengths that may be luck of opponents (`schedule_luck.py`); (n,)."""
        information = self.strengths.information
        model = information.diagonal()
        spread = self.compute_own_spread()[model > 0].sum()
        dispersion = spread / model.sum() if model.any() else 1.0
        log = centre(self.strengths.log, self.group)
        return measure_schedule_luck(csr_array(information / dispersion), log, self.group)


def compute_covariance(errors: Errors, luck: Floats) -> DenseCovariance:
    """Return the covariance of ratings: the inverse information on both sides of the spread.

    The luck of the schedule (n,) is one more error.
    """
    information, scores = errors.strengths.information.toarray(), errors.scores
    spread = (scores.T @ scores).toarray() + information * errors.prior[:, None] * errors.prior
    ridge = np.eye(len(information))
    spread += PENALTY * RIDGE * ridge
    # numpy's solvers only: numpy and scipy each have a BLAS with its own threads, and
    # alternating calls make these wait for each other much longer than they work
    inverse = np.asarray(np.linalg.inv(information + errors.strengths.ridge * ridge), np.float64)
    half = centre(inverse @ spread @ inverse, errors.group)
    return DenseCovariance(ELO**2 * (centre(half.T, errors.group) + np.outer(luck, luck)))


@frozen(eq=False)
class EstimatedCovariance:
    """The covariance of so many ratings that its matrix is not computed.

    Variances are estimated from PROBES drawn errors: the spread between deals with the sign of each
    deal drawn, as in a wild bootstrap (Wu, 'Jackknife, bootstrap and other resampling methods in
    regression analysis', 1986). An error is mostly what the entrant's own deals cause, whose
    variance is known; only the ratio of both is estimated, which is known much better. The draws
    are those of a fixed seed.
    """

    errors: Errors
    scale: Floats  # (n,) the information of each entrant alone
    own: Floats  # (n, PROBES) drawn, of the entrant's own deals
    drawn: Floats  # (n, PROBES) with what others cause
    luck: Floats  # (n,) of the schedule

    @classmethod
    def draw(cls, errors: Errors, luck: Floats) -> EstimatedCovariance:
        """Draw errors; the luck of the schedule (n,) is one more."""
        information = errors.strengths.information
        scale = information.diagonal() + errors.strengths.ridge
        spread = draw_spread(errors, np.random.default_rng(0))

        def multiply(at: Floats) -> Floats:
            return np.asarray(information @ at + errors.strengths.ridge * at)

        drawn = solve_stepwise(multiply, scale, centre(spread, errors.group))
        return cls(errors, scale, spread / scale[:, None], centre(drawn, errors.group), luck)

    @cached_property
    def variance(self) -> Floats:
        """The variance of each error; (n,)."""
        ratio = (self.drawn**2).sum(axis=1) / (self.own**2).sum(axis=1)
        return np.asarray(ELO**2 * (ratio * self._own_variance + self.luck**2))

    @cached_property
    def _own_variance(self) -> Floats:
        return self.errors.compute_own_spread() / self.scale**2

    def compute_differences(self, index: int) -> Floats:
        """Return the variance of the difference of one error and each; (n,)."""
        unit = np.zeros(len(self.scale))
        unit[index] = 1 / self.scale[index]
        own = self._own_variance
        between = own + own[index] - 2 * self.errors.multiply_spread(unit) / self.scale
        total = ((self.own - self.own[index]) ** 2).sum(axis=1)
        ratio = ((self.drawn - self.drawn[index]) ** 2).sum(axis=1) / np.where(total > 0, total, 1)
        luck = (self.luck - self.luck[index]) ** 2
        return np.asarray(ELO**2 * (ratio * np.maximum(between, 0) + luck))


def draw_spread(errors: Errors, draw: np.random.Generator) -> Floats:
    """Draw vectors whose covariance is the spread; (n, PROBES)."""
    strengths, n = errors.strengths, len(errors.prior)
    deals, sides, weight = errors.scores.T, strengths.sides.T, np.sqrt(strengths.weight)
    vectors = np.zeros((n, PROBES))
    for probe in range(PROBES):
        sizes = deals.shape[1], len(weight), n
        signs, own, ridge = (draw.integers(0, 2, size, np.int8) * 2.0 - 1 for size in sizes)
        vectors[:, probe] = np.asarray(deals @ signs)
        vectors[:, probe] += errors.prior * np.asarray(sides @ (weight * own))
        vectors[:, probe] += np.sqrt(PENALTY * RIDGE) * ridge
    return vectors


def score_deals(meetings: PairMeetings, log: Floats) -> Sums:
    """Return each entrant's share of each deal beyond the expected one; (deals, n)."""
    beyond = (1 + meetings.margin) / 2 - expit(log[meetings.first] - log[meetings.second])
    deal = np.concatenate([meetings.deal, meetings.deal])
    entrant = np.concatenate([meetings.first, meetings.second])
    shape = (int(meetings.deal.max(initial=-1)) + 1, len(log))
    return sum_by_deal(deal, entrant, np.concatenate([beyond, -beyond]), shape)


@frozen(eq=False)
class TeamMeetings:
    """All meetings of two teams of a match."""

    deal: Ints  # (meetings,) numbered without gaps
    contests: Contests  # one for each meeting


def list_team_meetings(results: Results) -> TeamMeetings:
    """Return all meetings, of every two teams without an empty seat."""
    n, deal, teams = len(results.entrants), number_deals(results), [*map(list, results.teams or ())]
    deals, sides, shares = [deal[:0]], [csr_array((0, n))], [np.zeros(0)]
    for first, second in combinations(teams, 2):
        seats = results.seats[:, first + second]
        full = (seats >= 0).all(axis=1)
        each = np.repeat([1 / len(first), -1 / len(second)], [len(first), len(second)])
        row = np.repeat(np.arange(int(full.sum())), len(each))
        cells = np.tile(each, int(full.sum())), (row, seats[full].ravel())
        margin = np.sign(results.places[full, second[0]] - results.places[full, first[0]])
        deals.append(deal[full])
        sides.append(csr_array(cells, shape=(int(full.sum()), n)))
        shares.append((1 + margin) / 2)
    share = np.concatenate(shares)
    return TeamMeetings(np.concatenate(deals), Contests(csr_array(vstack(sides)), share, 1 - share))


def score_team_deals(meetings: TeamMeetings, log: Floats) -> Sums:
    """Return each entrant's share of each deal beyond the expected one; (deals, n)."""
    sides = meetings.contests.sides
    beyond = meetings.contests.won - expit(np.asarray(sides @ log))
    meeting = np.repeat(np.arange(len(beyond)), np.diff(sides.indptr))
    shape = (int(meetings.deal.max(initial=-1)) + 1, len(log))
    value, entrant = beyond[meeting] * sides.data, sides.indices.astype(np.int64)
    return sum_by_deal(meetings.deal[meeting], entrant, value, shape)
