r"""When to stop: a sequential test of a duel, and whether the order of a ranking is certain.

The sequential probability ratio test is for duels in which each deal is played twice. The two
matches of a deal, with seats swapped, share its luck and are counted together: a pair is worth 0,
1/2, 1, 3/2 or 2 points to the tested bot, and the statistics are five counts of pairs. This is the
pentanomial model of chess engines' testing.

The hypotheses are expected scores: s_0 and s_1 for Elo differences elo0 and elo1, by the
logistic curve. With t the pairs' scores in [0, 1], the evidence against H0 is

    E = \frac{1}{J} \sum_j \prod_t (1 + \lambda_j (t - s_0)),

the gain of a gambler who starts with 1 and bets a part \lambda_j of what is there on each pair, at
odds that are fair if H0 is true. So its mean is at most 1 under H0, and with probability 1 - alpha
it stays below 1/alpha for ever, whatever else is true of the pairs: ties, luck, skew. (Ville,
'Étude critique de la notion de collectif', 1939; Waudby-Smith and Ramdas, 'Estimating means of
bounded random variables by betting', 2024.) The evidence against H1 mirrors it, and beta bounds it.
The first one to reach its bound ends the test. So the promised errors hold with a single
assumption: the expected score of a pair does not depend on earlier pairs.

E is also the likelihood ratio of a mixture of tilted distributions, so that its logarithm is called
LLR here. It grows fastest with \lambda = (s_1 - s_0)/v, where v is the variance of t, which is not
known: so the mixture has the \lambda of VARIANCES. A bet never risks more than the part STAKE of
the capital. `python -m benchmarks.sequential` shows exact errors and numbers of pairs, compared
with the normal likelihood ratio of chess engines' tests, which errs more often than it says if
pairs are skewed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Literal, TypeAlias

import numpy as np
from attrs import frozen
from scipy.special import expit

from arena.rules import UserError, describe_number
from arena.tournament.ratings.estimate import Estimate
from arena.tournament.ratings.intervals import estimate_share
from arena.tournament.ratings.rating_input import Floats, Ints
from arena.tournament.ratings.ratings import ELO, Ratings

Hypothesis: TypeAlias = Literal["H0", "H1"]
Counts = Sequence[float]
"""Five counts: the pairs with 0, 1/2, 1, 3/2 and 2 points for the tested bot."""

SCORES = np.linspace(0, 1, 5)
VARIANCES = 0.25 / 2 ** np.arange(5)  # of pairs' scores, from the largest that there can be
STAKE = 0.9


@frozen
class Sprt:
    """A test of H0 'the difference is elo0' against H1 'it is elo1', in logistic Elo points.

    Raises UserError unless elo0 < elo1, and unless the error rates lie between 0 and 1/2.
    """

    elo0: float  #: the difference of H0, in Elo points
    elo1: float  #: the difference of H1, in Elo points
    alpha: float = 0.05  #: the largest probability of accepting H1 if H0 is true
    beta: float = 0.05  #: the largest probability of accepting H0 if H1 is true

    def __attrs_post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise UserError(f"elo0: {self.elo0:g} is not a number below elo1 ({self.elo1:g})")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 1 / 2:
                bounds = describe_number("a number", 0, 0.5, above=True, below=True)
                raise UserError(f"{name}: {rate:g} is not {bounds}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of LLR: at the lower one H0 is accepted, at the upper one H1."""
        return log(self.beta), -log(self.alpha)

    def compute_llr(self, counts: Counts) -> float:
        """Return the logarithm of the evidence: positive for H1, negative for H0, 0 for neither.

        It is the one that is nearer to its bound.
        """
        return float(self.compute_ratios(np.asarray(counts)))

    def compute_ratios(self, counts: Ints) -> Floats:
        """Return the log likelihood ratios of many tests at once: (..., 5) to (...)."""
        lower, upper = self.bounds
        gap = elo_to_score(self.elo1) - elo_to_score(self.elo0)
        for_h1 = compute_evidence(counts, elo_to_score(self.elo0), gap)
        for_h0 = compute_evidence(counts[..., ::-1], elo_to_score(-self.elo1), gap)
        nearer = for_h1 / upper >= for_h0 / -lower
        return np.where(nearer, np.maximum(for_h1, 0), 0 - np.maximum(for_h0, 0))

    def decide(self, counts: Counts) -> Hypothesis | None:
        """Return the accepted hypothesis if the test has ended, else None."""
        lower, upper = self.bounds
        llr = self.compute_llr(counts)
        return "H1" if llr >= upper else "H0" if llr <= lower else None


def compute_evidence(counts: Ints, mean: float, gap: float) -> Floats:
    """Return the logarithm of the evidence that scores are above a mean: (..., 5) to (...).

    It grows fastest if they are above it by `gap`.
    """
    bets = gap / np.maximum(VARIANCES, mean * gap / STAKE)
    gains = np.log1p(np.outer(SCORES - mean, bets))  # (5, bets) of a pair
    return np.asarray(np.logaddexp.reduce(counts @ gains, axis=-1) - log(len(bets)))


def estimate_duel_share(counts: Counts, level: float = 0.95) -> Estimate:
    """Estimate the tested bot's share of the points from five counts, by pairs."""
    return estimate_share(SCORES, level, np.asarray(counts, np.float64))


def estimate_elo_difference(counts: Counts, level: float = 0.95) -> Estimate:
    """Estimate the tested bot's Elo difference from five counts, on the scale of ratings.

    The interval is that of the share of points (`estimate_share`), converted to Elo points; with
    fewer than two pairs it is infinite, and so is the difference if the bot won or lost everything.
    It is valid for a fixed number of pairs; if a test decided when to stop, the estimate is a
    little too extreme.
    """
    return estimate_duel_share(counts, level).map(score_to_elo)


def score_to_elo(mean: float) -> float:
    """Return the Elo difference for an expected score, infinite from 0 down and from 1 up."""
    if not 0 < mean < 1:
        return float("inf") if mean >= 1 else float("-inf")
    return 400 * float(np.log10(mean / (1 - mean)))


def elo_to_score(elo: float) -> float:
    """Return the expected score in [0, 1] of an entrant that is this many Elo points stronger."""
    return float(expit(elo / ELO))


def is_ranking_certain(ratings: Ratings, level: float = 0.95) -> bool:
    """Return whether each in the ranking is stronger than the next, with this probability."""
    order = ratings.ranking()
    gaps = np.argsort(ratings.rating[order[:-1]] - ratings.rating[order[1:]])  # what fails first
    pairs = zip(order[gaps].tolist(), order[gaps + 1].tolist(), strict=True)
    return all(ratings.compare(better)[worse] >= level for better, worse in pairs)
