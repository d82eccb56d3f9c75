"""Results drawn from known strengths, by another way than the fit's: all rankings are listed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations, product

import numpy as np

from arena.tournament.ratings.rating_input import Floats, Ints, Results

Ties = Mapping[tuple[int, int], float]


"""How readily so many of so many are chosen, as the model of Davidson and Luce has it."""


NONE: Ties = {}
Luck = Callable[[np.random.Generator, int, int], Floats]
"""How lucky each match of so many deals, with so many matches each, is; (deals, matches)."""
SOME = {(4, 2): 0.5, (4, 3): 0.3, (4, 4): 0.2, (3, 2): 0.4, (3, 3): 0.3, (2, 2): 0.6}


def build_results(
    seats: Ints, places: Ints, deal: Ints | None = None, entrants: int = 0
) -> Results:
    """Return results, with the places for scores, negated; each match in a deal of its own."""
    deal = np.arange(len(seats)) if deal is None else deal
    names = tuple(f"e{index}" for index in range(max(entrants, int(seats.max(initial=-1)) + 1)))
    return Results(names, deal, seats, places, -places.astype(np.float64))


def list_rankings(table: int, ties: Ties) -> list[tuple[int, ...]]:
    """List all places that can come about at a table, from the first seat's lead to its lag."""
    places = [
        places
        for places in product(range(1, table + 1), repeat=table)
        if all(place == 1 + sum(other < place for other in places) for place in places)
        and (ties or len(set(places)) == table)
    ]
    return sorted(places, key=lambda places: places[0] - places[-1])


def compute_log_chances(strengths: Floats, ties: Ties) -> Floats:
    """Return the log probability of each of these at tables of such strengths.

    (tables, table) to (tables, rankings).
    """
    everybody = range(strengths.shape[1])
    worth = {
        some: strengths[:, some].mean(axis=1)
        for number in range(1, len(everybody) + 1)
        for some in combinations(everybody, number)
    }

    def share(some: tuple[int, ...], left: tuple[int, ...]) -> Floats:
        readily = 1.0 if len(some) == 1 else ties.get((len(left), len(some)), 0)
        with np.errstate(divide="ignore"):
            return np.asarray(worth[some] + np.log(readily))

    def first(some: tuple[int, ...], left: tuple[int, ...]) -> Floats:
        all_ways = [
            share(way, left) for number in everybody for way in combinations(left, number + 1)
        ]
        return np.asarray(share(some, left) - np.logaddexp.reduce(all_ways, axis=0))

    chances = []
    for places in list_rankings(len(everybody), ties):
        left, chance = tuple(everybody), np.zeros(len(strengths))
        while len(left) > 1:
            best = min(places[seat] for seat in left)
            some = tuple(seat for seat in left if places[seat] == best)
            chance = chance + first(some, left)
            left = tuple(seat for seat in left if seat not in some)
        chances.append(chance)
    return np.stack(chances, axis=1)


def draw_results(strengths: Floats, seats: Ints, luck: Floats, ties: Ties = SOME) -> Results:
    """Draw results: each row of seats (deals, table) sits through a row of luck.

    Luck is uniform in (0, 1); the more of it, the later in the list the ranking.
    """
    deals, matches = luck.shape
    bounds = np.cumsum(np.exp(compute_log_chances(strengths[seats], ties)), axis=1)[:, :-1]
    which = (luck[:, :, None] > bounds[:, None, :]).sum(axis=2).ravel()
    places = np.array(list_rankings(seats.shape[1], ties))[which]
    deal = np.repeat(np.arange(deals), matches)
    return build_results(np.repeat(seats, matches, axis=0), places, deal, len(strengths))


def draw_seatings(random: np.random.Generator, deals: int, table: int, entrants: int) -> Ints:
    """Seat entrants at random; (deals, table)."""
    return np.argsort(random.random((deals, entrants)), axis=1)[:, :table]


def draw_own_luck(random: np.random.Generator, deals: int, matches: int) -> Floats:
    """Return each match luck of its own."""
    return random.random((deals, matches))


def draw_shared_luck(random: np.random.Generator, deals: int, matches: int) -> Floats:
    """Return four of five matches their deal's luck."""
    deal = np.broadcast_to(random.random((deals, 1)), (deals, matches))
    return np.where(random.random((deals, matches)) < 0.8, deal, random.random((deals, matches)))


def draw_opposite_luck(random: np.random.Generator, deals: int, matches: int) -> Floats:
    """Return every second match the opposite of the one before."""
    luck = random.random((deals, matches // 2, 1))
    return np.concatenate([luck, 1 - luck], axis=2).reshape(deals, matches)
