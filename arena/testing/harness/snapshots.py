"""Snapshots of the rounds of a case, from which laws play on.

Rounds are played one by one here, so that a round in which nobody is asked is covered as well.
Several laws use the same cases, so a case that was played is cached for a while, together with the
codecs that replayed it.

A codec receives only what its seat was told, but codecs could share state. So the codecs of some
other seats replay a case, too; at a table of fifty not all, as small tables show such a leak.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from attrs import Factory, evolve, field, frozen

from arena.plugins import Game
from arena.rules import Play, Position, Seat, Table, UndealtPosition, Variant
from arena.testing.harness.cases import MAX_ANSWERS, Case, CpuLimitExceededError, apply_move
from arena.testing.harness.messages import Message, build_codec, collect_lines, copy_codecs
from arena.wires import Codec

NO_CLOSED_ASK = -1  # the count of closed asks before the first ask
MAX_CACHED_CASES = 64  # more than a law of the contract tries
MAX_POOL_SIZE = 40  # answers from elsewhere in the game that are tried as illegal answers
MAX_POSITION_DRAWS = 5  # until `resample_hidden` has given a position that differs
MAX_SEATS = 3  # that are compared at one position


@frozen
class RoundSnapshot:
    """The beginning of a round of a case, and all messages before."""

    game: Game
    case: Case
    position: Position
    number: int  # of the round
    history: tuple[Message, ...] = ()
    seats: Sequence[Seat] = ()  # that are compared
    codec_seats: Sequence[Seat] = ()  # whose codecs replay the case: some more
    pool: tuple[Any, ...] = ()  # answers from the whole game
    # the one that was looked at before
    before: RoundSnapshot | None = field(default=None, repr=False)
    _codecs: dict[str, dict[Seat, Codec]] = Factory(dict)  # by kind, after the history
    _others: dict[Seat, Position | None] = Factory(dict)  # what a seat may not tell from this

    @property
    def name(self) -> str:
        """The round in words; rounds are counted from 1, behind the deal."""
        return f"round {self.number}" if self.number else "the deal"

    def find_alternative(self, seat: Seat) -> Position | None:
        """Return another position that a seat may not distinguish from this one, or None."""
        if seat not in self._others:
            drawn = (
                self.position.resample_hidden(seat, Random(number))
                for number in range(MAX_POSITION_DRAWS)
            )
            self._others[seat] = next((other for other in drawn if other != self.position), None)
        return self._others[seat]

    def copy_codecs(self, kind: str) -> dict[Seat, Codec]:
        """Return some seats' codecs of a kind, such as `narrator`, after the history.

        The history is replayed once; callers get copies, if the codecs can be copied.
        """
        if kind not in self._codecs:
            self._codecs[kind] = self._advance_codecs(kind)
        return copy_codecs(self.game, self._codecs[kind]) or self._replay_codecs(kind)

    def _advance_codecs(self, kind: str) -> dict[Seat, Codec]:
        """Return codecs that are replayed from an earlier snapshot to this one."""
        if self.before is None:
            return self._replay_codecs(kind)
        codecs = self.before.copy_codecs(kind)
        collect_lines(codecs, 0, self.history[len(self.before.history) :])
        return codecs

    def _replay_codecs(self, kind: str) -> dict[Seat, Codec]:
        codecs = {
            seat: build_codec(self.game, self.case, kind, seat) for seat in sorted(self.codec_seats)
        }
        collect_lines(codecs, 0, self.history)
        return codecs


@frozen
class LimitedPosition:
    """A position that is over after some rounds, if not sooner."""

    position: Any
    left: int = 1  # rounds

    @property
    def over(self) -> bool:
        """Whether no more rounds are played."""
        return not self.left or self.position.over

    @property
    def variant(self) -> Variant:
        """The variant."""
        variant: Variant = self.position.variant
        return variant

    @property
    def scores(self) -> Any:
        """The scores."""
        return self.position.scores

    async def round(self, table: Table) -> LimitedPosition:
        """Play one of these rounds."""
        return LimitedPosition(await self.position.round(table), self.left - 1)

    def resample_hidden(self, seat: Seat, random: Any) -> Position:
        """Return the position itself: nobody asks for another one."""
        return self


@frozen
class _Playthrough:
    """A case that was played: snapshots of some of its rounds, and its end."""

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
    return _Playthrough(tuple(looked_at), end)


def _play_rounds(game: Game, case: Case) -> Iterator[RoundSnapshot]:
    """Yield a snapshot at the beginning of each round, and one at the end."""
    position: Position = UndealtPosition(game.read_variant(case.options))
    heard, number, moves = list[Message](), 0, case.move_stream()
    seats = sample_seats(case), _sample_codec_seats(case)
    while not position.over:
        yield RoundSnapshot(game, case, position, number, tuple(heard), *seats)
        if len(heard) > MAX_ANSWERS:
            raise CpuLimitExceededError(f"the game has not ended after {number} rounds")
        play = Play(LimitedPosition(position), case.seats, case.seed, number)
        heard += _play_round(play, moves)
        assert isinstance(play.position, LimitedPosition)
        position, number = play.position.position, number + 1
    yield RoundSnapshot(game, case, position, number, tuple(heard), *seats)


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


def sample_seats(case: Case) -> list[Seat]:
    """Return a sample of the seats, which depends on the case."""
    return sorted(_sample_codec_seats(case)[:MAX_SEATS])


def _sample_codec_seats(case: Case) -> list[Seat]:
    """Return the sampled seats, and behind them one more whose codec replays the case, too."""
    return case.random("watching").sample(range(case.seats), min(MAX_SEATS + 1, case.seats))
