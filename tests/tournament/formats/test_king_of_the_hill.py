"""King of the hill: how evenly everybody sits."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.deals import Deal, PastMatches
from arena.tournament.format_protocol import FormatTerms
from arena.tournament.formats.evenness import CountRange, Evenness, compute_evenness
from arena.tournament.formats.king_of_the_hill import KingOfTheHill, build_groups, share_out
from tests.support.tournaments.formats import FormatRun, build_ids

pytestmark = pytest.mark.slow  # thousands of matches are planned


def build_hill(entrants: int, table: int, matches: int, **terms: object) -> FormatRun:
    made = FormatTerms(table, matches, entrants, **terms)  # type: ignore[arg-type]
    return FormatRun(KingOfTheHill(), made, build_ids(entrants))


def measure_spreads(tournament: FormatRun) -> tuple[int, int, int, int]:
    """Return the difference of the most and the least plays, meetings, seats and neighbours."""
    even = compute_evenness(tournament.past, tournament.field)
    spreads = even.plays, even.meetings, even.seats, even.neighbours
    assert all(spread.least <= spread.ideal <= spread.most for spread in spreads)
    return tuple(spread.most - spread.least for spread in spreads)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("entrants", "table", "matches", "bounds"),
    [
        pytest.param(10, 4, 1000, (0, 1, 2, 4), marks=pytest.mark.release),
        (13, 3, 500, (1, 2, 2, 4)),
        pytest.param(30, 5, 600, (0, 3, 4, 5), marks=pytest.mark.release),
        (5, 4, 500, (0, 1, 2, 2)),
        (7, 6, 500, (1, 3, 2, 2)),
        (9, 8, 100, (1, 3, 4, 4)),
        (6, 1, 60, (0, 0, 0, 0)),
    ],
)
def test_all_is_about_even(
    entrants: int, table: int, matches: int, bounds: tuple[int, int, int, int]
) -> None:
    """Plays, meetings, seats and neighbours differ by little more than was measured."""
    tournament = build_hill(entrants, table, matches)
    tournament.run()
    assert all(
        width <= bound for width, bound in zip(measure_spreads(tournament), bounds, strict=True)
    )
    assert min(tournament.plays()) == tournament.terms.share


def test_a_cancelled_rotation_seats_nobody() -> None:
    """The seats of a deal are counted from its other rotations if one was cancelled."""
    past = PastMatches()
    past.count_deal(Deal(0, ("a@1", "b@1"), 2), cancelled=[0])
    assert past.seatings == {("b@1", 0): 1, ("a@1", 1): 1}


def test_duplicate_deals_have_everybody_in_every_seat() -> None:
    """With duplicate deals seats are exactly even, and the rest is even within some deals."""
    tournament = build_hill(10, 4, 2000, duplicate=True)
    tournament.run()
    plays, meetings, seats, neighbours = measure_spreads(tournament)
    assert (plays, seats) == (0, 0)
    assert meetings <= 4
    assert neighbours <= 12


def test_somebody_who_remembers_has_its_share_of_matches() -> None:
    """A keeper plays more deals for its share, and the others' matches stay about even."""
    tournament = build_hill(10, 4, 2000, duplicate=True, folder_keepers=frozenset(["e3@1"]))
    tournament.run()
    assert min(tournament.plays()) >= 800
    assert max(tournament.plays()) <= 812
    assert tournament.past.matches <= 2020


@pytest.mark.parametrize("late", [pytest.param(1, marks=pytest.mark.release), 3])
def test_who_comes_halfway_is_through_with_the_others(late: int) -> None:
    """A late entrant has met the others as often as they have met each other when they end."""
    tournament = build_hill(20, 4, 1000)
    while tournament.past.deals < 500:
        tournament.next()
    tournament.field += build_ids(late, "late")
    tournament.run()
    plays, meetings, seats, _ = measure_spreads(tournament)
    assert (plays, meetings, seats) <= (1, 4, 3)
    assert max(tournament.plays()) <= 201


def test_who_comes_after_the_end_plays_its_share() -> None:
    """An entrant that comes after the end meets all evenly, and they play no more than it needs."""
    tournament = build_hill(10, 4, 500)
    tournament.run()
    tournament.field.append("late0@1")
    new = tournament.run()
    assert len(new) == 200
    assert all("late0@1" in deal.seats for deal in new)
    assert max(tournament.plays()) - 200 == 60
    met = [tournament.past.meetings[entrant, "late0@1"] for entrant in tournament.field[:-1]]
    assert max(met) - min(met) <= 1


def test_a_batch_is_about_one_table_for_each() -> None:
    """A batch is small enough that the schedule follows who joins and leaves."""
    assert len(build_hill(30, 5, 1000).next()) == 30
    assert len(build_hill(5, 4, 1000).next()) == 15


def test_the_last_tables_are_filled_by_who_has_played_least() -> None:
    """Nobody plays two matches more than another where shares do not come out even."""
    for matches in range(7, 20):
        tournament = build_hill(7, 3, matches)
        tournament.run()
        assert max(tournament.plays()) <= min(tournament.plays()) + 1
        assert min(tournament.plays()) == tournament.terms.share


def test_nobody_is_uneven_with_nobody() -> None:
    """The figures of evenness exist before anything is planned."""
    none = CountRange(0, 0, 0.0)
    assert compute_evenness(PastMatches(), ()) == Evenness(none, none, none, none)


@given(
    weights=st.lists(st.integers(0, 9), min_size=1, max_size=8),
    most=st.integers(1, 5),
    total=st.integers(1, 40),
)
def test_shares_are_in_proportion_up_to_what_each_can_take(
    weights: list[int], most: int, total: int
) -> None:
    """All is shared out if it can be, and equal claims get equal shares."""
    given_ = share_out(np.array(weights, float), np.array([most] * len(weights)), total)
    can = most * sum(weight > 0 for weight in weights)
    assert given_.sum() == pytest.approx(min(total, can))
    assert given_.max() <= most + 1e-9
    for weight, part in zip(weights, given_, strict=True):
        assert part == given_[weights.index(weight)]
        assert bool(part) == bool(weight)


@given(st.data())
def test_groups_keep_to_the_quotas(data: st.DataObject) -> None:
    """Nobody sits at a table twice, whatever the quotas are."""
    table, groups = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 8))
    quotas = [0] * (table + data.draw(st.integers(0, 5)))
    for _ in range(table * groups):
        free = [seat for seat, quota in enumerate(quotas) if quota < groups]
        quotas[data.draw(st.sampled_from(free))] += 1
    found = build_groups(quotas, table, np.zeros((len(quotas),) * 2), 1, Random(1))
    assert [sum(number in group for group in found) for number in range(len(quotas))] == quotas
    assert all(len({*group}) == len(group) == table for group in found)
