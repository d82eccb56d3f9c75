r"""When to stop: a sequential test of a duel, and whether the order of a ranking is certain.

The sequential probability ratio test is for duels in which each deal is played twice. The two
matches of a deal, with seats swapped, share its luck and are counted together: a pair is worth 0,
1/2, 1, 3/2 or 2 points to the tested bot, and the statistics are five counts of pairs. This is the
pentanomial model of chess engines' testing.

The hypotheses are expected scores: s_0 and s_1 for Elo differences elo0 and elo1, by the
logistic curve. With t the pairs' scores in [0, 1], m their mean and v their variance,

    LLR = N/2 \log((v + (m - s_0)^2) / (v + (m - s_1)^2)),

the generalised likelihood ratio of a normal distribution with unknown variance, as Van den Bergh
uses it for Fishtest, where chess engines are tested. (The generalised test is that of Li, Liu and
Ying, 'Generalized sequential probability ratio test for separate families of hypotheses', 2014.)
The test ends where LLR leaves the bounds of Wald ('Sequential tests of statistical hypotheses',
1945).

Few pairs, or pairs that are all equal, would give a variance near 0 and a decision without
evidence. So v is computed as if three more pairs had been seen with a variance of 1/8, that of
five equally likely scores; the mean is unchanged. Simulated with elo1 - elo0 from 20 to 200 and
pairs whose luck cancels, adds up or is independent, errors at 0.05 came to 0.058 at the most;
with one pair more instead of three, to 0.094.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
from attrs import frozen

from arena.rules import UserError
from arena.tournament.rating_input import Floats, Ints
from arena.tournament.ratings.bradley_terry import Ratings
from arena.tournament.ratings.means import ShareInterval, estimate_share

Counts = Sequence[float]
"""Five counts: the pairs with 0, 1/2, 1, 3/2 and 2 points for the tested bot."""

SCORES = np.linspace(0, 1, 5)
VARIANCE = 1 / 8
SEEN = 3  # additional pairs with that variance


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
            raise UserError(
                f"elo0 must be less than elo1, but {self.elo0:g} is not less than {self.elo1:g}"
            )
        for rate in (self.alpha, self.beta):
            if not 0 < rate < 1 / 2:
                raise UserError(f"an error rate must be between 0 and 1/2, not {rate:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of LLR: at the lower one H0 is accepted, at the upper one H1."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def compute_llr(self, counts: Counts) -> float:
        """Return the log likelihood ratio; 0 before the first pair."""
        return float(self.compute_ratios(np.asarray(counts)))

    def compute_ratios(self, counts: Ints) -> Floats:
        """Return the log likelihood ratios of many tests at once: (..., 5) to (...)."""
        pairs, mean, variance = compute_moments(counts)
        far, near = ((mean - elo_to_score(elo)) ** 2 for elo in (self.elo0, self.elo1))
        ratio: Floats = pairs / 2 * np.log((variance + far) / (variance + near))
        return ratio

    def decide(self, counts: Counts) -> str | None:
        """Return 'H0' or 'H1' if the test has ended, else None."""
        lower, upper = self.bounds
        llr = self.compute_llr(counts)
        return "H1" if llr >= upper else "H0" if llr <= lower else None


@frozen
class EloDifference:
    """The Elo difference of the tested bot; infinite if it won or lost everything."""

    elo: float
    low: float  # the ends of the interval
    high: float


def estimate_duel_share(counts: Counts, level: float = 0.95) -> ShareInterval:
    """Estimate the tested bot's share of the points from five counts, by pairs."""
    return estimate_share(SCORES, level, np.asarray(counts, np.float64))


def estimate_elo_difference(counts: Counts, level: float = 0.95) -> EloDifference:
    """Estimate the difference from five counts, on the scale of ratings.

    The interval is that of the share of points (`estimate_share`), converted to Elo points; with
    fewer than two pairs it is infinite. It is valid for a fixed number of pairs; if a test decided
    when to stop, the estimate is a little too extreme.
    """
    found = estimate_duel_share(counts, level)
    return EloDifference(*map(score_to_elo, (found.share, found.low, found.high)))


def score_to_elo(mean: float) -> float:
    """Return the Elo difference for an expected score, infinite from 0 down and from 1 up."""
    if not 0 < mean < 1:
        return float("inf") if mean >= 1 else float("-inf")
    return 400 * float(np.log10(mean / (1 - mean)))


def elo_to_score(elo: float) -> float:
    """Return the expected score in [0, 1] of an entrant that is this many Elo points stronger."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def compute_moments(counts: Ints) -> tuple[Floats, Floats, Floats]:
    """Return the number of pairs, the mean of their scores, and the variance as regularised.

    Of counts (..., 5) all three are (...); without a pair the mean is 1/2.
    """
    pairs = counts.sum(axis=-1).astype(np.float64)
    mean = np.where(pairs > 0, counts @ SCORES / np.maximum(pairs, 1), 1 / 2)
    squares = (counts * (SCORES - mean[..., None]) ** 2).sum(axis=-1)
    return pairs, mean, (squares + SEEN * VARIANCE) / (pairs + SEEN)


def is_ranking_certain(ratings: Ratings, level: float = 0.95) -> bool:
    """Return whether each in the ranking is stronger than the next, with this probability."""
    order = ratings.ranking()
    return bool(np.all(ratings.superiority[order[:-1], order[1:]] >= level))
