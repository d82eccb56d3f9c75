"""Counts and means, who met whom, cycles, and whether a ranking is settled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from arena.rules import UserError
from arena.tournament.ratings import (
    BradleyTerry,
    compute_head_to_head,
    compute_mean_places,
    compute_mean_scores,
    estimate_difference,
    find_beating_cycle,
    is_ranking_certain,
    list_connected_groups,
)
from arena.tournament.ratings.meeting_graph import find_components, find_shortest_cycle
from arena.tournament.ratings.rating_input import Results
from tests.support.tournaments.random_results import build_results
from tests.support.tournaments.ratings import build_duels, draw_sample, results

CIRCLE = [(0, 1, 1), (1, 2, 1), (2, 0, 1)]
"""Each beats the next."""


def build_circle(often: int, *more: tuple[int, int, int]) -> Results:
    return build_duels(*((*row, often) for row in [*CIRCLE, *more]))


def test_a_table_counts_as_all_its_duels() -> None:
    """Entrants that share a place of a table are level."""
    found = build_results(np.array([[2, 0, 3, 1]]), np.array([[1, 2, 2, 4]]))
    duel = compute_head_to_head(found).tabulate()
    assert duel.ahead.tolist() == [[0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 0, 1], [0, 1, 0, 0]]
    assert duel.level.tolist() == [[0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]]
    assert duel.behind.tolist() == duel.ahead.T.tolist()
    assert duel.rate[0, 1:].tolist() == [1, 0, 0.5]


@given(results())
def test_duels_are_the_same_from_both_sides(found: Results) -> None:
    """Matches that one finished ahead the other finished behind, and shares of a pair sum to one."""
    duel = compute_head_to_head(found).tabulate()
    assert np.array_equal(duel.ahead, duel.behind.T)
    assert np.array_equal(duel.level, duel.level.T)
    assert np.array_equal(duel.lead, -duel.lead.T)
    both = duel.rate + duel.rate.T
    assert np.array_equal(np.isnan(both), duel.matches == 0)
    assert both[duel.matches > 0] == pytest.approx(1)
    assert np.array_equal(duel.lead > 0, duel.ahead > duel.behind)


def test_a_lead_takes_the_matches_of_a_deal_together() -> None:
    """Ten wins in one deal are one; in ten deals the lead is the root of ten."""
    seats, places = np.tile([0, 1], (10, 1)), np.tile([1, 2], (10, 1))
    assert compute_head_to_head(build_results(seats, places)).lead == pytest.approx(10**0.5)
    together = build_results(seats, places, np.zeros(10, np.int64))
    assert compute_head_to_head(together).lead.tolist() == [1]


def test_means_are_by_match_and_their_intervals_by_deal() -> None:
    """The mean and its interval are those computed by hand, for deals with 1 and 2 matches."""
    found = build_results(np.array([[0, 1], [0, 1], [0, -1]]), np.array([[1, 2], [2, 1], [1, 0]]))
    found = Results(found.entrants, np.array([5, 9, 9]), found.seats, found.places, found.scores)
    means = compute_mean_places(found)
    assert means.mean == pytest.approx([4 / 3, 3 / 2])
    assert (means.matches.tolist(), means.deals.tolist()) == ([3, 2], [2, 2])
    spread, swing = 2 * (1 / 9 + 1 / 9), 8 / 9  # the deals' sums are 1/3 less and more, scaled up
    centre = 4 / 3 + (7 / 5 - 4 / 3) * 2 / 4  # as with two more deals
    away = 3.182446 * (spread + 2 * swing / 2) ** 0.5 / (4 * 3 / 2)
    assert means.high[0] == pytest.approx(centre + away)
    assert compute_mean_scores(found).mean == pytest.approx([-4 / 3, -3 / 2])


def test_differences_that_are_all_alike_are_no_certainty() -> None:
    """Equal differences have the interval of two more deals, and none if no score differs."""
    scores = np.tile([2.0, 5.0, 8.0], 10)
    for lead in (0.0, 1.0):
        found = estimate_difference(scores + lead, scores)
        assert found.value == pytest.approx(lead)
        assert found.low < found.value - 0.1
        assert found.value + 0.1 < found.high
    for scores_of_one, scores_of_other in ((scores * 0 + 2, scores * 0), (scores[:1], scores[:1])):
        found = estimate_difference(scores_of_one, scores_of_other)
        assert (found.low, found.high) == (-np.inf, np.inf)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 1.0])
def test_intervals_of_differences_cover_the_truth(share: float) -> None:
    """Intervals cover the truth, also where only a few deals tell two entrants apart."""
    random, hits = np.random.default_rng(7), []
    for _ in range(400):
        scores = random.normal(5, 3, 40).round()
        lead = (random.random(40) < share) * random.choice([-1, 1, 1], 40)
        found = estimate_difference(scores + lead, scores)
        hits.append(found.low <= share / 3 <= found.high)
    assert np.mean(hits) > 0.92


def test_means_of_who_hardly_played() -> None:
    """One deal gives a mean without an interval, and no deal gives none."""
    means = compute_mean_scores(build_results(np.array([[0, 1]]), np.array([[1, 2]]), entrants=3))
    assert means.mean[:2].tolist() == [-1, -2]
    assert np.isinf(means.low[:2]).all()
    assert np.isnan([means.mean[2], means.low[2], means.high[2]]).all()
    with pytest.raises(UserError, match="between 0 and 1"):
        compute_mean_scores(draw_sample(1, 2, 3, 5), 1.0)


def test_those_who_never_met_are_in_different_groups() -> None:
    """The largest group comes first, and an entrant that met nobody is a group of its own."""
    found = build_duels((0, 1, 1, 1), (2, 3, 1, 1), (3, 4, 1, 1))
    found = build_results(found.seats, found.places, entrants=6)
    assert list_connected_groups(found) == (("e2", "e3", "e4"), ("e0", "e1"), ("e5",))


def test_groups_are_those_of_scipy() -> None:
    """Groups of chains, crowds and loners are those of scipy, numbered by their first entrants."""
    random = np.random.default_rng(1)
    for _ in range(200):
        n = int(random.integers(1, 60))
        first, second = random.integers(0, n, (2, int(random.integers(0, n + 9))))
        edges = coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
        expected = connected_components(edges, directed=False)[1]
        assert find_components(n, first, second).tolist() == expected.tolist()
    chain = random.permutation(3000)
    assert not find_components(3000, chain[1:], chain[:-1]).any()


def test_a_circle_is_no_order() -> None:
    """A cycle is named from its first entrant on, each before the one that it beats."""
    assert find_beating_cycle(compute_head_to_head(build_circle(10))) == ("e0", "e1", "e2")


def test_the_shortest_cycle_is_named() -> None:
    """A cycle of three is named before longer ones."""
    more = [(2, 3, 1), (3, 4, 1), (4, 0, 1)]
    assert find_beating_cycle(compute_head_to_head(build_circle(10, *more))) == ("e0", "e1", "e2")
    longer = [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 1)]
    found = find_beating_cycle(compute_head_to_head(build_duels(*((*row, 10) for row in longer))))
    assert found == ("e0", "e1", "e2", "e3")


def test_a_circle_by_chance_is_none() -> None:
    """A cycle of two wins each is due to chance, unless every lead counts as beating."""
    duel = compute_head_to_head(build_circle(2))
    assert not find_beating_cycle(duel)
    assert find_beating_cycle(duel, 0.5) == ("e0", "e1", "e2")


def test_an_order_is_transitive() -> None:
    """Entrants that beat each other in their order form no cycle, nor do those without results."""
    found = find_beating_cycle(
        compute_head_to_head(build_duels((0, 1, 1, 9), (1, 2, 1, 9), (0, 2, 1, 9)))
    )
    assert found == ()
    nothing = compute_head_to_head(build_results(np.zeros((0, 2), int), np.zeros((0, 2), int)))
    assert find_beating_cycle(nothing) == ()


def test_a_ranking_is_resolved_when_each_is_surely_stronger_than_the_next() -> None:
    """The certainty of a ranking is judged at the given level."""
    far = [(0, 2, 1, 40), (0, 2, -1, 5), (1, 2, 1, 40), (1, 2, -1, 5)]
    close = BradleyTerry().fit(build_duels(*far, (0, 1, 1, 22), (0, 1, -1, 18)))
    clear = BradleyTerry().fit(build_duels(*far, (0, 1, 1, 40), (0, 1, -1, 10)))
    assert not is_ranking_certain(close)
    assert is_ranking_certain(close, 0.6)
    assert is_ranking_certain(clear)


def test_who_wins_in_a_circle_is_found_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """An order has no cycle, however long; one upset between its ends makes one.

    Of too many to be compared, the cycle that a walk comes to is named.
    """
    winner, loser = np.triu_indices(30, 1)
    assert find_shortest_cycle(30, winner, loser) == []
    assert find_shortest_cycle(0, winner[:0], loser[:0]) == []
    other = (winner > 0) | (loser < 29)
    upset = np.append(winner[other], 29), np.append(loser[other], 0)
    assert len(find_shortest_cycle(30, *upset)) == 3
    monkeypatch.setattr("arena.tournament.ratings.meeting_graph.MAX_COMPARED_CYCLES", 2)
    cycle = find_shortest_cycle(30, *upset)
    pairs = {*zip(*(side.tolist() for side in upset), strict=True)}
    assert len(cycle) > 1
    assert {*zip(cycle, cycle[1:] + cycle[:1], strict=True)} <= pairs
