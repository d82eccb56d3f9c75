"""The beginnings of rounds, with all that was told, asked and answered before.

Rounds are played one by one here, so that one in which nobody is asked is seen as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import evolve, frozen

from arena.game import Game
from arena.play import Play, Position, Undealt, Variant
from arena.table import Seat, Table
from arena.testing.cases import LONGEST, Case, advance, still_asked
from arena.testing.patience import Endless

POOL = 40  # answers from elsewhere in the game that are tried as illegal ones


@frozen
class Heard:
    """Something that was told (`tell`), asked (`ask`) or answered (`say`), and by or to whom."""

    what: str
    seat: Seat | None
    message: Any  # an event, a question, or for `say` both the question and the answer


@frozen
class Moment:
    """The beginning of a round, and what happened before."""

    position: Position
    number: int  # of the round
    history: tuple[Heard, ...]
    pool: tuple[Any, ...] = ()  # answers from the whole game


@frozen
class Once:
    """A position that is over when its next round has been played."""

    position: Any
    over: bool = False

    @property
    def variant(self) -> Variant:
        """Give what is played."""
        variant: Variant = self.position.variant
        return variant

    @property
    def scores(self) -> Any:
        """Give the scores."""
        return self.position.scores

    async def round(self, table: Table) -> Once:
        """Play the one round."""
        return Once(await self.position.round(table), over=True)

    def another(self, seat: Seat, random: Any) -> Position:
        """Give itself: nobody asks."""
        return self


def moments(game: Game, case: Case) -> Iterator[Moment]:
    """Play a case, and give some of its positions between two rounds, the deal's among them.

    The deal is that of number 0. All have a pool of answers that were given in the game.
    """
    *begun, end = _all(game, case)
    said = [one.message[1] for one in end.history if one.what == "say"]
    pool = tuple(said[:: len(said) // POOL + 1])
    for look, moment in zip(case.looks(), begun, strict=False):
        if look:
            yield evolve(moment, pool=pool)


def _all(game: Game, case: Case) -> Iterator[Moment]:
    """Give all beginnings of rounds, and the end."""
    position: Position = Undealt(game.read_variant(case.options))
    heard, number, moves = list[Heard](), 0, case.habits()
    while not position.over:
        yield Moment(position, number, tuple(heard))
        if len(heard) > LONGEST:
            raise Endless(f"{number} rounds, and nobody has won: the game has no end")
        play = Play(Once(position), case.seats, case.seed, number)
        heard += _round(play, moves)
        assert isinstance(play.position, Once)
        position, number = play.position.position, number + 1
    yield Moment(position, number, tuple(heard))


def listen(play: Play, asked: set[Seat]) -> list[Heard]:
    """Take down what has been told, and who is asked now and was not before."""
    told = [Heard("tell", to, event) for to, event in play.drain()]
    new = sorted(play.pending.keys() - asked)
    return [*told, *(Heard("ask", seat, play.pending[seat]) for seat in new)]


def _round(play: Play, moves: Iterator[int]) -> list[Heard]:
    """Play a round to its end, and give all that is heard."""
    heard, before = list[Heard](), set[Seat]()
    while True:
        heard += listen(play, before)
        if play.over:
            return heard
        before, asked = still_asked(play), dict(play.pending)
        seat, answer = advance(play, next(moves))
        heard.append(Heard("say", seat, (asked[seat], answer)))
