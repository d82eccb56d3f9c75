"""The exact errors of the sequential test of duels, and how many pairs it takes.

No chance is drawn: the probability of each state of a test, which is its counts of pairs, is
carried from pair to pair until nearly all tests are over. Each case has up to three results of a
pair, such that its mean is exactly that of H0 or of H1. The normal test beside it is the one of
chess engines, with a likelihood ratio of normal distributions and the bounds of Wald.

    python -m benchmarks.sequential
    python -m benchmarks.sequential tune    # how many pairs the tests of `arena tune` take
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import chain, product
from math import inf, log

import numpy as np
from attrs import frozen

from arena.tournament.ratings import Sprt, elo_to_score, score_to_elo
from arena.tournament.ratings.rating_input import Floats, Ints
from arena.tournament.ratings.stopping import SCORES

HYPOTHESES = (
    (0, 400), (0, 200), (0, 100), (0, 50), (-50, 0), (50, 100), (200, 250), (0, 30), (0, 20),
)  # fmt: skip
THREE_RESULTS_FROM = 30  # points between the hypotheses, from which on these take only seconds
LEVELS = (0.5, 0.8, 0.9, 0.98)  # shares of level pairs
UNFINISHED = 1e-6  # tests that may be left
NEGLIGIBLE = 1e-13  # the probability of a state that is left out
GAINS = (0.03, 0.05)  # of the tests of `arena tune`
TRUE_GAINS = (0.0, 0.03, 0.05, 0.1)
MAX_PAIRS = (2_000, 3_000, 8_000)
SEEN_PAIRS, SEEN_VARIANCE = 3, 1 / 8  # of the normal test, for its first pairs

Ratio = Callable[[Ints], Floats]
Chances = dict[int, float]  # by half points of the pair, 0 to 4


@frozen
class Ending:
    """How a test ends."""

    h0: float  # the probability that it accepts H0
    h1: float
    pairs: float  # on average


def compute_ending(
    chances: Chances, ratio: Ratio, lower: float, upper: float, most: float = inf
) -> Ending:
    """Return how a test ends with these chances of up to three results, the likeliest first.

    `most` is the number of pairs after which it is left undecided.
    """
    results = [*chances, 0, 0][:3]
    usual, second, third = [*chances.values(), 0.0, 0.0][:3]
    ends, pairs, number = np.zeros(2), 0.0, 0
    state, least = np.ones((1, 1)), [0, 0]  # by the counts of the second and the third result
    while state.sum() > UNFINISHED and number < most:
        pairs, number = pairs + state.sum(), number + 1
        after = np.zeros((state.shape[0] + 1, state.shape[1] + 1))
        after[:-1, :-1] += usual * state
        after[1:, :-1] += second * state
        after[:-1, 1:] += third * state
        first, last = np.ogrid[: after.shape[0], : after.shape[1]]
        counts = np.zeros((*after.shape, 5), np.int64)
        counts[..., results[1]] += least[0] + first
        counts[..., results[2]] += least[1] + last
        counts[..., results[0]] += number - counts.sum(axis=-1)
        ratios = ratio(counts)
        for end, over in enumerate((ratios <= lower, ratios >= upper)):
            ends[end] += after[over].sum()
            after[over] = 0
        after[after < NEGLIGIBLE] = 0
        rows, columns = (np.flatnonzero(after.any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            break
        state = after[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        least = [least[0] + int(rows[0]), least[1] + int(columns[0])]
    return Ending(float(ends[0]), float(ends[1]), float(pairs))


def build_normal_ratio(test: Sprt) -> Ratio:
    """Return the likelihood ratio of two normal distributions with a variance to be estimated."""

    def compute_ratio(counts: Ints) -> Floats:
        pairs = counts.sum(axis=-1)
        mean = counts @ SCORES / pairs
        squares = counts @ SCORES**2 - pairs * mean**2
        variance = (squares + SEEN_PAIRS * SEEN_VARIANCE) / (pairs + SEEN_PAIRS)
        far, near = ((mean - elo_to_score(elo)) ** 2 for elo in (test.elo0, test.elo1))
        return np.asarray(pairs / 2 * np.log((variance + far) / (variance + near)))

    return compute_ratio


def list_two_results(mean: float) -> Iterator[Chances]:
    """Yield the chances of each two results with this mean: the most skewed distributions."""
    for low, high in ((0, 4), (0, 3), (1, 4), (1, 3), (0, 2), (2, 4), (2, 3), (1, 2)):
        share = (4 * mean - low) / (high - low)
        if 0 < share < 1:
            yield sort_chances({low: 1 - share, high: share})


def list_three_results(mean: float) -> Iterator[Chances]:
    """Yield the chances of level pairs, and of others that are lost and won, with this mean."""
    for level in LEVELS:
        for low, high in ((0, 4), (1, 4), (0, 3)):
            share = (4 * mean - 2 * level - low * (1 - level)) / (high - low)
            if 0 < share < 1 - level:
                yield sort_chances({low: 1 - level - share, 2: level, high: share})


def sort_chances(chances: Chances) -> Chances:
    """Return chances with the likeliest result first."""
    return dict(sorted(chances.items(), key=lambda chance: -chance[1]))


def print_row(elo0: float, elo1: float) -> None:
    """Print the largest errors of both tests, and how many pairs they take."""
    test, cells, cost = Sprt(elo0, elo1), [], []
    normal_bound = log((1 - test.alpha) / test.alpha)
    tests = (
        (test.compute_ratios, *test.bounds),
        (build_normal_ratio(test), -normal_bound, normal_bound),
    )
    cases = [
        (number, chances)
        for number, elo in enumerate((elo0, elo1))
        for chances in chain(
            list_two_results(elo_to_score(elo)),
            list_three_results(elo_to_score(elo)) if elo1 - elo0 >= THREE_RESULTS_FROM else (),
        )
    ]
    for ratio, lower, upper in tests:
        endings = [compute_ending(chances, ratio, lower, upper) for _, chances in cases]
        errors: list[list[float]] = [[], []]
        for (number, _), ending in zip(cases, endings, strict=True):
            errors[number].append(ending.h0 if number else ending.h1)
        cells += [f"{100 * max(error):.1f} %" for error in errors]
        cost.append(np.array([ending.pairs for ending in endings]))
    more = cost[0] / cost[1]
    print(
        f"| [{elo0}, {elo1}] | {len(cases)} | {' | '.join(cells)}"
        f" | {cost[0].min():.0f} to {cost[0].max():.0f}"
        f" | {np.median(more):.2f} ({more.min():.2f} to {more.max():.2f}) |",
        flush=True,
    )


def print_tuning_row(gain: float, true_gain: float, most: int) -> None:
    """Print how the first test of `arena tune` ends, which counts deals of two pairs.

    Each deal is won or lost by one of its two pairs: as much luck as where matches are tossed
    coins that fall independently for both bots.
    """
    test, share = Sprt(0.0, score_to_elo((1 + gain) / 2)), (1 + 2 * true_gain) / 2
    chances = sort_chances({1: 1 - share, 3: share})
    found = compute_ending(chances, test.compute_ratios, *test.bounds, most // 2)
    print(
        f"| {gain} | {most} | {true_gain} | {100 * found.h1:.0f} % | {100 * found.h0:.0f} %"
        f" | {2 * found.pairs:.0f} |",
        flush=True,
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["tune"]:
        for gain, most, true_gain in product(GAINS, MAX_PAIRS, TRUE_GAINS):
            print_tuning_row(gain, true_gain, most)
    else:
        for pair in HYPOTHESES:
            print_row(*pair)
