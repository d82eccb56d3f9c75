"""What answers are worth to a seat: the share of games that it wins after each of them.

The position is played on to the end many times, by the same bot in all seats, from the same seeds
each time: the result is always the same. After each answer the same games are played, so that
their difference is known better than the shares. The cards that the seat did not see are dealt
anew for each game. Where the others have done something in the round, deals in which the bot would
have done the same in their place count more: a claim is a reason to believe it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from random import Random
from typing import Any

from attrs import define, frozen

from arena import (
    Bot,
    Game,
    Greeting,
    IllegalAnswerError,
    Play,
    Position,
    Question,
    Seat,
    TimeLeft,
    search,
)
from arena.records import Transcript
from arena.rules import AddressedEvent, GivenAnswer
from arena_web.pages.rounds import play_again

MIN_SHARE_PLAYED = 1 / 3  # of the games, without which nothing is known
MAX_DEALS = 4  # that are tried for each game, as not all fit what happened in the round
CONFIDENCE = 1.96  # standard errors, within which a difference is chance in 19 of 20 cases
SURPRISE_WEIGHT = 0.2  # of a deal, for each answer that the bot would not have given in it
MAX_ANSWERS = 5000  # in a game, after which it counts as one that nobody wins


@frozen(eq=False)
class Juncture:
    """A point of a match: its open round up to the last ask that was over, and the past."""

    position: Position  #: at the beginning of the round
    seats: int
    number: int  #: of the round
    answers: Sequence[GivenAnswer]  #: of the round
    past: Sequence[AddressedEvent]  #: what was told before the round
    asked: Question[Any] | None = None  #: what the seat is asked there, if that matters


def rewind(game: Game, transcript: Transcript, line: int) -> Juncture:
    """Return the point of a match at which a line was written: before the asks open there."""
    again = play_again(game, transcript, until=line)
    _, play = next(again)
    told, closed, open_answers = play.drain(), play.closed, 0
    for _ in again:
        told += play.drain()
        open_answers = open_answers + 1 if play.closed == closed else 0
        closed = play.closed
    begun = len(Play(*play.key).drain())
    answers = play.answers[: len(play.answers) - open_answers]
    return Juncture(play.position, play.seats, play.number, answers, told[: len(told) - begun])


@frozen
class Comparison:
    """What answers are worth, by the same games after each."""

    shares: tuple[float, ...]  #: of games won after each answer, or its mean points
    noise: float  #: by which the difference between the first two may be chance


def compare(
    game: Game,
    juncture: Juncture,
    seat: Seat,
    kind: type[Bot],
    *,
    answers: Sequence[Any] = (),
    games: int,
) -> Comparison | None:
    """Return the shares of so many games that a seat wins from here on, after each answer.

    Without answers it is one share: the bot answers. None: too few deals fit what happened in the
    round.
    """
    given = [[answer] for answer in answers] or [[]]
    weights: list[float] = []
    results: list[list[float]] = []
    for number in range(MAX_DEALS * games):
        playouts = [_Playout.deal(game, juncture, seat, kind, number) for _ in given]
        dealt = [playout for playout in playouts if playout is not None]
        if dealt:
            weights.append(dealt[0].weight)
            pairs = zip(dealt, given, strict=True)
            results.append([playout.finish(seat, answer) for playout, answer in pairs])
        if len(results) == games:
            break
    if len(results) < games * MIN_SHARE_PLAYED:
        return None
    return weigh_results(results, weights)


def weigh_results(results: Sequence[Sequence[float]], weights: Sequence[float]) -> Comparison:
    """Compare answers by the results of the same games after each: a row for each game."""
    numbers = range(len(results[0]))
    rows = [dict(enumerate(row)) for row in results]
    compared = search.Comparison(numbers, weights, rows, numbers)
    _, error, _ = compared.gain(0, min(1, numbers[-1]))
    return Comparison(tuple(map(compared.mean, numbers)), CONFIDENCE * error)


@define(eq=False)
class _Playout:
    """A game from a juncture on, with the cards dealt anew that a seat did not see."""

    play: Play
    bots: Sequence[Bot]
    weight: float = 1.0

    @classmethod
    def deal(
        cls, game: Game, juncture: Juncture, seat: Seat, kind: type[Bot], number: int
    ) -> _Playout | None:
        """Return a game in which the answers of the round were given, if that is possible."""
        position = juncture.position.resample_hidden(seat, Random(number))
        start = position, juncture.seats, f"{number}", juncture.number
        try:
            whole = Play(*start, juncture.answers)
        except IllegalAnswerError:  # another deal has led to other questions
            return None
        if juncture.asked not in {None, whole.pending.get(seat)}:
            return None
        bots = [kind() for _ in range(juncture.seats)]
        for at, bot in enumerate(bots):
            seed = f"{number}/{at}"
            bot.greet(Greeting(game.name, at, juncture.seats, position.variant, seed))
            bot.time = TimeLeft(inf)
            for to, event in juncture.past:
                if to is None or to == at == seat:  # what others were told is dealt anew
                    bot.hear(event)
        playout = cls(Play(*start), bots)
        for at, answer in juncture.answers:
            playout.hear()
            if at != seat and playout.choose(at) != answer:
                playout.weight *= SURPRISE_WEIGHT
            playout.play.answer(at, answer)
        return playout

    def hear(self) -> None:
        """Tell the bots what is new."""
        for to, event in self.play.drain():
            for seat, bot in enumerate(self.bots):
                if to in {None, seat}:
                    bot.hear(event)

    def choose(self, seat: Seat) -> Any:
        """Return the answer of a seat's bot."""
        question: Question[Any] = self.play.pending[seat]
        return self.bots[seat].choose(question)

    def finish(self, seat: Seat, answer: Sequence[Any]) -> float:
        """Play to the end; return the seat's share of the victory, 1 if it alone has won."""
        play, given = self.play, [*answer]
        for _ in range(MAX_ANSWERS):
            self.hear()
            if play.over:
                break
            closed = play.closed
            for asked in [*play.pending]:
                play.answer(asked, given.pop() if given and asked == seat else self.choose(asked))
                if play.closed != closed:
                    break
        firsts = [side for side in play.sides if play.scores[side[0]] == max(play.scores)]
        won = play.over and not play.everybody_lost and any(seat in side for side in firsts)
        return won / len(firsts)
