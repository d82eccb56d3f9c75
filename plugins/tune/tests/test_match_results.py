"""What a run reads from its stored matches: scores, and margins from the candidate's seat."""

from __future__ import annotations

import numpy as np

from arena_tune.course import SEARCH, Generation, Pairing
from arena_tune.run import collect_results
from arena_tune.trial_store import CandidateMatch

NAN = np.nan
PAIRINGS = tuple(Pairing(number, number % 2, (0,)) for number in range(6))


def store_match(
    pairing: int, score: float | None, points: str | None, verdict: str | None = None
) -> CandidateMatch:
    return CandidateMatch(0, 0, pairing, "finished", score, points, verdict, None, "", 0.1)


def test_margins_are_those_of_the_candidate() -> None:
    """Void matches, matches with a verdict and tables of more than two have none."""
    found = [
        store_match(0, 1.0, "[50, 41]"),
        store_match(1, 0.0, "[50, 41]"),
        store_match(2, None, "[50, 41]"),
        store_match(3, 0.0, "[0, 3]", verdict="timed out"),
        store_match(4, 1.0, "[3, 2, 1]"),
    ]
    results = collect_results(Generation(0, SEARCH, ({},), PAIRINGS), found)
    np.testing.assert_array_equal(results.scores, [[1, 0, NAN, 0, 1, NAN]])
    np.testing.assert_array_equal(results.margins, [[9, -9, NAN, NAN, NAN, NAN]])
