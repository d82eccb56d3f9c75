"""A match that was interrupted is played on from its answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import pytest

from arena.host import Entrant, HostConfig, PastAsk, Series, host, parse_entrants
from arena.host.player_factories import BotClassFactory
from arena.players.bots import FailingBot, RandomBot
from arena.plugins import build_variant, get_plugins
from arena.records import InMemoryFile, Recorder, parse_text, verify
from arena.rules import End

TABLES = {
    "gops": ({"cards": 6}, ["easy", "match"]),
    "bs": ({"max_turns": 20}, ["liar", "counter", "random"]),
    "hearts": ({"deals": 1}, ["random", "low", "counter", "random"]),
    "briscola": ({}, ["counter", "random"]),
    "coup": ({}, ["counter", "random", "search:playouts=4"]),
    "kuhn": ({}, ["optimal", "random"]),
}


def play(game: str, options: dict[str, Any], entrants: Sequence[Entrant], past: Any = ()) -> str:
    """Play a match to its end; return its transcript without the times."""
    rules, file = get_plugins().find_game(game), InMemoryFile()
    series = Series(rules, build_variant(rules, options), tuple(entrants), "seed")
    ((spec, seated),) = series.iter_matches(1)
    result = host(spec, seated, HostConfig(), [Recorder(spec, file)], past)
    assert result.outcome.end is not End.VOID, result.outcome.detail
    verify(rules, parse_text(file.text))
    return file.text


def split_asks(text: str) -> list[list[str]]:
    """Return the lines of a transcript with answers and verdicts, ask by ask."""
    groups = groupby(text.splitlines(), lambda line: line.startswith(('{"from":', '{"verdict":')))
    return [[*lines] for answered, lines in groups if answered]


def untimed(text: str) -> str:
    """Return a transcript without what was measured."""
    return re.sub(r'"(seconds|latency)":[0-9.e-]+', "", text)


@pytest.mark.parametrize("game", TABLES)
def test_a_match_goes_on_where_it_was(game: str) -> None:
    """Wherever it was interrupted, its transcript is that of the match as it would have gone on."""
    options, bots = TABLES[game]
    rules = get_plugins().find_game(game)
    whole = play(game, options, parse_entrants(rules, bots))
    asks = split_asks(whole)
    for count in {0, 1, len(asks) // 2, len(asks)}:
        past = [PastAsk.parse(rules, lines) for lines in asks[:count]]
        again = play(game, options, parse_entrants(rules, bots), past)
        if game != "bs" or count == len(asks):  # in BS it is drawn who calls first
            assert untimed(again) == untimed(whole)
        assert split_asks(again)[:count] == asks[:count]  # with the times as they were


def test_who_has_failed_stays_replaced() -> None:
    """The fallback bot plays on as it would have done."""
    rules = get_plugins().find_game("hearts")

    class Failing(FailingBot):
        def __init__(self) -> None:
            super().__init__(RandomBot)

    factory = BotClassFactory(Failing, {})
    failing = Entrant("failing", "failing", factory, factory.create_bot)
    entrants = [failing, *parse_entrants(rules, ["low"] * 3)]
    whole = play("hearts", {"deals": 1}, entrants)
    asks = split_asks(whole)
    assert '"verdict"' in whole
    past = [PastAsk.parse(rules, lines) for lines in asks[:-3]]
    assert untimed(play("hearts", {"deals": 1}, entrants, past)) == untimed(whole)


def test_answers_that_the_rules_do_not_allow_make_the_match_void() -> None:
    """Such as those of another version of the game."""
    rules = get_plugins().find_game("gops")
    line = '{"from":0,"answer":9,"seconds":0,"latency":0,"fallback":false}'
    with pytest.raises(AssertionError, match="IllegalAnswerError"):
        play(
            "gops",
            {"cards": 3},
            parse_entrants(rules, ["easy", "easy"]),
            [PastAsk.parse(rules, [line])],
        )
    with pytest.raises(ValueError, match="no answers"):
        PastAsk.parse(rules, ["{}"])


@pytest.mark.slow
def test_a_program_is_asked_again() -> None:
    """What it says to that is dropped, and its later answers count."""
    rules = get_plugins().find_game("gops")
    bots = ["program:easy", "random"]
    whole = play("gops", {"cards": 5}, parse_entrants(rules, bots))
    past = [PastAsk.parse(rules, lines) for lines in split_asks(whole)[:3]]
    again = play("gops", {"cards": 5}, parse_entrants(rules, bots), past)
    assert untimed(again) == untimed(whole)
