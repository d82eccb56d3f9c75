"""How often 95 % intervals contain the truth with real games: ratings, places, scores and duels.

Deals are in a pool for each group of entrants that can share a table: real matches, each played
once. Each simulated tournament follows the real schedule of its format and draws its deals from the
pool, so that the truth is known exactly: what the same schedule gives on average.

    python -m benchmarks.coverage         # all formats, two and four seats
    python -m benchmarks.coverage 1000    # as many tournaments of each
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from random import Random

import numpy as np
from attrs import define, evolve, frozen

from arena import Play
from arena.host import Match
from arena.players import BotPlayer
from arena.plugins import Game
from arena.tournament.deals import Deal, PastMatches, PlayedMatch, rotate_seats
from arena.tournament.format_protocol import Format, FormatTerms
from arena.tournament.formats import FORMATS
from arena.tournament.ratings import (
    ELO,
    BradleyTerry,
    EntrantMeans,
    Ratings,
    compute_mean_places,
    compute_mean_scores,
    estimate_elo_difference,
)
from arena.tournament.ratings.bradley_terry import Contests, build_sides, fit_strengths
from arena.tournament.ratings.head_to_head import compute_head_to_head
from arena.tournament.ratings.rating_input import Floats, Ints, Results
from arena.tournament.ratings.stopping import elo_to_score
from arena_briscola import GAME as BRISCOLA
from arena_bs import GAME as BS
from arena_gops import GAME as GOPS

TOURNAMENTS = 200
POOL_DEALS = {2: 200, 4: 60}
MATCHES = 300
DUEL_PAIRS = 50
FORMAT_NAMES = ("round-robin", "king-of-the-hill", "ladder")
CASES: tuple[tuple[Game, int, tuple[str, ...]], ...] = (
    (GOPS, 2, ("random", "match", "easy", "medium", "hard", "planner")),
    (BS, 4, ("honest", "cautious", "liar", "caller", "counter", "random")),
    (BRISCOLA, 2, ("random", "thrifty", "counter")),
)
Group = tuple[int, ...]


@frozen(eq=False)
class PoolDeal:
    """One deal, played in every rotation."""

    seats: Group  # of its first match
    places: Ints  # (rotations, seats)
    scores: Floats  # (rotations, seats)

    def list_seats(self) -> Ints:
        """Return the entrants in the order of their seats; (rotations, seats)."""
        return np.array([rotate_seats(self.seats, turn) for turn in range(len(self.seats))])

    def count_points(self) -> int:
        """Return the half points in a duel of the entrant with the lower number, 0 to 4."""
        first = self.list_seats() == min(self.seats)
        return int((1 + np.sign(self.places[~first] - self.places[first])).sum())

    def list_matches(self, deal: Deal, field: Sequence[str]) -> tuple[PlayedMatch, ...]:
        """Return its matches as an adaptive format sees them."""
        drawn = evolve(deal, seats=tuple(field[seat] for seat in self.seats))
        return tuple(
            PlayedMatch(drawn, turn, tuple(ranks))
            for turn, ranks in enumerate(self.places.tolist())
        )


Pool = Mapping[Group, list[PoolDeal]]


def play_pool(game: Game, table: int, names: tuple[str, ...], deals: int) -> Pool:
    """Play deals of each group of entrants in turn through all orders of its seats."""
    pool: dict[Group, list[PoolDeal]] = {}
    for group in combinations(range(len(names)), table):
        orders = [*permutations(group)]
        pool[group] = [
            play_deal(game, orders[deal % len(orders)], names, f"{group} {deal}")
            for deal in range(deals)
        ]
    return pool


def play_deal(game: Game, seats: Group, names: tuple[str, ...], seed: str) -> PoolDeal:
    """Play a deal in every rotation."""
    variant, places, scores = game.variant(), [], []
    for rotation in range(len(seats)):
        players = [BotPlayer(game.bots[names[bot]]()) for bot in rotate_seats(seats, rotation)]
        play = Play.deal(variant, len(seats), seed)
        outcome = Match(play, players, game=game.name).run()
        places.append(outcome.places)
        scores.append(outcome.scores)
    return PoolDeal(seats, np.array(places), np.array(scores, float))


@define
class Simulation:
    """A tournament whose deals are drawn from a pool."""

    pool: Pool
    table: int
    names: tuple[str, ...]
    form: Format
    seed: int

    def play(self, matches: int | None) -> Results:
        """Return the results of a whole schedule."""
        chance, form = Random(self.seed), self.form
        terms = FormatTerms(self.table, matches, len(self.names), duplicate=True)
        past, field = PastMatches(), tuple(map(str, range(len(self.names))))
        deals: list[PoolDeal] = []
        while planned := form.next(field, past, terms, Random(f"{self.seed} {past.deals}")):
            for deal in planned:
                past.count_deal(deal)
                drawn = chance.choice(self.pool[tuple(sorted(map(int, deal.seats)))])
                deals.append(drawn)
                if form.adaptive:
                    past.results += drawn.list_matches(deal, field)
        seats = np.concatenate([deal.list_seats() for deal in deals])
        places = np.concatenate([deal.places for deal in deals])
        scores = np.concatenate([deal.scores for deal in deals])
        number = np.repeat(np.arange(len(deals)), self.table)
        return Results(field, number, seats, places, scores)


@frozen(eq=False)
class Truth:
    """What each group of entrants gives on average, in the pool."""

    places: Floats  # (groups, n) the mean place of each entrant, 0 for those who are not in it
    scores: Floats  # (groups, n)
    wins: Floats  # (groups, n, n) how often row finishes ahead of column in a match
    number: Mapping[Group, int]

    @classmethod
    def of(cls, pool: Pool, names: Sequence[str]) -> Truth:
        """Average over all deals of each group."""
        found = [compute_group_truth(deals, tuple(names)) for deals in pool.values()]
        places, scores, wins = (np.array(part) for part in zip(*found, strict=True))
        return cls(places, scores, wins, {group: number for number, group in enumerate(pool)})

    def predict(self, results: Results) -> tuple[Floats, Floats, Floats]:
        """Return the mean places, mean scores and ratings that a schedule gives on average."""
        groups = [self.number[tuple(row)] for row in np.sort(results.seats, axis=1).tolist()]
        times = np.bincount(groups, minlength=len(self.number))
        matches = times @ (self.places > 0)
        wins = np.tensordot(times, self.wins, 1) * 1e6
        first, second = np.triu_indices(len(wins), 1)
        sides = build_sides(first, second, len(wins))
        log = fit_strengths(Contests(sides, wins[first, second], wins[second, first])).log
        return (
            times @ self.places / matches,
            times @ self.scores / matches,
            ELO * (log - log.mean()),
        )


def compute_group_truth(deals: Sequence[PoolDeal], names: tuple[str, ...]) -> list[Floats]:
    """Return the mean places, the mean scores, and who finishes ahead of whom."""
    seats = np.concatenate([deal.list_seats() for deal in deals])
    places = np.concatenate([deal.places for deal in deals])
    scores = np.concatenate([deal.scores for deal in deals])
    results = Results(names, np.arange(len(seats)), seats, places, scores)
    n, matches = len(names), len(seats)
    means = [np.bincount(seats.ravel(), values.ravel(), n) / matches for values in (places, scores)]
    duels = compute_head_to_head(results).tabulate()
    return [*means, (duels.ahead + duels.level / 2) / matches]


def measure(case: tuple[Game, int, tuple[str, ...]], tournaments: int) -> None:
    """Print the coverage of each kind of interval in each format."""
    game, table, names = case
    pool = play_pool(game, table, names, POOL_DEALS[table])
    truth = Truth.of(pool, names)
    if table == 2:  # a duel
        print(f"| {game.name} | duels | {measure_duels(pool, tournaments * 10):.3f} | | |")
    for form in FORMAT_NAMES:
        hits: list[list[float]] = []
        for seed in range(tournaments):
            results = Simulation(pool, table, names, FORMATS[form](), seed).play(MATCHES)
            fit = BradleyTerry().fit(results)
            found: tuple[EntrantMeans | Ratings, ...] = (
                compute_mean_places(results), compute_mean_scores(results), fit,
            )  # fmt: skip
            hits.append(
                [
                    float(np.mean((interval.low <= true) & (true <= interval.high)))
                    for interval, true in zip(found, truth.predict(results), strict=True)
                ]
            )
        places, scores, ratings = np.mean(hits, axis=0)
        print(
            f"| {game.name}, {table} seats | {form} | {ratings:.3f} | {places:.3f}"
            f" | {scores:.3f} |",
            flush=True,
        )


def measure_duels(pool: Pool, tournaments: int) -> float:
    """Return how often the interval of a duel of DUEL_PAIRS deals contains the difference."""
    random, hits = np.random.default_rng(1), []
    for deals in pool.values():
        points = np.array([deal.count_points() for deal in deals])
        true = points.mean() / 4
        for _ in range(tournaments // len(pool) + 1):
            counts = np.bincount(random.choice(points, DUEL_PAIRS), minlength=5).tolist()
            found = estimate_elo_difference(counts)
            low, high = (elo_to_score(end) for end in (found.low, found.high))
            hits.append(low <= true <= high)
    return float(np.mean(hits))


if __name__ == "__main__":
    times = int(sys.argv[1]) if len(sys.argv) > 1 else TOURNAMENTS
    for case in CASES:
        measure(case, times)
