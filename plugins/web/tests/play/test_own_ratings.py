"""The ratings of visitors: what counts, and whether their intervals can be believed."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from attrs import evolve

from arena_web.play.seat_secrets import Secret
from arena_web.play.store.stored_tables import OwnGame, PersonResult, StoredResult
from arena_web.play.table_terms import PERSON, TableTerms
from arena_web.play.visitors.games import GameRow
from arena_web.play.visitors.ratings import MAX_WIDTH, describe_rating, estimate, rate_visitor
from arena_web.protocol.messages import SeatOutcome
from benchmarks.visitor_ratings import measure
from tests.support.web.seat_players import build_setup

EASY, HARD = -100.0, 200.0


def build_row(
    *places: int, game: str = "briscola", bot: str = "thrifty", key: str = "1", **changes: Any
) -> GameRow:
    """Return a finished game of a person in seat 0 with these places, against a bot."""
    options = changes.pop("options", {})
    names = ["Ada", *(f"{bot}_{seat}" for seat in range(2, len(places) + 1))]
    names[1] = bot
    setup = build_setup(game, bot, **options).to_stored(
        names, [PERSON, *[bot] * (len(places) - 1)], range(len(places)), "1"
    )
    result = StoredResult(
        places, (0,) * len(places), {}, (PersonResult.of("", SeatOutcome.TIED, {bot: [0]}),)
    )
    own = OwnGame(key, 0.0, 0.0, setup, result, Secret("secret"), 0, 0)
    return GameRow(evolve(own, **changes))


@pytest.mark.parametrize(("strength", "most"), [(-300.0, 0.98), (0.0, 0.98), (300.0, 1.0)])
def test_intervals_cover_the_strength_of_simulated_people(strength: float, most: float) -> None:
    """In 92 to 98 %; somebody far above several bots gets intervals that are wider than needed."""
    kinds = [*product((1, 3), (5, 40))]
    shares = [measure(strength, *kind, visitors=60)[0] for kind in kinds]
    assert 0.92 <= sum(shares) / len(kinds) <= most


def test_who_only_wins_is_above_the_bot_with_a_wide_interval() -> None:
    """More wins move it further, and a stronger opponent counts for more."""
    few, many, against_hard = (
        estimate([[(bot, 1.0)]] * matches) for bot, matches in ((EASY, 2), (EASY, 20), (HARD, 20))
    )
    assert EASY < few[0] < many[0] < against_hard[0]
    assert few[1] < EASY
    assert many[1] > EASY
    assert few[2] - few[1] > many[2] - many[1]


def test_a_mirrored_record_has_the_opposite_rating() -> None:
    """The scale has no favourite side; nobody who has not played differs from the mean."""
    won, lost = (estimate([[(bot, score)]]) for bot, score in ((EASY, 1.0), (-EASY, 0.0)))
    assert won == pytest.approx((-lost[0], -lost[2], -lost[1]), abs=5)
    assert estimate([])[0] == pytest.approx(0)


def test_a_match_with_several_bots_counts_less_than_as_many_matches() -> None:
    """Results of one match depend on each other."""
    one, three = estimate([[(EASY, 1.0)] * 3]), estimate([[(EASY, 1.0)]] * 3)
    assert one[2] - one[1] > three[2] - three[1]


def test_only_matches_under_the_usual_conditions_count() -> None:
    """Not with hints, other options or a friend alone, nor void ones; each game has its own."""
    usual = build_row(1, 2)
    (rating,) = rate_visitor([usual, build_row(2, 1, key="2")])
    assert (rating.game, rating.matches) == ("briscola", 2)
    assert rating.low < rating.rating < rating.high
    people = ("Ada", "Bob")
    friend = evolve(
        usual.stored.setup, names=people, bots=(PERSON, PERSON), terms=TableTerms(persons=people)
    )
    others = [
        build_row(1, 2, hints=1),
        build_row(1, 2, game="gops", bot="easy", options={"cards": 3}),
        build_row(1, 2, setup=friend),
        build_row(1, 2, result=None),
    ]
    assert rate_visitor(others) == []
    assert [found.game for found in rate_visitor([usual, build_row(1, 2, game="gops", bot="easy")])] == [
        "briscola", "gops",
    ]  # fmt: skip


def test_each_seat_of_a_bot_counts() -> None:
    """Second of four against three equal bots is better than third."""
    second, third = (
        rate_visitor([build_row(*places, game="hearts", bot="low")])[0].rating
        for places in ((2, 1, 3, 4), (3, 1, 2, 4))
    )
    assert second > third


def play_rows(matches: int, *, bot: str = "thrifty") -> list[GameRow]:
    """Return as many games, won and lost in turn, the latest first."""
    return [
        build_row(*((1, 2) if number % 2 else (2, 1)), key=f"{number}", bot=bot)
        for number in range(matches, 0, -1)
    ]


def test_a_rating_is_told_when_its_interval_is_narrow() -> None:
    """Before that it says how many more games it needs, nothing of a change."""
    needs = []
    for matches in range(1, 40):
        rows = play_rows(matches)
        (rating,) = rate_visitor(rows)
        words = describe_rating(rows, rows[0])
        if not rating.is_provisional:
            break
        assert words == f"Your rating at Briscola needs {rating.needs}."
        needs.append(rating.missing)
    assert needs == sorted(needs, reverse=True)
    assert abs(needs[0] + 1 - matches) <= 3  # the first guess was right
    assert 1 <= needs[-1] <= 3
    assert words == f"Your rating at Briscola is {rating}."
    assert rating.high - rating.low <= MAX_WIDTH
    assert rating.level


def test_a_match_that_does_not_count_says_nothing_of_the_rating() -> None:
    """Such as one with hints."""
    hinted = build_row(1, 2, hints=1)
    assert not describe_rating([hinted], hinted)
