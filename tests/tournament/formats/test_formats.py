"""A tournament played to its end without playing: what holds for every format."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.plugins import ParameterError, build_with_parameters
from arena.rules import UserError
from arena.tournament.deals import Deal, PlayedMatch
from arena.tournament.format_protocol import FormatTerms
from arena.tournament.formats import FORMATS
from arena.tournament.formats.seating import score_match
from tests.support.tournaments.formats import MATCHES, build_ids, build_tournament, run_all_formats

pytestmark = pytest.mark.slow  # whole tournaments of every format, and processes


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_says_what_it_is_in_a_line(name: str) -> None:
    """The docstring of a format begins with its summary and describes its parameters."""
    assert 20 < len((FORMATS[name].__doc__ or "").partition("\n")[0]) < 100
    assert isinstance(FORMATS[name]().adaptive, bool)


@pytest.mark.parametrize(
    ("name", "parameters", "wrong"),
    [
        ("round-robin", {"rounds": 0}, "rounds"),
        ("round-robin", {"rounds": "two"}, "'two'"),
        ("swiss", {"rounds": 2.5}, "2.5"),
        ("swiss", {"games": 0}, "games"),
        ("elimination", {"losses": 3}, "1, 2"),
        ("elimination", {"seeding": "best"}, "entry, drawn"),
        ("gauntlet", {"challenger": 3}, "3"),
    ],
)
def test_parameters_are_read_strictly(name: str, parameters: dict[str, object], wrong: str) -> None:
    """An invalid parameter is refused with a message that says what is allowed."""
    with pytest.raises(ParameterError, match=wrong):
        build_with_parameters(FORMATS[name], parameters)


@pytest.mark.parametrize(
    ("name", "parameters", "terms", "wrong"),
    [
        (
            "king-of-the-hill",
            {},
            FormatTerms(4),
            "king-of-the-hill has no end of its own: set `matches`",
        ),
        ("round-robin", {"rounds": 2}, FormatTerms(2, 100), "set `rounds` or `matches`, not both"),
        ("round-robin", {}, FormatTerms(20), "too many; use king-of-the-hill"),
        ("elimination", {}, FormatTerms(3), "needs matches of 2 entrants, not of 3"),
        ("elimination", {}, FormatTerms(2, 100), "instead of `matches`"),
        ("swiss", {}, FormatTerms(2, 100), "set `rounds` and `games` instead of `matches`"),
        (
            "gauntlet",
            {"challenger": "e77"},
            FormatTerms(2),
            "unknown entrant 'e77'; did you mean e7?",
        ),
        ("round-robin", {}, FormatTerms(41), "a match needs 41 entrants, not 40"),
    ],
)
def test_what_cannot_be_held_is_refused(
    name: str, parameters: dict[str, object], terms: FormatTerms, wrong: str
) -> None:
    """A format refuses an impossible tournament in one line before it begins."""
    with pytest.raises(UserError, match=wrong):
        build_with_parameters(FORMATS[name], parameters).check(build_ids(40), terms)


@pytest.mark.parametrize("name", FORMATS)
def test_a_tournament_may_be_looked_at_before_anybody_has_entered(name: str) -> None:
    """Without entrants a format checks the terms alone."""
    FORMATS[name]().check((), FormatTerms(2, 10 if name in MATCHES else None))


@pytest.mark.parametrize("name", FORMATS)
def test_too_few_for_a_table_play_nothing(name: str) -> None:
    """No deal is planned when too few entrants for a table are left."""
    tournament = build_tournament(name, 5, 2)
    tournament.field = tournament.field[:1]
    assert tournament.next() == []


@settings(max_examples=10, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_seats_those_who_take_part_and_ends(name: str, data: st.DataObject) -> None:
    """A format ends for any field, table and rotations, though entrants join and leave."""
    table = 2 if name == "elimination" else data.draw(st.integers(2, 5), "table")
    entrants = data.draw(st.integers(table, 11), "entrants")
    keepers = data.draw(st.sets(st.sampled_from(build_ids(entrants)), max_size=2), "keepers")
    tournament = build_tournament(
        name, entrants, table, duplicate=data.draw(st.booleans()), keepers=[*keepers]
    )
    tournament.format.check(tournament.field, tournament.terms)
    for change in data.draw(st.lists(st.sampled_from(["on", "in", "out", "new"]), max_size=5)):
        tournament.next()
        if change in ("out", "new") and len(tournament.field) > table:
            gone = tournament.field.pop(data.draw(st.integers(0, len(tournament.field) - 1)))
            tournament.field += [gone + "1"] if change == "new" else []
        elif change == "in":
            tournament.field.append(f"late{len(tournament.field)}@{len(tournament.results)}")
    tournament.run()
    assert tournament.next() == []


@pytest.mark.parametrize("name", FORMATS)
def test_another_draw_gives_another_tournament(name: str) -> None:
    """What a format draws depends on the seed."""
    tournament, another = (build_tournament(name, 9, 2) for _ in range(2))
    another.seed = "other"
    if name == "round-robin":
        assert tournament.run() == another.run()
    else:
        assert tournament.run() != another.run()


def test_nothing_depends_on_the_order_of_sets(root: Path) -> None:
    """A process with other hashes plans the same deals."""
    code = "from tests.support.tournaments.formats import *; print(run_all_formats())"
    other = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "1"}, check=True, cwd=root, capture_output=True,
        text=True,
    )  # fmt: skip
    assert other.stdout == f"{run_all_formats()}\n"


@given(st.lists(st.integers(1, 4), min_size=2, max_size=6))
def test_points_are_half_of_the_table_in_all(scores: list[int]) -> None:
    """The points of a table sum to half of it, however places are shared."""
    places = tuple(1 + sum(other > score for other in scores) for score in scores)
    for tournament in (places, None):
        match = PlayedMatch(Deal(0, tuple(build_ids(len(places))), 1), 0, tournament)
        assert sum(score_match(match)) == pytest.approx(len(places) / 2)
