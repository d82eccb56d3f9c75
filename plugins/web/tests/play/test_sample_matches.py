"""The sample matches of the pages where one chooses a game."""

from __future__ import annotations

import pytest

from arena.plugins import Game, get_plugins
from arena.search import SearchingBot
from arena_web.play import sample_matches
from arena_web.play.sample_matches import choose_bots
from arena_web.protocol.replies import SampleMatch
from tests.support.toys import TOY, change


def test_no_bot_of_a_sample_match_searches() -> None:
    """A visitor does not wait for bots that think for seconds, however strong they are."""
    games = get_plugins().games.values()
    assert any(issubclass(bot, SearchingBot) for game in games for bot in game.bots.values())
    for game in games:
        assert not any(game.bots[name].searches for name in choose_bots(game)), game.name


def test_a_game_with_nothing_but_searching_bots_has_a_sample_match_too() -> None:
    """It is shown with what it has."""
    searching = {"deep": type("Deep", (SearchingBot,), {})}
    assert [*choose_bots(change(TOY, bots=searching))] == ["deep"]


def test_sample_matches_are_played_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks while the server plays them waits for these."""
    played = list[str]()

    def play(game: Game) -> SampleMatch:
        """Play no match."""
        played.append(game.name)
        return SampleMatch([], [], 0)

    monkeypatch.setattr(sample_matches, "_play", play)
    sample_matches._play_all.cache_clear()
    try:
        sample_matches.begin_sample_matches()
        sample_matches.play_sample_matches()
    finally:
        sample_matches._play_all.cache_clear()
    assert sorted(played) == sorted(get_plugins().games)
