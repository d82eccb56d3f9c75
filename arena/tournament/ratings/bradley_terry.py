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

Two more corrections make it usable with few deals:

- The spread is shrunk towards the model's own, as if each entrant had played PRIOR_DEALS more. So
  the interval of a pair that always ties is not a point.
- The penalty counts as PENALTY additional deals, each with the corresponding spread. The results of
  an entrant that won every match have no spread. PENALTY is chosen so that if one of two entrants
  won every deal, of up to a thousand, the near end of the interval is about that of the exact one
  (Clopper and Pearson, 1934).

`python -m benchmarks.coverage` shows how often these intervals contain the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import ClassVar, Protocol

import numpy as np
from attrs import evolve, frozen
from scipy.sparse import csr_array, vstack
from scipy.special import expit, log_expit, stdtr
from threadpoolctl import ThreadpoolController

from arena.tournament.models import Id
from arena.tournament.places import rank_entrants
from arena.tournament.rating_input import Floats, Ints, Results
from arena.tournament.ratings.head_to_head import PairMeetings, find_groups, list_meetings
from arena.tournament.ratings.means import (
    Sums,
    compute_reach,
    count_deals,
    number_deals,
    number_groups,
    subtract_group_means,
    sum_by_deal,
)

ELO = 400 / float(np.log(10))
"""Elo points to a unit of log strength: 400 points are odds of ten to one."""

RATING = "rating"
"""The heading of Elo points."""

RIDGE = 0.01
PENALTY = 2.5
PRIOR_DEALS = 1
MAX_STEPS = 200
STEP_TOLERANCE = 1e-6  # the remaining error is about its square


@frozen(eq=False)
class Ratings:
    """The ratings of all entrants, with their uncertainty.

    Ratings are relative to the mean of a group, whose entrants met directly or through others,
    unless they are anchored.
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
    measure: str = RATING  # what `rating` is, for headings

    def ranking(self) -> Ints:
        """Return the indices of all entrants, the strongest first, and equals by name; (n,)."""
        places = rank_entrants(dict(zip(self.entrants, zip(self.rating.tolist()), strict=True)))
        index = {entrant: number for number, entrant in enumerate(self.entrants)}
        return np.array([index[entrant] for _, entrant in places], np.int64)

    def anchor(self, entrant: Id, rating: float) -> Ratings:
        """Return the ratings shifted so that one entrant has this one; others of its group follow.

        Intervals are then those of the difference to it, by the fewer degrees of freedom of both.
        """
        index = self.entrants.index(entrant)
        variance, known = self.covariance.diagonal(), np.isfinite(self.low)
        reach = np.where(known, self.high - self.rating, np.inf)
        reach = reach / np.sqrt(np.where(known & (variance > 0), variance, 1))
        between = np.maximum(variance + variance[index] - 2 * self.covariance[index], 0)
        away = np.maximum(reach, reach[index]) * np.sqrt(np.where(between > 0, between, 1))
        away[index] = 0
        moves = self.group == self.group[index]
        shifted = np.where(moves, self.rating + rating - self.rating[index], self.rating)
        return evolve(
            self,
            rating=shifted,
            low=np.where(moves, shifted - away, self.low),
            high=np.where(moves, shifted + away, self.high),
        )


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

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Rate all entrants; raise UserError for results or a level that do not suit it."""


