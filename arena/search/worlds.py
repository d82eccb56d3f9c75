"""Worlds: plays that a seat cannot tell from the true one, by what it was told.

A world is drawn by dealing anew what the seat does not know, with a seed of its own, and playing
the open round again. The seat's own answers and public ones are given as they were. Secret answers
of others are given anew: as the substitute there would, if everybody may know the same of that.
What the seat is told and asked has to be the same, or it all begins anew. Each public answer that
the substitute would not have given makes the world less likely.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Self

from attrs import frozen

from arena.players import Bot
from arena.plugins import Secret
from arena.rules import (
    GivenAnswer,
    IllegalAnswerError,
    Play,
    Position,
    Question,
    Seat,
    SomeOf,
    is_same,
)
from arena.search.junctures import Juncture, Withheld
from arena.search.substitutes import ChanceBot, InformedBots, Substitutes, draw_answer

SURPRISE_WEIGHT = 0.2  # of a world, for each answer that the substitute would not have given in it
DOUBT = 0.2  # the share of secret answers that chance gives although the substitute could
MAX_TRIES = 60
"""Positions that are dealt for a world, unless said otherwise."""
MAX_DRAWS = 8  # of an answer of which everybody may know what is known
MAX_ASKS = 60
"""Asks in a playout, after which the scores count as they are, unless all are equal."""
MAX_LEVEL_ASKS = 300
"""Asks in a playout in which all scores are equal: they may say nothing before the end."""


@frozen
class Playout:
    """A play from the beginning of the open round on, with a bot in each seat."""

    play: Play
    bots: Sequence[Bot]
    listeners: Sequence[Bot | None]  # the bots that need events
    random: Random
    slip: float

    @classmethod
    def begin(
        cls, informed: InformedBots, position: Position, seed: str, kinds: Sequence[type[Bot]],
        slip: float,
    ) -> Self:  # fmt: skip
        """Return the play when the round begins."""
        juncture = informed.juncture
        play = Play(position, juncture.seats, seed, juncture.number)
        bots = [informed.seat(at, kind, seed) for at, kind in enumerate(kinds)]
        listeners = [bot if type(bot).hear is not Bot.hear else None for bot in bots]
        return cls(play, bots, listeners, Random(f"{seed}/slips"), slip)

    def hear(self, seat: Seat) -> Sequence[Any]:
        """Tell the bots what is new; return what a seat was told."""
        told = list[Any]()
        for to, event in self.play.drain():
            if to is None or to == seat:
                told.append(event)
            for bot in self.listeners if to is None else (self.listeners[to],):
                if bot:
                    bot.hear(event)
        return tuple(told)

    def finish(self, seat: Seat, answer: Any) -> Play:
        """Give a seat's answer, play on, and return the play at its end, or after many asks."""
        play, random = self.play, self.random
        play.answer(seat, answer)  # first: in an ask that the first answer ends, it is that
        for count in range(MAX_LEVEL_ASKS):
            self.hear(seat)
            if play.over or (count >= MAX_ASKS and len({*play.scores}) > 1):
                break
            closed, asked = play.closed, [*play.pending]
            if play.arrival:
                random.shuffle(asked)
            for at in asked:
                question = play.pending[at]
                slips = random.random() < self.slip
                play.answer(
                    at, draw_answer(question, random) if slips else self.bots[at].choose(question)
                )
                if play.closed != closed:
                    break
        return play


@frozen(eq=False)
class World:
    """A play at the seat's question that the seat cannot tell from the true one."""

    informed: InformedBots  #: of the juncture that it fits
    position: Position  #: when the round began
    seed: str  #: of all chance from then on
    asks: Sequence[Sequence[GivenAnswer]]  #: the answers of the round, secret ones given anew
    kinds: Sequence[type[Bot]]  #: who plays on in each seat
    weight: float  #: how likely it is, beside other worlds
    slip: float  #: the share of answers that chance gives

    @property
    def juncture(self) -> Juncture:
        """The juncture that it fits."""
        return self.informed.juncture

    @property
    def play(self) -> Play:
        """A new play of it, at the seat's question."""
        answers = [given for ask in self.asks for given in ask]
        juncture = self.juncture
        return Play(self.position, juncture.seats, self.seed, juncture.number, answers)

    def play_on(self, answer: Any) -> Play:
        """Play it on after the seat's answer; the same answer always comes out the same."""
        seat = self.juncture.seat
        playout = Playout.begin(self.informed, self.position, self.seed, self.kinds, self.slip)
        playout.hear(seat)
        for ask in self.asks:
            for at, past in ask:
                # it may keep in mind what it was asked
                playout.bots[at].choose(playout.play.pending[at])
                playout.play.answer(at, past)
            playout.hear(seat)
        return playout.finish(seat, answer)


class Worlds:
    """Draws worlds of a juncture."""

    def __init__(self, juncture: Juncture, substitutes: Substitutes, random: Random) -> None:
        self.juncture = juncture  #: that all of them fit
        self.tries = 0  #: how many positions were dealt
        self._substitutes, self._random = substitutes, random
        self._informed, self._redeal = InformedBots(juncture), juncture.build_dealer()

    def draw(self, tries: int = MAX_TRIES) -> World | None:
        """Return a world, or None where so many in a row do not fit what the seat was told."""
        for _ in range(tries):
            self.tries += 1
            if world := self._try():
                return world
        return None

    def _try(self) -> World | None:
        """Return a world, or None if what was dealt does not fit what the seat was told."""
        juncture, random, slip = self.juncture, self._random, self._substitutes.slip
        position, seed = self._redeal(random), f"{random.getrandbits(64):016x}"
        kinds = self._substitutes.draw_kinds(juncture, random)
        playout = Playout.begin(self._informed, position, seed, kinds, slip)
        play, seat, weight = playout.play, juncture.seat, 1.0
        asks = list[Sequence[GivenAnswer]]()
        for told, ask in zip(juncture.told, juncture.asks, strict=False):
            if playout.hear(seat) != told:
                return None
            given = list[GivenAnswer]()
            for at, answer in ask:
                question = play.pending.get(at)
                if question is None:
                    return None
                chosen = playout.bots[at].choose(question)
                here = answer
                if isinstance(answer, Withheld):
                    here = self._answer_anew(question, answer, chosen)
                elif at != seat and kinds[at] is not ChanceBot and not is_same(chosen, answer):
                    weight *= SURPRISE_WEIGHT
                try:
                    given.append((at, play.answer(at, here)))
                except IllegalAnswerError:  # another deal has led to other questions
                    return None
            asks.append(tuple(given))
        if playout.hear(seat) != juncture.told[-1] or play.pending.get(seat) != juncture.question:
            return None
        return World(self._informed, position, seed, tuple(asks), kinds, weight, slip)

    def _answer_anew(self, question: Question[Any], answer: Withheld, chosen: Any) -> Any:
        """Return an answer of which everybody may know the same; None if none is found."""
        secret: Secret = self.juncture.game.secrecy.secret_answers[type(question)]
        if secret.at_once(chosen) == answer.known and self._random.random() >= DOUBT:
            return chosen
        drawn = self._draw_answers(question)
        return next((given for given in drawn if secret.at_once(given) == answer.known), None)

    def _draw_answers(self, question: Question[Any]) -> Iterator[Any]:
        """Yield answers that are drawn; of cards some of each number."""
        options, random = question.options, self._random
        for _ in range(MAX_DRAWS):
            if isinstance(options, SomeOf):
                for size in options.sizes:
                    yield tuple(random.sample(options.cards, size))
            else:
                yield options.draw(random)
