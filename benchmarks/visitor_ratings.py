"""How often the intervals of visitors' ratings contain the strength of a simulated visitor.

The results of a match are drawn as in Elo's model for several players: each player's performance is
its strength and a part that is drawn from a Gumbel distribution, so that of two players who differ
by 400 points the stronger one finishes ahead in 10 of 11 matches.

    python -m benchmarks.visitor_ratings
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import log
from random import Random

from arena_web.play.visitors.ratings import POINTS, Meeting, estimate

BOTS = (-190.0, -40.0, 60.0, 180.0)  # about as the bundled bots of most games
STRENGTHS = (-300.0, 0.0, 300.0, 600.0)
OPPONENTS = (1, 3, 5)  # in a match
MATCHES = (5, 20, 100)
VISITORS = 200  # of each kind


def simulate(
    random: Random, strength: float, opponents: int, matches: int
) -> list[Sequence[Meeting]]:
    """Return the results of a visitor of this strength."""
    return [[*_play(random, strength, random.choices(BOTS, k=opponents))] for _ in range(matches)]


def _play(random: Random, strength: float, bots: Sequence[float]) -> Iterator[Meeting]:
    own = _draw(random, strength)
    return ((bot, float(own > _draw(random, bot))) for bot in bots)


def _draw(random: Random, strength: float) -> float:
    return strength * log(10) / POINTS - log(-log(random.random()))


def measure(strength: float, opponents: int, matches: int, visitors: int) -> tuple[float, float]:
    """Return the share of visitors whose interval has their strength, and its mean half width."""
    random = Random(f"{strength} {opponents} {matches}")  # nothing is secret here
    hits, width = 0, 0.0
    for _ in range(visitors):
        _, low, high = estimate(simulate(random, strength, opponents, matches))
        hits += low <= strength <= high
        width += (high - low) / 2
    return hits / visitors, width / visitors


def main() -> None:
    """Print the coverage of each kind of visitor."""
    print("strength  opponents  matches  covered  half width")
    for strength, opponents, matches in product(STRENGTHS, OPPONENTS, MATCHES):
        share, width = measure(strength, opponents, matches, VISITORS)
        print(f"{strength:8.0f}  {opponents:9}  {matches:7}  {share:7.1%}  {width:10.0f}")


if __name__ == "__main__":
    main()
