"""Python bots as programs: the base class `Bot`, and `run`.

One class serves both ways: the host may let it think in its own process, or start it as
a program that speaks JSON lines. The kit knows no game: it finds the one that the
greeting names, and rebuilds its events and questions.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from math import inf
from typing import IO, Any

from attrs import evolve

from arena.players import Bot
from arena.plugins import Game, load_game
from arena.wires import MATCH_OVER, READY_LINE, Greeting, TimeLeft

__all__ = ["Bot", "run"]


def run(make: Callable[[], Bot], source: IO[str] | None = None, out: IO[str] | None = None) -> None:
    """Run a bot as a program: read JSON lines to the end of input, and answer each question.

    `make` is the bot's class or anything that makes a bot. Whatever the bot raises ends
    the program with a traceback on stderr, which the host keeps. A question that is
    withdrawn was answered already: one line is owed to each. With `games = "many"` in its bot.toml
    the program plays match after match, each with a new bot.
    """
    source, out = source or sys.stdin, out or sys.stdout
    bot = make()
    game: Game | None = None
    question: Any = None
    for line in source:
        message = _parse_object(line)
        if game is None or message.get("tell") == Greeting.__name__:
            if game is None or game.name != message["game"]:
                game = load_game(message["game"])
            bot.greet(_read_greeting(game, message))
        elif message.get("ask") == MATCH_OVER:
            bot = make()
            print(READY_LINE, file=out, flush=True)
        elif "ask" in message:
            bot.time = TimeLeft(**message.get("time", {"move": inf}))
            question = game.vocabulary.unpack(message)
            print(json.dumps(bot.choose(question)), file=out, flush=True)
        elif "withdraw" in message:
            bot.withdraw(question)
        else:
            bot.hear(game.vocabulary.unpack(message))


def _parse_object(line: str) -> dict[str, Any]:
    """Parse a line, or exit with a message to the host."""
    try:
        message: dict[str, Any] = json.loads(line)
    except ValueError:
        sys.exit(
            f"{line.rstrip()!r} is not JSON, the only wire that this bot understands; "
            "start it as json:FILE or by its bot.toml"
        )
    return message


def _read_greeting(game: Game, message: dict[str, Any]) -> Greeting:
    greeting: Greeting = game.vocabulary.unpack(message)
    return evolve(greeting, variant=game.read_variant(greeting.variant))
