"""The beginnings of rounds, with all that was told, asked and answered before.

Rounds are played one by one here, so that one in which nobody is asked is seen as well.
Several laws look at the same cases, so a case that was played is kept for a while, and with it
the codecs that have lived through it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import Factory, evolve, field, frozen

from arena.plugins import Game
from arena.rules import Play, Position, Seat, Table, Undealt, Variant
from arena.testing.cases import LONGEST, Case, advance
from arena.testing.cpu_limit import CpuLimitExceeded
from arena.wires import Codec

NO_ASK = -1  # so many asks were closed before the first was put
POOL = 40  # answers from elsewhere in the game that are tried as illegal ones
KEPT = 64  # cases that have been played: more than a law of the contract tries


@frozen
class Heard:
    """Something that was told (`tell`), asked (`ask`) or answered (`say`), and by or to whom.

    A question that was taken back, since another answer ended the ask, is a `withdraw`;
    `score` is that the scores are others now.
    """

    what: str
    seat: Seat | None
    message: Any  # an event, a question, for `say` both the question and the answer, or scores


@frozen
class Snapshot:
    """The beginning of a round, and what happened before."""

    position: Position
    number: int  # of the round
    history: tuple[Heard, ...]
    pool: tuple[Any, ...] = ()  # answers from the whole game
    codecs: dict[str, dict[Seat, Codec]] = Factory(dict)  # by kind, once they have lived through it
    others: dict[Seat, Position | None] = Factory(dict)  # what a seat may not tell from this
    before: Snapshot | None = field(default=None, repr=False)  # the one that was looked at before


@frozen
class Once:
    """A position that is over when its next round has been played."""

    position: Any
    over: bool = False

    @property
    def variant(self) -> Variant:
        """Return what is played."""
        variant: Variant = self.position.variant
        return variant

    @property
    def scores(self) -> Any:
        """Return the scores."""
        return self.position.scores

    async def round(self, table: Table) -> Once:
        """Play the one round."""
        return Once(await self.position.round(table), over=True)

    def resample_hidden(self, seat: Seat, random: Any) -> Position:
        """Return itself: nobody asks."""
        return self


@frozen
class _Playthrough:
    """A game that was played by a case: some of the beginnings of its rounds, and its end."""

    game: Game
    begun: tuple[Snapshot, ...]
    end: Snapshot


_kept: dict[tuple[int, str], _Playthrough] = {}  # by the game's identity, and the case


def snapshots(game: Game, case: Case) -> Sequence[Snapshot]:
    """Play a case, and return some of its positions between two rounds, the deal's among them.

    The deal is that of number 0. All have a pool of answers that were given in the game.
    """
    return _played(game, case).begun


def everything(game: Game, case: Case) -> tuple[Heard, ...]:
    """Return all that is told, asked and answered in a case."""
    return _played(game, case).end.history


def _played(game: Game, case: Case) -> _Playthrough:
    """Play a case, or have it as it was played lately."""
    key = id(game), repr(case)  # a game that is kept keeps its identity
    if key not in _kept:
        if len(_kept) >= KEPT:
            del _kept[next(iter(_kept))]
        _kept[key] = _play(game, case)
    return _kept[key]


def _play(game: Game, case: Case) -> _Playthrough:
    *begun, end = _all(game, case)
    said = [one.message[1] for one in end.history if one.what == "say"]
    pool = tuple(said[:: len(said) // POOL + 1])
    looked_at = list[Snapshot]()
    for look, one in zip(case.looks(), begun, strict=False):
        if look:
            looked_at.append(evolve(one, pool=pool, before=looked_at[-1] if looked_at else None))
    return _Playthrough(game, tuple(looked_at), end)


def _all(game: Game, case: Case) -> Iterator[Snapshot]:
    """Return all beginnings of rounds, and the end."""
    position: Position = Undealt(game.read_variant(case.options))
    heard, number, moves = list[Heard](), 0, case.move_stream()
    while not position.over:
        yield Snapshot(position, number, tuple(heard))
        if len(heard) > LONGEST:
            raise CpuLimitExceeded(f"{number} rounds, and nobody has won: the game has no end")
        play = Play(Once(position), case.seats, case.seed, number)
        heard += _round(play, moves)
        assert isinstance(play.position, Once)
        position, number = play.position.position, number + 1
    yield Snapshot(position, number, tuple(heard))


def listen(play: Play, before: int) -> list[Heard]:
    """Take down what happened since so many asks were closed: what was told and newly asked."""
    told = [Heard("tell", to, event) for to, event in play.drain()]
    if play.closed == before:
        return told
    back = [Heard("withdraw", *one) for one in sorted(play.withdrawn.items())]
    return [*back, *told, *(Heard("ask", *one) for one in sorted(play.pending.items()))]


def _round(play: Play, moves: Iterator[int]) -> list[Heard]:
    """Play a round to its end, and return all that is heard."""
    heard, before = list[Heard](), NO_ASK
    while True:
        heard += listen(play, before)
        if play.over:
            return heard
        before, asked = play.closed, dict(play.pending)
        seat, answer = advance(play, next(moves))
        heard.append(Heard("say", seat, (asked[seat], answer)))
