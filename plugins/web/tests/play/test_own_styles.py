"""How a visitor plays, beside the bots of the same games."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from math import isfinite

import pytest

from arena.plugins import get_plugins
from arena.plugins.analysis import GENERAL_INSIGHTS
from arena.tournament.insights.insights import add_deal
from arena.tournament.insights.playing_styles import build_style
from arena.tournament.insights.tally_store import Tallies
from arena_web.app import build_application
from arena_web.play.pages import my_games
from arena_web.play.routes import PlayPages
from arena_web.play.tables import PlayTables
from arena_web.play.visitors.games import list_rows
from arena_web.play.visitors.styles import SURE, OwnFigure, OwnStyle, observe_visitor
from tests.support.tournaments.served import open_test_client
from tests.support.web.event_streams import run
from tests.support.web.seat_players import build_setup, choose_first, play_alone

TICKET = "ticket"


async def play(tables: PlayTables, *, game: str, bot: str, matches: int) -> list[OwnStyle]:
    """Play matches by the first answers; return the styles of who did."""
    for _ in range(matches):
        table, _ = await play_alone(build_setup(game, bot), choose_first, tables)
        (chair,) = table.chairs.values()
        tables.store.browsers.add(chair.secret, TICKET)
    return observe_visitor(tables.store, list_rows(tables.store, TICKET))


def test_a_style_needs_some_matches_without_hints() -> None:
    """After two there are no figures, only their number."""

    async def test() -> None:
        tables = PlayTables()
        (few,) = await play(tables, game="kuhn", bot="random", matches=2)
        assert (few.game, few.matches, few.figures) == ("kuhn", 2, ())
        (style,) = await play(tables, game="kuhn", bot="random", matches=1)
        assert (style.game, style.matches) == ("kuhn", 3)
        assert style.figures

    run(test)


@pytest.mark.parametrize("game", ["gops", "bs", "hearts", "kuhn", "coup", "briscola"])
def test_figures_are_those_of_the_game(game: str) -> None:
    """Each that was observed has the person's value, and mostly that of the bots."""

    async def test() -> None:
        (style,) = await play(PlayTables(), game=game, bot="random", matches=3)
        own, *_ = (part for part in get_plugins().list_insights(game) if part.game)
        titles = [about.title for about in own.statistics if about.is_figure]
        shown = [figure.title for figure in style.figures]
        assert shown
        assert shown == [title for title in titles if title in shown]
        assert {title for title, _ in style.alike} <= {*titles} - {*shown}
        assert any(figure.bots for figure in style.figures)
        assert all(figure.about.endswith(".") for figure in style.figures)
        verdicts = {"", *SURE, "the same so far", "too few games to tell"}
        assert {figure.compared for figure in style.figures} <= verdicts

    run(test)


def test_a_few_games_give_no_verdict() -> None:
    """After nine games no figure has an interval, nor is it more or less than that of the bots."""

    async def test() -> None:
        (style,) = await play(PlayTables(), game="kuhn", bot="careful", matches=9)
        assert style.figures
        assert not style.is_sure
        assert not any("likely" in figure.own + figure.bots for figure in style.figures)

    run(test)


@pytest.mark.parametrize("game", ["gops", "bs", "hearts", "kuhn", "coup", "briscola"])
def test_intervals_are_within_what_is_possible(game: str) -> None:
    """The statistics of a game say what an observation can be, and no interval goes beyond."""
    tallies = Tallies()
    parts = [part for part in get_plugins().list_insights(game) if part.game]
    statistics = [about for part in parts for about in part.statistics]
    figures = [about for about in statistics if about.is_figure and isfinite(about.least)]
    for about, inward in product(figures, (1, -1)):
        if isfinite(end := about.least if inward > 0 else about.most):
            for value in (end, end, end + inward):
                add_deal(tallies, [{(inward, about.key, "", ""): (1, value)}])
    for entry in (*build_style(tallies, 1, parts), *build_style(tallies, -1, parts)):
        low, high = entry.points[0].interval or (0, 0)
        assert entry.statistic.least <= low <= high <= entry.statistic.most


def test_a_game_without_figures_has_those_of_every_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """The length of a match is the same for all who played it, and one round is no rounds."""
    general = [GENERAL_INSIGHTS]
    monkeypatch.setattr(type(get_plugins()), "list_insights", lambda *_: general)

    async def test() -> None:
        (style,) = await play(PlayTables(), game="kuhn", bot="random", matches=3)
        assert ("Length of a match", "1 round") in style.alike
        assert "Length of a match" not in {figure.title for figure in style.figures}

    run(test)


def test_the_page_says_what_is_missing_for_a_style() -> None:
    """Who has played nothing finds the way to a game."""
    views = PlayPages(PlayTables())
    with open_test_client(build_application(views.routes, limits={})) as client:
        page = client.get("/games/style").text
    assert "After 3 games of one kind" in page
    assert 'href="../play"' in page


@pytest.mark.parametrize(
    ("bots", "compared", "columns"),
    [
        (("", ""), "", ["what", "you"]),
        (("2", ""), "too few games to tell", ["what", "you", "bots"]),
        (("2", ""), SURE[0], ["what", "you", "bots", "compared"]),
    ],
)
def test_no_cell_of_the_page_is_empty(
    monkeypatch: pytest.MonkeyPatch, bots: Sequence[str], compared: str, columns: Sequence[str]
) -> None:
    """A dash stands where nothing of the bots is known, and columns that say nothing are left out."""
    figures = [OwnFigure("Calls", "1", bot, "", "", compared if bot else "") for bot in bots]
    monkeypatch.setattr(my_games, "observe_visitor", lambda *_: [OwnStyle("bs", 3, figures)])
    with open_test_client(build_application(PlayPages(PlayTables()).routes, limits={})) as client:
        page = client.get("/games/style").text
    assert re.findall(r"<th scope=\"col\"[^>]*>(\w+)", page) == columns
    assert not re.search(r"<td[^>]*></td>", page)
    assert ("too few games" in page) == (compared not in {"", *SURE})
    assert ("did not come up" in page) == any(bots)


@pytest.mark.parametrize("game", ["gops", "bs", "hearts", "kuhn", "coup", "briscola"])
def test_advice_is_given_where_one_way_is_better(game: str) -> None:
    """A figure that is a habit has none, and each game has some."""
    parts = [part for part in get_plugins().list_insights(game) if part.game]
    statistics = [about for part in parts for about in part.statistics]
    assert all(bool(about.better) == about.advice.endswith(".") for about in statistics)
    assert any(about.advice for about in statistics)


def test_the_page_says_what_to_try(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the bots do better, and nothing elsewhere."""
    advice = ["Call it.", ""]
    figures = [OwnFigure("Calls", "1", "2", "", text, "") for text in advice]
    monkeypatch.setattr(my_games, "observe_visitor", lambda *_: [OwnStyle("bs", 3, figures)])
    with open_test_client(build_application(PlayPages(PlayTables()).routes, limits={})) as client:
        page = client.get("/games/style").text
    assert re.findall(r"<li>([^<]*)", page.partition("What to try")[2]) == ["Call it."]
