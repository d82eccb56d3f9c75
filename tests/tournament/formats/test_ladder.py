"""Ladder: matches go where most is to be learnt."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from arena.tournament.deals import Deal, PlayedMatch, make_pair
from arena.tournament.entries import Id
from arena.tournament.format_protocol import FormatTerms
from arena.tournament.formats.ladder import Ladder, StrengthBeliefs, count_wins, estimate_strengths
from tests.support.tournaments.formats import FormatRun, build_ids, rank_by_chance


def build_ladder(
    entrants: int, table: int = 2, matches: int | None = 200, **terms: object
) -> FormatRun:
    made = FormatTerms(table, matches, entrants, **terms)  # type: ignore[arg-type]
    return FormatRun(Ladder(), made, build_ids(entrants), rank_by_chance(1.0))


def rank_by_estimate(tournament: FormatRun) -> list[Id]:
    tournament.add_results()
    strengths = dict(
        zip(
            tournament.field,
            estimate_strengths(tournament.field, tournament.past).mean,
            strict=True,
        )
    )
    return sorted(strengths, key=strengths.__getitem__, reverse=True)


def test_neighbours_play_more_than_those_far_apart() -> None:
    """Neighbours play each other more often once the ladder knows the order roughly."""
    tournament = build_ladder(12, matches=300)
    tournament.run()
    met = [
        np.mean(
            [
                tournament.past.meetings[
                    make_pair(build_ids(12)[number], build_ids(12)[number + apart])
                ]
                for number in range(12 - apart)
            ]
        )
        for apart in (1, 11)
    ]
    assert met[0] > 1.5 * met[1]  # a third of the matches goes where it tells most


@pytest.mark.slow
def test_the_order_is_found() -> None:
    """A ladder finds the order of entrants of which each beats the next in about eight of ten matches."""
    tournament = build_ladder(8, 4, matches=400)
    tournament.places = rank_by_chance(0.5)
    tournament.run()
    places = [rank_by_estimate(tournament).index(entrant) for entrant in tournament.field]
    assert all(abs(place - number) <= 1 for number, place in enumerate(places))


def test_who_has_played_little_comes_first() -> None:
    """A newcomer is seated in each batch until it has played a few matches."""
    tournament = build_ladder(10, 2)
    while tournament.past.deals < 60:
        tournament.next()
    tournament.field.append("e4@2")
    for played in range(1, 6):
        tournament.next()
        assert tournament.past.plays["e4@2"] == played


def test_nobody_is_forgotten_however_void_its_matches() -> None:
    """An entrant whose matches are all void is seated again, and does not stop the others."""
    tournament = build_ladder(6, matches=120)
    luck = rank_by_chance(1.0)
    tournament.places = lambda deal, rotation: (
        None if "e1@1" in deal.seats else luck(deal, rotation)
    )
    tournament.run()
    assert min(tournament.plays()) >= 5
    assert tournament.past.plays["e1@1"] < 120


@pytest.mark.parametrize(
    ("table", "matches", "duplicate"), [(2, 50, False), (3, 20, False), (2, 51, True)]
)
def test_it_ends_with_its_matches(table: int, matches: int, duplicate: bool) -> None:
    """A ladder ends with its number of matches; a late entrant adds its share for one seat."""
    tournament = build_ladder(10, table, matches, duplicate=duplicate)
    tournament.run()
    assert 0 <= tournament.past.matches - matches < tournament.terms.count_rotations(())
    tournament.field.append("e10@1")
    tournament.run()
    assert tournament.terms.share is not None
    more = tournament.past.matches - matches - tournament.terms.share // table
    assert 0 <= more < tournament.terms.count_rotations(())


def test_half_of_the_field_sits_down_at_most() -> None:
    """A batch seats at most half of the field, and nobody twice, so that results come soon."""
    tournament = build_ladder(20, 3)
    deals = tournament.next()
    seated = [seat for deal in deals for seat in deal.seats]
    assert len(seated) == len({*seated}) == 9


def test_strengths_are_the_mode_of_the_posterior() -> None:
    """The gradient of the posterior is zero at the strengths, and equals are equal."""
    won = np.array([[0, 3, 1.5], [1, 0, 2], [1.5, 2, 0]])
    mean = StrengthBeliefs.of(won).mean
    expected = 1 / (1 + np.exp(mean[None, :] - mean[:, None]))
    assert np.allclose((won - (won + won.T) * expected).sum(axis=1), mean, atol=1e-5)
    assert np.allclose(StrengthBeliefs.of(won + won.T).mean, 0)


def test_shared_places_are_half_a_win_and_void_matches_none() -> None:
    """A table of three counts as two matches, and a void one as none."""
    results = [PlayedMatch(Deal(0, ("a", "b", "c"), 1), 0, (1, 2, 2))]
    results.append(PlayedMatch(Deal(1, ("a", "b", "c"), 1), 0, None))
    total = count_wins(["a", "b", "c"], results)
    assert total.sum() == pytest.approx(2)
    assert total[0].tolist() == pytest.approx([0, 2 / 3, 2 / 3])
    assert total[1, 2] == total[2, 1] == pytest.approx(1 / 3)


def test_deals_of_a_batch_are_drawn_where_nothing_is_known() -> None:
    """The deals of a first batch are drawn by lot, as all entrants are equal."""
    first = {
        tuple(Ladder().next(build_ids(6), build_ladder(6).past, FormatTerms(2, 9, 6), Random(n)))
        for n in range(9)
    }
    assert len(first) > 3


@pytest.mark.parametrize(
    ("entrants", "table"), [pytest.param(6, 2, marks=pytest.mark.release), (8, 4)]
)
def test_an_entrant_and_its_copy_do_not_play_on_for_ever(entrants: int, table: int) -> None:
    """An entrant and its copy always tie, and the others get their matches all the same."""
    tournament = build_ladder(entrants, table, matches=300)
    luck = rank_by_chance(1.0)

    def places(deal: Deal, rotation: int) -> tuple[int, ...] | None:
        ranks = luck(deal, rotation)
        copies = [seat for seat, entrant in enumerate(deal.rotate(rotation)) if entrant in PAIR]
        if ranks is None or len(copies) < 2:
            return ranks
        best = min(ranks[seat] for seat in copies)
        return tuple(best if seat in copies else rank for seat, rank in enumerate(ranks))

    tournament.places = places
    tournament.run()
    even = 300 * table * (table - 1) / (entrants * (entrants - 1))
    assert tournament.past.meetings[make_pair(*PAIR)] < 3.4 * even


PAIR = ("e2@1", "e3@1")
