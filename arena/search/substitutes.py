"""Substitutes: the bots that play on in a world, for the others and for the seat itself.

Nobody knows who the others are, so each of them is drawn anew for each world from several kinds.
A bot that never errs would make certainty where there is none: now and then chance answers for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import inf
from pickle import HIGHEST_PROTOCOL, dumps, loads
from random import Random
from typing import Any, Self

from attrs import frozen

from arena.players import Bot
from arena.plugins import Game
from arena.rules import Question, Seat, SomeOf, Text, UserError, Variant
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
        informed = InformedBots(juncture)
        seated = [informed.seat(juncture.seat, kind, seed) for kind in (self.own, *self.kinds)]
        for bot in seated:
            for events in juncture.told:
                for event in events:
                    bot.hear(event)
        return [bot.choose(juncture.question) for bot in seated]


class InformedBots:
    """Seats bots at a juncture that were told the past, of other seats only what was announced.

    A bot of each kind is told it and copied for each playout, as the past of a long match takes
    longer to tell than a playout to play. Where a copy might not be as good as a new bot, each is
    told everything itself: a bot may be impossible to copy, or keep what depends on its seed.
    """

    def __init__(self, juncture: Juncture) -> None:
        self.juncture = juncture  #: at which they are seated
        self._pickled = dict[tuple[Seat, type[Bot]], bytes | None]()

    def seat(self, at: Seat, kind: type[Bot], seed: str) -> Bot:
        """Return a bot of a kind in a seat, all of whose chance comes from a seed."""
        if kind.hear is Bot.hear or not self.juncture.past:
            return self._inform(at, kind, seed)
        if (at, kind) not in self._pickled:
            self._pickled[at, kind] = self._pickle(at, kind)
        pickled = self._pickled[at, kind]
        if pickled is None:
            return self._inform(at, kind, seed)
        bot: Bot = loads(pickled)  # noqa: S301  # pickled here
        Bot.greet(bot, self._greet(at, seed))
        return bot

    def _inform(self, at: Seat, kind: type[Bot], seed: str) -> Bot:
        """Return a new bot that was told the past."""
        bot = kind()
        bot.greet(self._greet(at, seed))
        bot.time = UNLIMITED
        if kind.hear is not Bot.hear:
            for to, event in self.juncture.past:
                if to is None or to == at:
                    bot.hear(event)
        return bot

    def _pickle(self, at: Seat, kind: type[Bot]) -> bytes | None:
        """Return a bot to copy, or None where a copy would not be as good as a new one."""
        pickles = set[bytes]()
        with suppress(Exception):  # what a bot keeps in mind may raise anything
            for seed in ("first", "second"):
                bot = self._inform(at, kind, seed)
                Bot.greet(bot, self._greet(at, seed=""))
                pickles.add(dumps(bot, HIGHEST_PROTOCOL))
            first, *different = pickles
            loads(first)  # noqa: S301  # whether that is possible
            return None if different else first  # different: it keeps what depends on the seed
        return None

    def _greet(self, at: Seat, seed: str) -> Greeting:
        juncture = self.juncture
        variant = juncture.position.variant
        return Greeting(juncture.game.name, at, juncture.seats, variant, f"{seed}/{at}")


def _can_play(kind: type[Bot], variant: Variant, seats: int) -> bool:
    """Whether a kind can play on here: without parameters, and without searching itself."""
    if kind.searches:
        return False
    with suppress(UserError, TypeError):
        kind().check_support(variant, seats)
        return True
    return False
