"""What an author of Python bots needs: a base class, and `run` to make it a program.

One class serves both ways: the host may let it think in its own process, or start it as
a program that speaks JSON lines. The kit knows no game: it finds the one that the
greeting names, and rebuilds its events and questions.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from random import Random
from typing import IO, TYPE_CHECKING, Any

from attrs import evolve

from arena.table import Question, Seat

if TYPE_CHECKING:
    from arena.codec import Greeting
    from arena.game import Game


class Bot:
    """A player's mind: derive from it and say what to `choose`.

    Parameters (`ordered:start=7` on the command line) are the keyword arguments of its
    constructor; an attrs class lists them by itself.
    """

    seat: Seat  # where it sits
    seats: int  # how many play
    variant: Any  # the game's parameters
    random: Random  # all its chance, so that a match can be played again

    def greet(self, greeting: Greeting) -> None:
        """Take note of the game, once, before anything else happens."""
        self.seat, self.seats, self.variant = greeting.seat, greeting.seats, greeting.variant
        self.random = Random(greeting.seed)

    def hear(self, event: Any) -> None:
        """Take note of an event; a bot that need not know leaves this out."""

    def choose(self, question: Question[Any]) -> Any:
        """Give an answer that the question's options allow."""
        raise NotImplementedError


def run(make: Callable[[], Bot], source: IO[str] | None = None, out: IO[str] | None = None) -> None:
    """Play as a program: read JSON lines to the end of input, and answer each question.

    `make` is the bot's class or anything that gives a bot. Whatever the bot raises ends
    the program with a traceback on stderr, which the host keeps.
    """
    source, out = source or sys.stdin, out or sys.stdout
    bot, game = make(), None
    for line in source:
        message = json.loads(line)
        if game is None:
            game = _game(message["game"])
            bot.greet(_greeting(game, message))
        elif "ask" in message:
            question = game.vocabulary.unpack(message)
            print(json.dumps(bot.choose(question)), file=out, flush=True)
        else:
            bot.hear(game.vocabulary.unpack(message))


def _game(name: str) -> Game:
    from arena.plugins import load_game  # a bot in the host's process needs no plugins

    return load_game(name)


def _greeting(game: Game, message: dict[str, Any]) -> Greeting:
    greeting: Greeting = game.vocabulary.unpack(message)
    return evolve(greeting, variant=game.read_variant(greeting.variant))
