"""Substitutes: the bots that play on in a world, for the others and for the seat itself.

Nobody knows who the others are, so each of them is drawn anew for each world from several kinds.
A bot that never errs would make certainty where there is none: now and then chance answers for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import inf
from random import Random
from typing import Any, Self

from attrs import frozen

from arena.players import Bot
from arena.plugins import Game
from arena.rules import Question, SomeOf, Text, UserError, Variant
from arena.search.junctures import Juncture
from arena.wires import Greeting, TimeLeft

UNLIMITED = TimeLeft(inf)
DEFAULT_SHARE = 0.75  # of the answers of chance, where a question has a default
MORE_CARDS_SHARE = 0.4  # of chance's selections of cards that get one card more


class ChanceBot(Bot):
    """Answers by chance: the default most of the time, and few cards rather than many."""

    def choose(self, question: Question[Any]) -> Any:
        """Return an answer that may well be given."""
        return draw_answer(question, self.random)


def draw_answer(question: Question[Any], random: Random) -> Any:
    """Draw an answer that may well be given, of a hand of cards not half of them at once."""
    options = question.options
    default = question.default
    if default is not None and (isinstance(options, Text) or random.random() < DEFAULT_SHARE):
        return default
    if isinstance(options, SomeOf):
        sizes = options.sizes
        size = max(1, sizes[0])
        while size < sizes[-1] and random.random() < MORE_CARDS_SHARE:
            size += 1
        return tuple(random.sample(options.cards, min(size, sizes[-1])))
    return options.draw(random)


@frozen
class Substitutes:
    """The kinds of bots that play on."""

    own: type[Bot]  #: for the seat that is asked
    kinds: Sequence[type[Bot]]  #: for each of the others; one is drawn for each world
    slip: float = 0.1  #: the share of their answers that chance gives

    @classmethod
    def of(cls, game: Game, variant: Variant, seats: int) -> Self:
        """Return those that a game names, as far as they play this; else chance plays on."""
        able = [kind for kind in game.learning.substitutes or () if _can_play(kind, variant, seats)]
        kinds = able or [ChanceBot]
        return cls(kinds[0], tuple(kinds))

    def draw_kinds(self, juncture: Juncture, random: Random) -> Sequence[type[Bot]]:
        """Draw who sits in each seat of a world."""
        seats = range(juncture.seats)
        return [self.own if at == juncture.seat else random.choice(self.kinds) for at in seats]

    def list_answers(self, juncture: Juncture, seed: str) -> list[Any]:
        """Return what each kind would answer in the seat, its own first."""
        seated = [seat_bot(juncture, juncture.seat, kind, seed) for kind in (self.own, *self.kinds)]
        for bot in seated:
            for events in juncture.told:
                for event in events:
                    bot.hear(event)
        return [bot.choose(juncture.question) for bot in seated]


def seat_bot(juncture: Juncture, at: int, kind: type[Bot], seed: str) -> Bot:
    """Return a new bot that was told the past, of other seats only what was announced."""
    bot = kind()
    variant = juncture.position.variant
    bot.greet(Greeting(juncture.game.name, at, juncture.seats, variant, f"{seed}/{at}"))
    bot.time = UNLIMITED
    if kind.hear is not Bot.hear:
        for to, event in juncture.past:
            if to is None or to == at:
                bot.hear(event)
    return bot


def _can_play(kind: type[Bot], variant: Variant, seats: int) -> bool:
    """Whether a kind can play on here: without parameters, and without searching itself."""
    if kind.searches:
        return False
    with suppress(UserError, TypeError):
        kind().check_support(variant, seats)
        return True
    return False
