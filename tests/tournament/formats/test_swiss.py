"""Swiss: equals meet, once; and what costs least is found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.deals import Deal
from arena.tournament.format_protocol import FormatTerms
from arena.tournament.formats.swiss import Swiss, SwissScores, find_best_pairs, find_best_tables
from tests.support.tournaments.formats import FormatRun, build_ids, rank_by_chance


def build_swiss(
    entrants: int, table: int = 2, rounds: int | None = None, games: int = 1
) -> FormatRun:
    return FormatRun(Swiss(rounds, games), FormatTerms(table, None, entrants), build_ids(entrants))


def list_matchings(tournament: list[int]) -> Iterator[list[tuple[int, int]]]:
    if not tournament:
        yield []
    for other in tournament[1:]:
        for rest in list_matchings([player for player in tournament[1:] if player != other]):
            yield [(tournament[0], other), *rest]


def group_by_round(deals: list[Deal]) -> list[list[Deal]]:
    rounds = defaultdict(list)
    for deal in deals:
        rounds[deal.stage].append(deal)
    return [*rounds.values()]


@given(st.lists(st.integers(0, 20), min_size=28, max_size=28), st.sampled_from([2, 4, 6, 8]))
def test_pairs_cost_least(costs: list[int], size: int) -> None:
    """Pairings of eight cost as little as the best of all ways to pair them."""
    table = np.zeros((8, 8))
    for (player, other), cost in zip(combinations(range(8), 2), costs, strict=True):
        table[player, other] = table[other, player] = cost
    least = min(sum(table[two] for two in way) for way in list_matchings([*range(size)]))
    found = find_best_pairs(table[:size, :size])
    assert sum(table[two] for two in found) == pytest.approx(least)
    assert sorted(sum(found, ())) == [*range(size)]


def test_large_fields_are_paired_near_by() -> None:
    """Large fields are paired exactly among entrants near each other in the order."""
    order = np.arange(120.0)
    found = find_best_pairs(np.subtract.outer(order, order) ** 2)
    assert found == [(number, number + 1) for number in range(0, 120, 2)]


def test_no_exchange_makes_tables_cheaper() -> None:
    """No exchange of two entrants lowers the cost of the tables."""
    order = np.array([3, 1, 0, 2, 1, 3, 2, 0, 0, 1, 2, 3.0])
    tables = find_best_tables(np.subtract.outer(order, order) ** 2, 3)
    assert sorted(sorted(order[table].tolist()) for table in tables) == [
        [points] * 3 for points in range(4)
    ]


@pytest.mark.parametrize("entrants", [4, 7, 8, 9, 12, 16, 33])
def test_nobody_meets_the_same_opponent_twice(entrants: int) -> None:
    """Nobody meets an opponent twice or sits out twice, and each plays or sits out in each round."""
    tournament = build_swiss(entrants)
    tournament.places = rank_by_chance(2.0, void=0.05)
    rounds = group_by_round(tournament.run())
    assert len(rounds) == min(entrants - 1, (entrants - 1).bit_length() + 1)
    assert max(tournament.past.meetings.values()) == 1
    scores = SwissScores.of(tournament.past)
    assert scores.byes.total() == entrants % 2 * len(rounds)
    assert max([*scores.byes.values(), 0]) <= 1
    for entrant in tournament.field:
        assert tournament.past.plays[entrant] + scores.byes[entrant] == len(rounds)
        assert abs(tournament.past.seatings[entrant, 0] - tournament.past.seatings[entrant, 1]) <= 3


@pytest.mark.parametrize("entrants", [5, 6, 7, 8])
def test_rematches_are_as_few_as_can_be(entrants: int) -> None:
    """Each round has as few rematches as possible, also where somebody has to sit out again."""
    tournament = build_swiss(entrants, rounds=entrants + 1)
    nodes = entrants + entrants % 2
    met: Counter[tuple[int, ...]] = Counter()
    names = {entrant: number for number, entrant in enumerate(tournament.field)}
    while deals := tournament.next():
        pairs = [tuple(sorted(names[seat] for seat in deal.seats)) for deal in deals]
        alone = {*range(nodes)} - {*sum(pairs, ())}
        pairs += [tuple(sorted(alone))] if alone else []
        least = min(sum(met[two] for two in way) for way in list_matchings([*range(nodes)]))
        assert sum(met[two] for two in pairs) == least
        met.update(pairs)


@pytest.mark.parametrize(("entrants", "table"), [(16, 2), (17, 2), (40, 2), (16, 4), (23, 4)])
def test_the_best_wins_where_the_better_wins_always(entrants: int, table: int) -> None:
    """The best entrant comes first, and the worst in the last quarter."""
    tournament = build_swiss(entrants, table)
    tournament.run()
    ranking = tournament.format.ranking(tournament.field, tournament.past, tournament.terms)  # type: ignore[attr-defined]
    assert ranking[0].entrant == "e0@1"
    assert tournament.field[-1] in [row.entrant for row in ranking[-entrants // 4 :]]
    points = [float(row.result) for row in ranking]
    assert points == sorted(points, reverse=True)


def test_who_sits_out_is_last_and_has_a_win() -> None:
    """One of the last sits out, named by the stage of the round and the state of its deals."""
    tournament = build_swiss(5)
    tournament.next()
    tournament.add_results()
    points = SwissScores.of(tournament.past).points
    deal = tournament.next()[0]
    number, bye = deal.state
    assert deal.stage == f"round {number}, without {bye}" == f"round 2, without {bye}"
    assert points[bye] == min(points[entrant] for entrant in tournament.field)
    tournament.add_results()
    assert SwissScores.of(tournament.past).byes[bye] == 1


def test_a_round_is_worth_one_point_at_most() -> None:
    """A keeper, which plays fewer matches of a round, loses no points by it."""
    tournament = build_swiss(6, rounds=1, games=3)
    tournament.terms = FormatTerms(2, None, 6, duplicate=True, folder_keepers=frozenset(["e0@1"]))
    assert len(tournament.run()) == 9
    tournament.add_results()
    assert sorted(SwissScores.of(tournament.past).points.values()) == [0, 0, 0, 1, 1, 1]
    assert tournament.past.seatings["e0@1", 0] in (1, 2)


def test_who_comes_later_begins_with_nothing() -> None:
    """A late entrant joins the next round among the last, and plays the rounds that are left."""
    tournament = build_swiss(8, rounds=4)
    tournament.next()
    tournament.next()
    tournament.field.append("e99@1")
    third = tournament.next()
    assert SwissScores.of(tournament.past).points["e99@1"] == 0
    assert not any({*deal.seats} == {"e0@1", "e99@1"} for deal in third)
    assert len(group_by_round(tournament.run())) == 1
    assert tournament.past.plays["e99@1"] + SwissScores.of(tournament.past).byes["e99@1"] == 2


@pytest.mark.each("entrants", "table")
@pytest.mark.parametrize("entrants", [3, 5, 7, 11])
@pytest.mark.parametrize("table", [2, 3])
def test_nobody_gets_a_second_bye_before_all_have_had_one(entrants: int, table: int) -> None:
    """Two entrants meet again before one sits out twice, whatever the results."""
    for seed in range(2):
        tournament = build_swiss(entrants, table, rounds=2 * entrants)
        tournament.seed, tournament.places = f"{seed}", rank_by_chance(2.0)
        while tournament.next():
            byes = SwissScores.of(tournament.past).byes
            counts = [byes[entrant] for entrant in tournament.field]
            assert max(counts) - min(counts) <= 1
