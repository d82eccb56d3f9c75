"""Round-robin and gauntlet: counted among those who are there."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb
from random import Random

import pytest

from arena.rules import UserError
from arena.tournament.deals import make_pair
from arena.tournament.format_protocol import FormatTerms
from arena.tournament.formats.round_robin import Gauntlet, RoundRobin, build_patterns, build_rounds
from tests.support.tournaments.formats import FormatRun, build_ids


def build_robin(
    entrants: int, table: int = 2, rounds: int | None = None, **terms: object
) -> FormatRun:
    made = FormatTerms(table, initial_entrants=entrants, **terms)  # type: ignore[arg-type]
    return FormatRun(RoundRobin(rounds), made, build_ids(entrants))


@pytest.mark.parametrize("entrants", range(2, 14))
def test_the_circle_pairs_all_once_in_disjoint_rounds(entrants: int) -> None:
    """A circle needs one round less than entrants, or as many if their number is odd."""
    found = build_rounds(entrants, 2, Random(0))
    assert len(found) == entrants - 1 + entrants % 2
    for match in found:
        assert len({*sum(match, ())}) == 2 * len(match) == entrants - entrants % 2
    assert sorted(sum(found, ())) == [*combinations(range(entrants), 2)]


@pytest.mark.parametrize(("entrants", "table"), [(3, 3), (6, 3), (8, 4), (9, 3), (7, 1), (11, 5)])
def test_patterns_give_every_group_once_and_everybody_the_same(entrants: int, table: int) -> None:
    """In each round of larger tables everybody plays equally often."""
    found = build_patterns(entrants, table)
    assert sorted(sum(found, ())) == [*combinations(range(entrants), table)]
    for match in found:
        assert len({*Counter(sum(match, ())).values()}) == 1


@pytest.mark.parametrize("entrants", [2, 5, 8, 11])
def test_two_change_seats_each_time(entrants: int) -> None:
    """After an even number of rounds each has sat in both seats equally often, and so has each two."""
    tournament = build_robin(entrants, rounds=4)
    tournament.run()
    seats = Counter(played.seats for played in tournament.results)
    assert {*seats.values()} == {2}
    assert len(seats) == entrants * (entrants - 1)


@pytest.mark.parametrize(("entrants", "table"), [(5, 3), (7, 4), (6, 5), (4, 4)])
def test_every_group_plays_as_often_as_there_are_rounds(entrants: int, table: int) -> None:
    """Each group plays once a round, and its seats rotate."""
    tournament = build_robin(entrants, table, rounds=3)
    tournament.run()
    assert {*tournament.past.groups.values()} == {3}
    assert len(tournament.past.groups) == comb(entrants, table)
    seats = [
        tournament.past.seatings[entrant, seat]
        for entrant in tournament.field
        for seat in range(table)
    ]
    assert max(seats) - min(seats) <= 2


def test_duplicate_deals_and_deals_seen_once_give_as_many_matches() -> None:
    """A keeper plays as many deals as the others play rotations, in every seat, too."""
    tournament = build_robin(5, rounds=2, duplicate=True, folder_keepers=frozenset(["e1@1"]))
    tournament.run()
    assert {*tournament.past.groups.values()} == {4}
    assert len({*Counter(played.seats for played in tournament.results).values()}) == 1


@pytest.mark.parametrize(
    ("matches", "duplicate", "played"), [(40, False, 41), (40, True, 42), (60, True, 60)]
)
def test_matches_are_rounded_up_to_equal_shares(matches: int, duplicate: bool, played: int) -> None:
    """Three entrants play equally often, and with `duplicate` each deal in all rotations."""
    tournament = build_robin(3, matches=matches, duplicate=duplicate)
    tournament.run()
    assert tournament.past.matches == played


@pytest.mark.parametrize(("entrants", "matches"), [(6, 45), (6, 100), (7, 50), (9, 1)])
def test_matches_are_shares(entrants: int, matches: int) -> None:
    """Everybody has its share, and no more than one match above it."""
    tournament = build_robin(entrants, matches=matches)
    tournament.run()
    assert tournament.terms.share is not None
    assert (
        tournament.terms.share
        <= min(tournament.plays())
        <= max(tournament.plays())
        <= tournament.terms.share + 1
    )
    assert (
        max(tournament.past.groups.values()) - min([*tournament.past.groups.values(), 0])
        <= 1 + matches // 15
    )


def test_long_events_are_planned_in_parts() -> None:
    """A long event is planned in whole rounds of about a thousand deals."""
    tournament = build_robin(50, rounds=1)
    assert [len(tournament.next()), len(tournament.next()), len(tournament.next())] == [
        1000,
        225,
        0,
    ]
    assert {*tournament.past.groups.values()} == {1}


@pytest.mark.parametrize("matches", [None, 60])
def test_a_newcomer_plays_what_it_lacks_and_the_others_nothing(matches: int | None) -> None:
    """A late entrant or a new version plays its share, and the others play nothing more."""
    tournament = build_robin(6, matches=matches)
    tournament.run()
    tournament.field = [*tournament.field[1:], "e0@2", "late0@1"]
    new = tournament.run()
    assert all({"e0@2", "late0@1"} & {*deal.seats} for deal in new)
    between = [
        tournament.past.meetings[make_pair(*two)]
        for two in combinations(tournament.field, 2)
        if "late0@1" in two
    ]
    assert min(between) >= (1 if matches is None else 60 * 2 // 6 // 6)


def test_raising_the_matches_goes_on() -> None:
    """A tournament may be prolonged."""
    tournament = build_robin(6, matches=30)
    before = tournament.run()
    tournament.terms = FormatTerms(2, 60, 6)
    assert len(before) == len(tournament.run()) == 30


def build_gauntlet(
    entrants: int, table: int = 2, challenger: str | None = None, **terms: object
) -> FormatRun:
    made = FormatTerms(table, initial_entrants=entrants, **terms)  # type: ignore[arg-type]
    return FormatRun(Gauntlet(challenger), made, build_ids(entrants))


@pytest.mark.parametrize(("table", "matches"), [(2, 24), (3, 24), (4, 50), (2, None), (5, None)])
def test_a_gauntlet_is_one_against_all_evenly(table: int, matches: int | None) -> None:
    """The challenger sits at every table, in every seat, with everybody."""
    tournament = build_gauntlet(9, table, matches=matches)
    tournament.run()
    challenger = "e8@1"
    assert (
        tournament.past.plays[challenger]
        == tournament.past.matches
        == (matches or -(-8 // (table - 1)))
    )
    met = [
        tournament.past.meetings[make_pair(challenger, other)] for other in tournament.field[:-1]
    ]
    assert max(met) - min(met) <= 1
    seats = [tournament.past.seatings[challenger, seat] for seat in range(table)]
    assert max(seats) - min(seats) <= 2


def test_the_challenger_may_be_named() -> None:
    """A gauntlet names its challenger; a new version of that begins anew."""
    tournament = build_gauntlet(5, challenger="e2", matches=20)
    assert all("e2@1" in deal.seats for deal in tournament.run())
    tournament.field[2] = "e2@2"
    new = tournament.run()
    assert len(new) == 20
    assert all("e2@2" in deal.seats for deal in new)


def test_without_its_challenger_a_gauntlet_is_over() -> None:
    """A gauntlet ends when its challenger is withdrawn or set aside."""
    tournament = build_gauntlet(5, challenger="e2", matches=20)
    tournament.next()
    del tournament.field[2]
    assert tournament.run() == []


def test_who_comes_later_meets_the_challenger_too() -> None:
    """A late entrant of a gauntlet plays its share against the challenger."""
    tournament = build_gauntlet(5, challenger="e0", matches=20)
    tournament.run()
    tournament.field.append("late0@1")
    assert [{*deal.seats} for deal in tournament.run()] == 4 * [{"e0@1", "late0@1"}]


@pytest.mark.parametrize(("table", "matches"), [(2, None), (2, 36), (3, 24)])
def test_several_challengers_meet_all_others_evenly(table: int, matches: int | None) -> None:
    """Neither challengers nor the others meet each other; each entrant plays its share."""
    tournament = build_gauntlet(8, table, challenger="e1+e6", matches=matches)
    tournament.run()
    challengers = {"e1@1", "e6@1"}
    if table == 2:
        others = [entrant for entrant in tournament.field if entrant not in challengers]
        assert not any(tournament.past.meetings[pair] for pair in combinations(sorted(others), 2))
    assert tournament.past.meetings["e1@1", "e6@1"] == 0
    for challenger in challengers:
        assert tournament.past.plays[challenger] == (matches // 2 if matches else 6)
        met = [
            tournament.past.meetings[make_pair(challenger, other)]
            for other in {*tournament.field} - challengers
        ]
        assert max(met) - min(met) <= 1


def test_a_challenger_that_did_not_enter_is_named() -> None:
    """A gauntlet refuses a challenger that did not enter, and a field of challengers alone."""
    tournament = build_gauntlet(5, challenger="e1+f6")
    with pytest.raises(UserError, match="f6"):
        tournament.format.check(tournament.field, tournament.terms)
    with pytest.raises(UserError, match="needs 2 entrants"):
        build_gauntlet(2, challenger="e0+e1").format.check(build_ids(2), FormatTerms(2))
