"""A copy of a bot knows what the bot knew."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any

import pytest

from arena import Bot, FailingBot, Greeting, Play, RandomBot, TimeLeft, load_game

GAMES = ("briscola", "bs", "coup", "gops", "hearts", "kuhn")
BOTS = [(game, bot) for game in GAMES for bot in [*load_game(game).bots, "failing"]]
COPIES: list[Callable[[Bot], Bot]] = [deepcopy, lambda bot: pickle.loads(pickle.dumps(bot))]  # noqa: S301  # its own
ASKS = 6  # that are answered before the bots are copied


def find_kind(game: str, bot: str) -> Callable[[], Bot]:
    """Return a bundled bot's class, or what makes a bot that wraps one."""
    bots = load_game(game).bots
    return bots.get(bot) or (lambda: FailingBot([*bots.values()][-1], 1000))


@pytest.mark.parametrize(("game", "bot"), BOTS)
def test_copies_of_bundled_bots_answer_like_the_bot(game: str, bot: str) -> None:
    """From the middle of a match on, copies and pickled bots give the answers of the bot itself."""
    kind, rules = find_kind(game, bot), load_game(game)
    seats, variant = rules.seats[0], rules.read_variant({})
    play = Play.deal(variant, seats, "1")
    table = [kind() for _ in range(seats)]
    for seat, player in enumerate(table):
        player.greet(Greeting(game, seat, seats, variant, f"{seat}"))
        player.time = TimeLeft(60.0)
    play_on(play, [table], ASKS)
    tables = [table, *([make(player) for player in table] for make in COPIES)]
    play_on(play, tables, ASKS)


def play_on(play: Play, tables: list[list[Bot]], asks: int) -> None:
    """Tell and ask the bots of all tables alike; their answers have to be the same."""
    for _ in range(asks):
        for to, event in play.drain():
            for bots in tables:
                for bot in bots if to is None else [bots[to]]:
                    bot.hear(event)
        closed = play.closed
        for seat in [*play.pending]:
            first, *others = [bots[seat].choose(play.pending[seat]) for bots in tables]
            assert others == [first] * len(others)
            play.answer(seat, first)
            if play.closed != closed:
                break


def test_a_shallow_copy_shares_what_the_bot_keeps_in_mind() -> None:
    """`copy.copy` keeps all attributes, too."""

    class Remembering(RandomBot):
        def hear(self, event: Any) -> None:
            self.heard = event

    bot = Remembering()
    bot.hear(["kept"])
    assert copy(bot).heard is bot.heard
