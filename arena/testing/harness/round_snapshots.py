"""Snapshots of games at the beginnings of rounds, with all messages before.

Rounds are played one by one here, so that a round in which nobody is asked is covered as well.
Several laws use the same cases, so a case that was played is cached for a while, together with
the codecs that replayed it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import Factory, evolve, field, frozen

from arena.plugins import Game
from arena.rules import Play, Position, Seat, Table, UndealtPosition, Variant
from arena.testing.harness.cases import MAX_ANSWERS, Case, apply_move
from arena.testing.harness.cpu_limit import CpuLimitExceededError
from arena.wires import Codec

NO_CLOSED_ASK = -1  # the count of closed asks before the first ask
MAX_POOL_SIZE = 40  # answers from elsewhere in the game that are tried as illegal answers
LATER_ROUNDS = 4  # for which a secret answer is watched, with its own
MAX_CACHED_CASES = 64  # more than a law of the contract tries


@frozen
class Message:
    """A message: an event (`tell`), a question (`ask`) or an answer (`say`), and its seat.

    A question that was withdrawn, since another answer ended the ask, is a `withdraw`; a `score`
    says that the scores have changed.
    """

    kind: str
    seat: Seat | None
    content: Any  # an event, a question, for `say` both the question and the answer, or scores


@frozen
class RoundSnapshot:
    """The beginning of a round, and all messages before."""

    position: Position
    number: int  # of the round
    history: tuple[Message, ...]
    pool: tuple[Any, ...] = ()  # answers from the whole game
    codecs: dict[str, dict[Seat, Codec]] = Factory(dict)  # by kind, once they have lived through it
    others: dict[Seat, Position | None] = Factory(dict)  # what a seat may not tell from this
    before: RoundSnapshot | None = field(
        default=None, repr=False
    )  # the one that was looked at before


@frozen
class SingleRoundPosition:
    """A position that is over after its next round."""

    position: Any
    over: bool = False

    @property
    def variant(self) -> Variant:
        """The variant."""
        variant: Variant = self.position.variant
        return variant

    @property
    def scores(self) -> Any:
        """The scores."""
        return self.position.scores

    async def round(self, table: Table) -> SingleRoundPosition:
        """Play the single round."""
        return SingleRoundPosition(await self.position.round(table), over=True)

    def resample_hidden(self, seat: Seat, random: Any) -> Position:
        """Return the position itself: nobody asks for another one."""
        return self


@frozen
class SeveralRoundsPosition(SingleRoundPosition):
    """A position that is over after some rounds."""

    left: int = LATER_ROUNDS

    async def round(self, table: Table) -> SeveralRoundsPosition:
        """Play one of these rounds."""
        position, left = await self.position.round(table), self.left - 1
        return SeveralRoundsPosition(position, over=position.over or not left, left=left)


@frozen
class _Playthrough:
    """A case that was played: some of the beginnings of its rounds, and its end."""

    game: Game
    begun: tuple[RoundSnapshot, ...]
    end: RoundSnapshot


_cache: dict[tuple[int, str], _Playthrough] = {}  # by the game's identity, and the case


def take_snapshots(game: Game, case: Case) -> Sequence[RoundSnapshot]:
    """Play a case, and return snapshots of some rounds, including the deal.

    The deal has number 0. All snapshots have a pool of answers from the game.
    """
    return _play_cached(game, case).begun


def list_messages(game: Game, case: Case) -> tuple[Message, ...]:
    """Return all messages of a case."""
    return _play_cached(game, case).end.history


def play_messages(game: Game, case: Case) -> tuple[Message, ...]:
    """Play a case that is not cached, and return all its messages."""
    *_, end = _play_rounds(game, case)
    return end.history


def _play_cached(game: Game, case: Case) -> _Playthrough:
    """Play a case, or return its cached playthrough."""
    key = id(game), repr(case)  # a game that is kept keeps its identity
    if key not in _cache:
        if len(_cache) >= MAX_CACHED_CASES:
            del _cache[next(iter(_cache))]
        _cache[key] = _play_through(game, case)
    return _cache[key]


def _play_through(game: Game, case: Case) -> _Playthrough:
    *begun, end = _play_rounds(game, case)
    said = [heard.content[1] for heard in end.history if heard.kind == "say"]
    pool = tuple(said[:: len(said) // MAX_POOL_SIZE + 1])
    looked_at = list[RoundSnapshot]()
    for look, snapshot in zip(case.sampling_decisions(), begun, strict=False):
        if look:
            looked_at.append(
                evolve(snapshot, pool=pool, before=looked_at[-1] if looked_at else None)
            )
    return _Playthrough(game, tuple(looked_at), end)


def _play_rounds(game: Game, case: Case) -> Iterator[RoundSnapshot]:
    """Yield a snapshot at the beginning of each round, and one at the end."""
    position: Position = UndealtPosition(game.read_variant(case.options))
    heard, number, moves = list[Message](), 0, case.move_stream()
    while not position.over:
        yield RoundSnapshot(position, number, tuple(heard))
        if len(heard) > MAX_ANSWERS:
            raise CpuLimitExceededError(f"the game has not ended after {number} rounds")
        play = Play(SingleRoundPosition(position), case.seats, case.seed, number)
        heard += _play_round(play, moves)
        assert isinstance(play.position, SingleRoundPosition)
        position, number = play.position.position, number + 1
    yield RoundSnapshot(position, number, tuple(heard))


def collect_messages(play: Play, before: int) -> list[Message]:
    """Return the new messages of a play; questions only if an ask was closed since `before`."""
    told = [Message("tell", to, event) for to, event in play.drain()]
    if play.closed == before:
        return told
    back = [Message("withdraw", *item) for item in sorted(play.withdrawn.items())]
    return [*back, *told, *(Message("ask", *item) for item in sorted(play.pending.items()))]


def _play_round(play: Play, moves: Iterator[int]) -> list[Message]:
    """Play a round to its end, and return all messages."""
    heard, before = list[Message](), NO_CLOSED_ASK
    while True:
        heard += collect_messages(play, before)
        if play.over:
            return heard
        before, asked = play.closed, dict(play.pending)
        seat, answer = apply_move(play, next(moves))
        heard.append(Message("say", seat, (asked[seat], answer)))
