"""The scores of a generation: means of candidates, and counts of pairs for a test."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

Scores = NDArray[np.float64]
"""A row for each candidate, a column for each pairing; nan for a void match."""

COUNT_DIGITS = 6  # of shares of pairs: thirds add up to whole numbers
POINT_DEVIATIONS = 4.0  # standard deviations of the default's points that are a score of 1
LOGISTIC_SLOPE = 1.702  # with it the logistic function is near the normal distribution's


@frozen
class MatchResults:
    """The results of a generation's matches."""

    scores: Scores
    margins: Scores | None = None
    """At tables of two, the points by which the candidate was ahead; nan where nobody counted."""


def compute_means(scores: Scores) -> list[float]:
    """Return the mean score of each candidate; 0 where every match was void."""
    counts = (~np.isnan(scores)).sum(axis=1)
    means: list[float] = (np.nansum(scores, axis=1) / np.maximum(counts, 1)).tolist()
    return means


def smooth_wins(results: MatchResults) -> Scores:
    """Return scores in which a match counts the more, the further the candidate was ahead.

    A win by one point and a defeat by one point are luck for the most part, and differ by 1 in
    scores of 1 and 0. Here a match counts as the share of wins that would be expected with
    further luck: the logistic function of its margin, in standard deviations of all margins. So
    candidates differ by less noise, and are ranked nearly as by wins. Where there are no margins,
    or all are the same, scores stay as they are.
    """
    if results.margins is None or np.isnan(results.margins).all():
        return results.scores
    width = float(np.nanstd(results.margins))
    if not width:
        return results.scores
    shares = (1 + np.tanh(LOGISTIC_SLOPE / 2 * results.margins / width)) / 2  # never overflows
    return np.where(np.isnan(shares), results.scores, shares)


def count_pairs(scores: Scores) -> list[float]:
    """Count pairs of matches by the difference of the second candidate's score to the first's.

    The differences -1, -1/2, 0, 1/2 and 1 are the five results of a pair. A difference between two
    of them, as at tables of more than two, counts partly for each, so that the mean stays what it
    is; to count it for the nearest would make an equal bot look better or worse. Pairs with a void
    match do not count.

    >>> count_pairs(np.array([[0.0, 1.0, 0.5], [0.25, 1.0, 0.0]]))
    [0, 1, 1.5, 0.5, 0]
    """
    differences = scores[1] - scores[0]
    positions = 2 * differences[~np.isnan(differences)] + 2
    lower = np.floor(positions).astype(int)
    upper_shares = positions - lower
    counts = np.bincount(lower, 1 - upper_shares, 6) + np.bincount(lower + 1, upper_shares, 6)
    return [tidy_count(count) for count in counts[:5].tolist()]


def tidy_count(count: float) -> float:
    """Round a count of pairs, to an int where it is whole."""
    rounded = round(float(count), COUNT_DIGITS)
    return int(rounded) if rounded.is_integer() else rounded


def scale_points(points: Scores, default: Scores) -> Scores:
    """Return points as scores from 0 to 1, in which the mean of the default's is 1/2.

    A standard deviation of the default's points is a quarter. A candidate that failed has minus
    infinity, which becomes 0.
    """
    width = POINT_DEVIATIONS * float(np.nanstd(default)) or POINT_DEVIATIONS
    return np.clip(0.5 + (points - np.nanmean(default)) / width, 0.0, 1.0)
