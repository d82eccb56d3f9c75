"""Choices at a new table: fields of the right type, how strong the bots are, other seats."""

from __future__ import annotations

import re

import pytest
from markupsafe import escape

from arena.plugins import build_variant, parse_pairs
from arena.tournament.results.bot_strengths import LEVELS
from arena_web.app import build_application
from arena_web.play.match.table import PlayTable
from arena_web.play.offers import OptionField, load_pools, offer
from arena_web.play.routes import PlayPages
from arena_web.play.setup_requests import read_setup
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
    assert not find_option("gops", "ties").number


def test_every_option_says_what_it_changes() -> None:
    """Its field has a label, and its choices are words, not the values of a parameter."""
    with open_test_client(build_application(PlayPages(PlayTables()).routes, limits={})) as client:
        for name, pool in load_pools(()).items():
            form = client.get(f"/play?game={name}").text
            for option in offer(pool).choices:
                assert option.help, f"{name}: {option.name} has no help"
                assert f"{escape(option.help)}</label>" in form
                if option.choices and not option.is_switch:
                    assert {*option.choices}.isdisjoint(option.choices.values())
                    for value, words in option.choices.items():
                        build_variant(pool.game, parse_pairs([f"{option.name}={value}"]))
                        assert f">{escape(words)}</option>" in form


def test_no_bot_is_called_by_two_levels() -> None:
    """It is chosen by its level and by a title that names no level, as its name may do."""
    with open_test_client(build_application(PlayPages(PlayTables()).routes, limits={})) as client:
        for name, pool in load_pools(()).items():
            form = client.get(f"/play?game={name}").text
            for bot in pool.bots:
                title = pool.find_title(bot.name)
                assert not {*title.lower().split()} & LEVELS.keys()
                (text,) = {*re.findall(rf'<option value="{bot.name}"[^>]*>(.*?):', form)}
                assert text == (f"{bot.level.capitalize()}, {title}" if bot.level else title)


@pytest.mark.parametrize(
    ("count", "bots"), [({}, 2), ({"count": ["8", ""]}, 9), ({"count": ["0", "3"]}, 3)]
)
def test_a_table_has_as_many_bots_as_are_asked_for(count: dict[str, list[str]], bots: int) -> None:
    """The number beside a bot says how often it plays; a table as large as the game is possible."""
    form = {"game": ["gops"], "bot": ["easy", "hard"], **count}
    assert len(read_setup(form, ()).others) == bots


@pytest.mark.parametrize("bots", [["easy"], ["easy", "hard", "random"]])
def test_swapping_seats_moves_everybody_on_by_one(bots: list[str]) -> None:
    """The next table has the same players, each one seat further."""
    tables = PlayTables()
    app = build_application(PlayPages(tables).routes, limits={})
    with open_test_client(app) as client:
        client.post("/play", data={"game": "gops", "bot": bots}, follow_redirects=False)
        (table,) = tables.places.values()
        assert isinstance(table, PlayTable)
        again = f"/seat/{table.secrets[0]}/again"
        assert client.post(again, data={"swap": "yes"}, follow_redirects=False).status_code == 409
        assert client.portal
        client.portal.call(table.close)  # nobody has come, so it is over at once
        client.post(again, data={"swap": "yes"}, follow_redirects=False)
        client.post(again, follow_redirects=False)
        (_, following) = tables.places.values()
        assert isinstance(following, PlayTable)
        client.portal.call(tables.close)
    order = table.seating.spec.names
    assert following.seating.spec.names.index("player") == (order.index("player") + 1) % len(order)
    assert sorted(following.seating.spec.names) == sorted(order)
    assert following.seating.spec.seed != table.seating.spec.seed
