"""Choices at a new table: fields of the right type, how strong the bots are, other seats."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from arena.plugins import get_plugins
from arena_web.play.bot_strengths import find_strengths
from arena_web.play.setup_form import OfferedGame, OptionField, read_setup
from arena_web.play.tables import PlayTables
from arena_web.sources.tournament import TournamentSource, open_sources
from tests.support.tournaments.served import FOUR, played


def find_option(game: str, name: str) -> OptionField:
    """Return a field of a game's form."""
    choices = OfferedGame(get_plugins().find_game(game), ()).choices
    return next(option for option in choices if option.name == name)


def test_a_number_has_the_bounds_of_its_option() -> None:
    """A whole number is a field for numbers, with the bounds that the game allows."""
    cards = find_option("gops", "cards")
    assert (cards.number, cards.least, cards.most) == (True, 1, 1000)
    assert find_option("gops", "ties").choices == ("discard", "split", "carry")
    assert not find_option("gops", "prizes").number


@pytest.mark.parametrize("bots", [["easy"], ["easy", "hard", "random"]])
def test_swapping_seats_moves_everybody_on_by_one(bots: list[str]) -> None:
    """The next table has the same players, each one seat further."""
    tables = PlayTables()
    table = tables.open(read_setup({"game": ["gops"], "bot": bots}, ()))
    table.over = True
    following = tables.reopen(table, swap=True)
    assert tables.reopen(table) is following
    order = table.spec.names
    assert following.spec.names.index("player") == (order.index("player") + 1) % len(order)
    assert sorted(following.spec.names) == sorted(order)
    assert following.spec.seed != table.spec.seed


def test_a_served_tournament_says_how_strong_bundled_bots_are(tmp_path: Path) -> None:
    """Each bot that plays in it has a rating with its interval, and no other bot has one."""
    sources = open_sources([str(played(tmp_path, *FOUR))]).values()
    tournaments = [source for source in sources if isinstance(source, TournamentSource)]
    strengths = anyio.run(find_strengths, tournaments)
    assert {bot for _, bot in strengths} == {*FOUR}
    assert all(" ±" in text for text in strengths.values())
    assert not anyio.run(find_strengths, [])
