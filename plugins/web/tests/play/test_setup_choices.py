"""Choices at a new table: fields of the right type, how strong the bots are, other seats."""

from __future__ import annotations

import pytest
from markupsafe import escape

from arena_web.app import build_application
from arena_web.play.offers import OptionField, load_pools, offer
from arena_web.play.routes import PlayPages
from arena_web.play.table import PlayTable
from arena_web.play.tables import PlayTables
from tests.support.tournaments.served import open_test_client


def find_option(game: str, name: str) -> OptionField:
    """Return a field of a game's form."""
    choices = offer(load_pools(())[game]).choices
    return next(option for option in choices if option.name == name)


def test_a_number_has_the_bounds_of_its_option() -> None:
    """A whole number is a field for numbers, with the bounds that the game allows."""
    cards = find_option("gops", "cards")
    assert (cards.number, cards.least, cards.most) == (True, 1, 1000)
    assert find_option("gops", "ties").choices == ("discard", "split", "carry")
    assert not find_option("gops", "prizes").number


def test_every_option_says_what_it_changes() -> None:
    """The label of its field is a sentence."""
    with open_test_client(build_application(PlayPages(PlayTables()).routes, limits={})) as client:
        for name, pool in load_pools(()).items():
            form = client.get(f"/play?game={name}").text
            for option in offer(pool).choices:
                assert option.help.endswith("."), f"{name}: {option.name} has no help"
                assert f"{escape(option.help)}</label>" in form


@pytest.mark.parametrize("bots", [["easy"], ["easy", "hard", "random"]])
def test_swapping_seats_moves_everybody_on_by_one(bots: list[str]) -> None:
    """The next table has the same players, each one seat further."""
    tables = PlayTables()
    app = build_application(PlayPages(tables).routes, limits={})
    with open_test_client(app) as client:
        client.post("/play", data={"game": "gops", "bot": bots}, follow_redirects=False)
        (table,) = tables._places.values()
        assert isinstance(table, PlayTable)
        again = f"/seat/{table.secrets[0]}/again"
        assert client.post(again, data={"swap": "yes"}, follow_redirects=False).status_code == 409
        assert client.portal
        client.portal.call(table.close)  # nobody has come, so it is over at once
        client.post(again, data={"swap": "yes"}, follow_redirects=False)
        client.post(again, follow_redirects=False)
        (_, following) = tables._places.values()
        assert isinstance(following, PlayTable)
        client.portal.call(tables.close)
    order = table.seating.spec.names
    assert following.seating.spec.names.index("player") == (order.index("player") + 1) % len(order)
    assert sorted(following.seating.spec.names) == sorted(order)
    assert following.seating.spec.seed != table.seating.spec.seed