@frozen
class AnchoredModel:
    """A model whose ratings are shifted so that one entrant has a fixed one."""

    model: RatingModel
    entrant: Id
    rating: float

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    @property
    def summary(self) -> str:
        """The summary of the model."""
        return self.model.summary

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Rate all entrants; raise UserError for results or a level that do not suit the model."""
        return self.model.fit(results, level).anchor(self.entrant, self.rating)


@frozen
class BradleyTerry:
    """Bradley and Terry's (1952) model of who finishes ahead, with ties as half wins."""

    name: ClassVar = "bradley-terry"
    summary: ClassVar = "strengths from who finishes ahead of whom; ties are half wins"

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Rate all entrants; raise UserError for an impossible level."""
        with find_blas().limit(limits=1, user_api="blas"):
            return self._fit(results, level)

    def _fit(self, results: Results, level: float) -> Ratings:
        if results.teams:
            teams = list_team_meetings(results)
            strengths = fit_team_strengths(teams)
            scores = score_team_deals(teams, strengths.log)
        else:
            meetings = list_meetings(results)
            strengths = fit_strengths(count_wins(meetings, len(results.entrants)))
            scores = score_deals(meetings, strengths.log)
        return build_ratings(results, level, strengths.log, compute_errors(scores, strengths))


@cache
def find_blas() -> ThreadpoolController:
    """Return what sets the number of threads of the libraries for linear algebra.

    On busy cores, several threads wait for each other much longer than they work.
    """
    return ThreadpoolController()


def build_ratings(results: Results, level: float, strength: Floats, errors: Errors) -> Ratings:
    """Return ratings from log strengths and their errors."""
    group, deals = find_groups(results), errors.deals
    centre = build_centring_matrix(group)
    rating: Floats = ELO * centre @ strength
    covariance: Floats = ELO**2 * centre @ errors.covariance @ centre.T
    away = compute_reach(errors.freedom, level)
    away[deals > 1] *= np.sqrt(covariance.diagonal()[deals > 1])
    surely = compute_superiority(rating, covariance, group, errors.freedom)
    low, high = rating - away, rating + away
    return Ratings(results.entrants, level, rating, low, high, covariance, surely, group, deals)


def build_centring_matrix(group: Ints) -> Floats:
    """Return the matrix that subtracts the mean of each group; (n, n)."""
    same = (group[:, None] == group).astype(np.float64)
    centre: Floats = np.eye(len(group)) - same / same.sum(axis=1)
    return centre


def compute_superiority(rating: Floats, covariance: Floats, group: Ints, freedom: Floats) -> Floats:
    """Return the probability that row is stronger than column; (n, n).

    The difference over its standard error has Student's distribution, with the smaller of both
    degrees of freedom. The probability is a half if nothing is known: between groups, and with
    fewer than two deals.
    """
    variance = covariance.diagonal()
    error = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0))
    fewest = np.minimum(freedom[:, None], freedom)
    known = (group[:, None] == group) & (fewest > 0) & (error > 0)
    ratio = (rating[:, None] - rating) / np.where(known, error, np.inf)
    return np.where(known, stdtr(np.where(known, fewest, 1), ratio), 0.5)


def count_wins(meetings: PairMeetings, n: int) -> Floats:
    """Return how often row finished ahead of column, with shared places as halves; (n, n)."""
    pair, share = meetings.first * n + meetings.second, (1 + meetings.margin) / 2
    won = np.bincount(pair, share, n * n).reshape(n, n)
    lost = np.bincount(pair, 1 - share, n * n).reshape(n, n)
    return np.asarray(won + lost.T)


@frozen(eq=False)
class Strengths:
    """The maximum of the penalised likelihood."""

    log: Floats  # (n,)
    information: Floats  # (n, n) without the penalty
    ridge: float

    @property
    def inverse(self) -> Floats:
        """The inverse of the penalised information; (n, n)."""
        # numpy's solvers only: numpy and scipy each have a BLAS with its own threads, and
        # alternating calls make these wait for each other much longer than they work
        penalised = self.information + self.ridge * np.eye(len(self.log))
        return np.asarray(np.linalg.inv(penalised), np.float64)


def fit_strengths(wins: Floats, ridge: float = RIDGE) -> Strengths:
    """Find the maximum for a matrix of wins; it is unique, as the likelihood is concave.

    `wins` (n, n) counts how often row finished ahead of column. `ridge` is the inverse of the
    variance from which each strength is drawn beforehand.
    """
    meetings = wins + wins.T

    def evaluate(at: Floats) -> float:
        return float((wins * log_expit(at[:, None] - at)).sum())

    def differentiate(at: Floats) -> tuple[Floats, Floats]:
        shares = expit(at[:, None] - at)
        weight = meetings * shares * (1 - shares)
        return (wins - meetings * shares).sum(axis=1), np.diag(weight.sum(axis=1)) - weight

    return find_maximum(evaluate, differentiate, len(wins), ridge)


def find_maximum(
    evaluate: Callable[[Floats], float],
    differentiate: Callable[[Floats], tuple[Floats, Floats]],
    n: int,
    ridge: float,
) -> Strengths:
    """Find the strengths of the largest penalised likelihood by Newton's method.

    Of strengths (n,), `evaluate` returns the log likelihood, and `differentiate` its slope (n,) and
    its information (n, n), all without the penalty.
    """

    def penalise(at: Floats) -> float:
        return evaluate(at) - float(ridge / 2 * at @ at)

    log = np.zeros(n)
    for _ in range(MAX_STEPS):
        slope, information = differentiate(log)
        step: Floats = np.asarray(
            np.linalg.solve(information + ridge * np.eye(n), slope - ridge * log), np.float64
        )
        log = log + shorten_step(penalise, log, step)
        if np.abs(step).max(initial=0) < STEP_TOLERANCE:
            return Strengths(log, information, ridge)
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
    """The errors of log strengths."""

    covariance: Floats  # (n, n)
    freedom: Floats  # (n,) the degrees of freedom of each variance
    deals: Ints  # (n,) of each entrant


def compute_errors(scores: Sums, strengths: Strengths) -> Errors:
    """Return the errors of the strengths, from each entrant's share beyond the expected one.

    `scores` (deals, n) is changed in place.
    """
    deals = count_deals(scores)
    freedom = subtract_group_means(scores, number_groups(scores))
    spread = (scores.T @ scores).toarray()
    each = np.sqrt(np.maximum(deals, 1))
    spread += PRIOR_DEALS * strengths.information / each[:, None] / each
    shrunk = each / np.sqrt(each**2 + PRIOR_DEALS)
    spread *= shrunk[:, None] * shrunk
    spread += PENALTY * RIDGE * np.eye(len(deals))
    inverse = strengths.inverse
    return Errors(inverse @ spread @ inverse, freedom, deals)


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
    weights: Sums  # (meetings, n) 1/k for each of k members of the first team, -1/k of the second
    share: Floats  # (meetings,) of the first team: 1 where it finished ahead, 1/2 level, 0 behind


def list_team_meetings(results: Results) -> TeamMeetings:
    """Return all meetings, of every two teams without an empty seat."""
    n, deal, teams = len(results.entrants), number_deals(results), [*map(list, results.teams or ())]
    deals, weights, shares = [deal[:0]], [csr_array((0, n))], [np.zeros(0)]
    for first, second in combinations(teams, 2):
        seats = results.seats[:, first + second]
        full = (seats >= 0).all(axis=1)
        each = np.repeat([1 / len(first), -1 / len(second)], [len(first), len(second)])
        row = np.repeat(np.arange(int(full.sum())), len(each))
        cells = np.tile(each, int(full.sum())), (row, seats[full].ravel())
        margin = np.sign(results.places[full, second[0]] - results.places[full, first[0]])
        deals.append(deal[full])
        weights.append(csr_array(cells, shape=(int(full.sum()), n)))
        shares.append((1 + margin) / 2)
    return TeamMeetings(np.concatenate(deals), csr_array(vstack(weights)), np.concatenate(shares))


def fit_team_strengths(met: TeamMeetings, ridge: float = RIDGE) -> Strengths:
    """Find the maximum for meetings of teams, as `fit_strengths` does for entrants alone."""
    weights, share = met.weights, met.share

    def evaluate(at: Floats) -> float:
        lead: Floats = np.asarray(weights @ at)
        return float((share * log_expit(lead) + (1 - share) * log_expit(-lead)).sum())

    def differentiate(at: Floats) -> tuple[Floats, Floats]:
        expected: Floats = expit(np.asarray(weights @ at))
        spread = weights.multiply((expected * (1 - expected))[:, None])
        slope = np.asarray(weights.T @ (share - expected))
        return slope, (weights.T @ csr_array(spread)).toarray()

    return find_maximum(evaluate, differentiate, weights.shape[1], ridge)


def score_team_deals(met: TeamMeetings, log: Floats) -> Sums:
    """Return each entrant's share of each deal beyond the expected one; (deals, n)."""
    beyond = met.share - expit(np.asarray(met.weights @ log))
    meeting = np.repeat(np.arange(len(beyond)), np.diff(met.weights.indptr))
    shape = (int(met.deal.max(initial=-1)) + 1, len(log))
    value, entrant = beyond[meeting] * met.weights.data, met.weights.indices.astype(np.int64)
    return sum_by_deal(met.deal[meeting], entrant, value, shape)
