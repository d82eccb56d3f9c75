"""How often 95 % intervals contain the truth, over a grid of win rates, ties, lengths and formats.

One of six entrants, the strong one, wins a given share of its decided matches against five equals.
Each simulated league follows the real schedule of its format; matches are drawn, and nothing is
played, so that thousands of leagues are cheap. Whom an entrant meets counts as given: the truth is
what the same schedule gives on average. Each row has the coverage of ratings, places and scores, of
the strong entrant and of the others, and that of the exact interval for the matches that the strong
one loses, which shows what so few results allow.

    python -m benchmarks.coverage_grid 100 1000          # matches of each entrant, leagues a cell
    python -m benchmarks.coverage_grid 300 150 ladder    # one format only
    python -m benchmarks.coverage_grid 100 40 swiss --entrants 32
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import ceil, log2
from random import Random

import numpy as np
from attrs import frozen
from scipy.special import betaincinv, binom

from arena.tournament.deals import Deal, PastMatches, PlayedMatch
from arena.tournament.format_protocol import Format, FormatTerms
from arena.tournament.formats.elimination import Elimination
from arena.tournament.formats.king_of_the_hill import KingOfTheHill
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.formats.swiss import Swiss
from arena.tournament.ratings import (
    ELO,
    BradleyTerry,
    EntrantMeans,
    Ratings,
    compute_mean_places,
    compute_mean_scores,
)
from arena.tournament.ratings.rating_input import Floats, Ints, Results

WIN_SHARES = (0.5, 0.7, 0.9, 0.98)  # of the decided matches of the strong entrant
TIES = (0.0, 0.3, 0.6, 0.9)
ENTRANTS = 6
SCHEDULES = 20  # different ones, of a format that does not depend on results
ROUNDING = 1e-9


@frozen
class Chances:
    """How matches end."""

    wins: float  # the strong entrant's share of its decided matches
    ties: float  # the share of all matches
    entrants: int = ENTRANTS

    @property
    def field(self) -> tuple[str, ...]:
        """The entrants, the strong one first."""
        return tuple(map(str, range(self.entrants)))

    def draw_margins(self, deals: Ints, chance: np.random.Generator) -> Ints:
        """Return 1 where the first of two entrants wins, 0 where they tie, else -1; (deals, 2)."""
        wins = np.select([deals[:, 0] == 0, deals[:, 1] == 0], [self.wins, 1 - self.wins], 1 / 2)
        margins = np.where(chance.random(deals.shape) < wins[:, None], 1, -1)
        return np.where(chance.random(deals.shape) < self.ties, 0, margins)

    def compute_truth(self, deals: Ints) -> tuple[Floats, Floats, Floats]:
        """Return the ratings, mean places and mean scores that a schedule gives on average."""
        n, decided = self.entrants, 1 - self.ties
        lead = decided * (2 * self.wins - 1)
        rating = ELO * float(np.log((1 + lead) / (1 - lead)))
        ratings = rating * (np.eye(n)[0] - 1 / n)
        against_strong = np.bincount(deals[(deals == 0).any(axis=1)].ravel(), minlength=n)
        scores = -lead * against_strong / np.bincount(deals.ravel(), minlength=n)
        scores[0] = lead
        return ratings, 1 + (decided - scores) / 2, scores


def tabulate(field: tuple[str, ...], deals: Ints, margins: Ints) -> Results:
    """Return the results of deals, each played twice with the seats exchanged."""
    seats = np.stack([deals, deals[:, ::-1]], axis=1)  # (deals, matches, seats)
    gains = margins * np.array([1, -1])  # of who sits first
    scores = np.stack([gains, -gains], axis=2).reshape(-1, 2).astype(float)
    number = np.repeat(np.arange(len(deals)), 2)
    return Results(field, number, seats.reshape(-1, 2), 1 + (scores < 0), scores)


def play_league(
    form: Format, matches: int | None, chances: Chances, seed: int
) -> tuple[Ints, Ints]:
    """Return the deals and the margins of a league."""
    field, terms = chances.field, FormatTerms(2, matches, chances.entrants, duplicate=True)
    past, chance = PastMatches(), np.random.default_rng(seed)
    league: list[tuple[Ints, Ints]] = []
    while planned := form.next(field, past, terms, Random(f"{seed} {past.deals}")):
        deals = np.array([[int(seat) for seat in deal.seats] for deal in planned])
        margins = chances.draw_margins(deals, chance)
        league.append((deals, margins))
        for deal, pair in zip(planned, margins.tolist(), strict=True):
            past.count_deal(deal)
            if form.adaptive:
                past.results += list_matches(deal, pair)
    deals, margins = (np.concatenate(part) for part in zip(*league, strict=True))
    return deals, margins


def list_matches(deal: Deal, margins: Sequence[int]) -> tuple[PlayedMatch, ...]:
    """Return the matches of a deal as an adaptive format sees them."""
    first, second = margins
    return (
        PlayedMatch(deal, 0, (1 + (first < 0), 1 + (first > 0))),
        PlayedMatch(deal, 1, (1 + (second > 0), 1 + (second < 0))),
    )


def iter_leagues(
    form: Format, matches: int | None, chances: Chances, leagues: int
) -> Iterator[tuple[Ints, Ints]]:
    """Yield the deals and the margins of some leagues.

    Where a format does not look at results, some schedules serve all leagues.
    """
    if form.adaptive:
        yield from (play_league(form, matches, chances, seed) for seed in range(leagues))
        return
    schedules = [play_league(form, matches, chances, seed)[0] for seed in range(SCHEDULES)]
    for seed in range(leagues):
        deals = schedules[seed % SCHEDULES]
        yield deals, chances.draw_margins(deals, np.random.default_rng(seed))


def list_formats(length: int, entrants: int = ENTRANTS) -> dict[str, tuple[Format, int | None]]:
    """Return formats with the matches of a league in which each entrant has about so many."""
    total, rounds = length * entrants // 2, ceil(log2(entrants)) + 1
    return {
        "round-robin": (RoundRobin(), total),
        "king-of-the-hill": (KingOfTheHill(), total),
        "ladder": (Ladder(), total),
        "swiss": (Swiss(games=length // (2 * rounds)), None),
        "elimination": (Elimination(games=length // 4), None),
        "elimination, 1 game": (Elimination(), None),
    }


def measure_coverage(leagues: Iterable[tuple[Ints, Ints]], chances: Chances) -> Floats:
    """Return how often intervals contain the truth; (ratings places scores, strong others)."""
    hits = []
    for deals, margins in leagues:
        results = tabulate(chances.field, deals, margins)
        estimates: tuple[Ratings | EntrantMeans, ...] = (
            BradleyTerry().fit(results), compute_mean_places(results), compute_mean_scores(results),
        )  # fmt: skip
        hits.append(
            [
                (estimate.low <= true + ROUNDING) & (true - ROUNDING <= estimate.high)
                for estimate, true in zip(estimates, chances.compute_truth(deals), strict=True)
            ]
        )
    rates = np.mean(hits, axis=0)
    return np.stack([rates[:, 0], rates[:, 1:].mean(axis=1)], axis=1)


def compute_exact_coverage(matches: int, share: float) -> float:
    """Return how often the exact interval of a share of matches contains it.

    Source: Clopper and Pearson, 'The use of confidence or fiducial limits', 1934.
    """
    number = np.arange(matches + 1)
    low = np.where(number > 0, betaincinv(np.maximum(number, 1), matches - number + 1, 0.025), 0)
    high = np.where(
        number < matches, betaincinv(number + 1, np.maximum(matches - number, 1), 0.975), 1
    )
    chance = binom(matches, number) * share**number * (1 - share) ** (matches - number)
    return float(chance[(low <= share) & (share <= high)].sum())


if __name__ == "__main__":
    parser = ArgumentParser(description="Measure how often intervals contain the truth.")
    parser.add_argument("length", type=int, help="matches of each entrant")
    parser.add_argument("leagues", type=int, help="leagues of each cell")
    parser.add_argument("formats", nargs="*", help="formats [default: all]")
    parser.add_argument("--entrants", type=int, default=ENTRANTS)
    given = parser.parse_args()
    for label, (form, matches) in list_formats(given.length, given.entrants).items():
        for wins, ties in product(WIN_SHARES, TIES) if label in (given.formats or [label]) else ():
            chances = Chances(wins, ties, given.entrants)
            rates = measure_coverage(iter_leagues(form, matches, chances, given.leagues), chances)
            cells = " | ".join(f"{100 * rate:.1f}" for rate in rates.ravel())
            exact = 100 * compute_exact_coverage(given.length, (1 - ties) * (1 - wins))
            print(
                f"| {given.length} | {label} | {wins} | {ties} | {cells} | {exact:.1f} |",
                flush=True,
            )
