"""People at a table with bots: partners first, then opponents."""

from __future__ import annotations

import pytest
from attrs import evolve

from arena import RandomBot, UserError
from arena.host import Series, choose_table, configure, parse_opponents, seat_people
from arena.plugins import get_plugins
from arena.rules import find_sides

BRISCOLA, HEARTS, GOPS = (get_plugins().games[name] for name in ("briscola", "hearts", "gops"))


def list_sides(against: str, *, beside: str = "", table: int | None = None, people: int = 1,
               turn: int = 0) -> list[list[str]]:  # fmt: skip
    """Return the bots and people of each side of a table of Briscola after so many rotations."""
    variant = BRISCOLA.read_variant({})
    seated = seat_people(
        BRISCOLA, variant, [configure(RandomBot, name=f"person{n}") for n in range(people)],
        parse_opponents(BRISCOLA, [against]),
        partners=parse_opponents(BRISCOLA, [beside]), table=table,
    )  # fmt: skip
    series = Series.create(BRISCOLA, variant, seated.entrants, "1", seated.seats)
    spec, _ = [*series.iter_matches(len(series.entrants))][turn]
    sides = find_sides(variant, len(spec.names))
    return [[spec.names[seat] for seat in side] for side in sides]


def test_a_game_of_teams_says_for_how_many_it_is() -> None:
    """For players, and for teams."""
    pairs = evolve(BRISCOLA, seats=range(4, 5))
    with pytest.raises(UserError, match=r"is for 4 players or 2 teams, not 3"):
        choose_table(pairs, BRISCOLA.read_variant({}), 3)


def test_a_bot_is_partner_and_opponent() -> None:
    """Of a person alone at a table of pairs; everybody has a name of its own."""
    expected = [["person0", "counter"], ["counter_2", "counter_3"]]
    assert list_sides("counter", table=4) == expected
    assert list_sides("counter", table=4, turn=1) == expected[::-1]


def test_the_partner_is_named_or_the_first_of_the_bots() -> None:
    """As many opponents as other teams play one each; as many as seats have a seat each."""
    expected = [["person0", "thrifty"], ["counter", "counter_2"]]
    assert list_sides("counter", beside="thrifty", table=4) == expected
    assert list_sides("counter", beside="thrifty") == expected
    assert list_sides("thrifty,counter,random") == [["person0", "thrifty"], ["counter", "random"]]
    assert list_sides("counter,random", beside="thrifty")[1] == ["counter", "random"]
    assert list_sides("team:counter random", beside="thrifty")[1] == ["counter", "random"]


def test_people_play_together() -> None:
    """Two are partners, and four are two pairs."""
    assert list_sides("counter", table=4, people=2)[0] == ["person0", "person1"]
    assert list_sides("", people=4) == [["person0", "person1"], ["person2", "person3"]]


def test_a_table_without_teams_is_filled_by_one_opponent() -> None:
    """Of the fewest seats there are, or as many as named."""
    assert list_sides("counter") == [["person0"], ["counter"]]
    person, low = configure(RandomBot, name="person"), parse_opponents(HEARTS, ["low"])
    for table, seats in ((None, HEARTS.seats[0]), (HEARTS.seats[-1], HEARTS.seats[-1])):
        found = seat_people(HEARTS, HEARTS.read_variant({}), [person], low, table=table)
        assert len(found.players) == found.seats == seats


@pytest.mark.parametrize(
    ("against", "beside", "table", "problem"),
    [
        ("counter", "random", 2, "no seat for a partner at this table"),
        ("counter,random,thrifty,counter", "", 4, "2 seats for an opponent, not 4"),
        ("counter", "random,random", 4, "1 seat for a partner, not 2"),
        ("counter", "", 7, "briscola is for 2 to 4 players, not 7"),
        ("counter,random,thrifty,counter", "", None, "briscola is for 2 to 4 players, not 5"),
    ],
)
def test_who_has_no_seat_is_refused(
    against: str, beside: str, table: int | None, problem: str
) -> None:
    """With what there are seats for."""
    with pytest.raises(UserError, match=problem):
        list_sides(against, beside=beside, table=table)
