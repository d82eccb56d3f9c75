"""Branches of games that are played again: codecs, snapshots of rounds, pairs, exchanged draws.

Rounds are played one by one here, so that a round in which nobody is asked is covered as well.
Several laws use the same cases, so a case that was played is cached for a while, together with the
codecs that replayed it.

A codec receives only what its seat was told, but codecs could share state. So the codecs of some
other seats replay a case, too; at a table of fifty not all, as small tables show such a leak.
"""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from copy import deepcopy
from itertools import zip_longest
from random import Random
from typing import Any, TypeAlias

from attrs import Factory, define, evolve, field, frozen

from arena.plugins import Game
from arena.rules import (
    OPTION_KINDS,
    GivenAnswer,
    IllegalAnswerError,
    Play,
    Position,
    Question,
    Score,
    Seat,
    Table,
    UndealtPosition,
    Variant,
)
from arena.testing.harness.cases import (
    MAX_ANSWERS,
    MOVE_RANGE,
    Case,
    CpuLimitExceededError,
    apply_move,
    choose_legal_answer,
    is_legal,
)
from arena.wires import (
    AnswerEvent,
    BoardLineCodec,
    Codec,
    Greeting,
    Limits,
    MalformedLineError,
    Narrator,
    decode_answer,
    encode_event,
    encode_question,
    encode_withdrawal,
)

BOARD_KIND, NARRATOR_KIND = "board", "narrator"


def build_greeting(game: Game, case: Case, seat: Seat) -> Greeting:
    """Return the greeting, which the host tells a seat first."""
    variant = game.read_variant(case.options)
    own = "a seed of its own"
    return Greeting(game.name, seat, case.seats, variant, own, limits=Limits())


def build_codecs(game: Game, case: Case, kind: str) -> list[Codec]:
    """Return each seat's codec of a kind, such as `narrator`, after the greeting."""
    return [build_codec(game, case, kind, seat) for seat in range(case.seats)]


def build_codec(game: Game, case: Case, kind: str, seat: Seat) -> Codec:
    """Return one seat's codec, after the greeting."""
    names = [f"player_{seat}" for seat in range(case.seats)]
    if kind == BOARD_KIND:
        assert game.presentation.board
        codec: Codec = BoardLineCodec(game.presentation.board(seat, names), seat)
    elif kind == NARRATOR_KIND:
        codec = game.build_narrator(seat, names)
    else:
        codec = game.build_codec(kind, seat)
    check_lines(encode_event(codec, build_greeting(game, case, seat)))
    return codec


def codec_kinds(game: Game) -> tuple[str, ...]:
    """Return the kinds of all codecs, also of what only pages show."""
    return (*answering_kinds(game), *([BOARD_KIND] if game.presentation.board else []))


def answering_kinds(game: Game) -> tuple[str, ...]:
    """Return the kinds of all codecs that read answers."""
    return (*game.protocols, NARRATOR_KIND)


def check_lines(lines: Iterable[str]) -> list[str]:
    """Return lines that were sent as a list, after checking that each is a line."""
    sent = [*lines]
    for line in sent:
        assert isinstance(line, str), f"{line!r} is not a string"
        assert "\n" not in line, f"{line!r} contains a newline"
        assert "\r" not in line, f"{line!r} contains a carriage return"
        line.encode()
    return sent


def describe_reading(codec: Codec, question: Question[Any], line: str) -> str:
    """Describe how a line is read; raise GameError where a codec fails at it."""
    try:
        answer = decode_answer(codec, question, line)
    except MalformedLineError as problem:
        assert str(problem), f"{line!r} is refused as malformed without a reason"
        return f"malformed: {problem}"
    return describe_ruling(question, answer)


def has_public_options(question: Question[Any]) -> bool:
    """Whether reasons for refusing an answer depend on the options alone."""
    return type(question.options) in OPTION_KINDS


def describe_ruling(question: Question[Any], answer: object) -> str:
    """Describe how the options read an answer."""
    try:
        return f"answer: {question.options.read(answer)!r}"
    except IllegalAnswerError as problem:
        return f"illegal: {problem}"


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


MessageLines: TypeAlias = list[tuple[Message, str]]
"""The lines that a seat is sent, each with the message that it comes from."""


def name_round(number: int) -> str:
    """Return a round in words; rounds are counted from 1, behind the deal."""
    return f"round {number}" if number else "the deal"


@frozen
class RoundSnapshot:
    """The beginning of a round, and all messages before."""

    position: Position
    number: int  # of the round
    history: tuple[Message, ...]
    pool: tuple[Any, ...] = ()  # answers from the whole game
    codecs: dict[str, dict[Seat, Codec]] = Factory(dict)  # by kind, once they have lived through it
    others: dict[Seat, Position | None] = Factory(dict)  # what a seat may not tell from this
    # the one that was looked at before
    before: RoundSnapshot | None = field(default=None, repr=False)


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


MAX_SEATS = 3  # that are compared at one position


def sample_seats(case: Case) -> list[Seat]:
    """Return a sample of the seats, which depends on the case."""
    return sorted(_sample_codec_seats(case)[:MAX_SEATS])


def _sample_codec_seats(case: Case) -> list[Seat]:
    """Return the sampled seats, and behind them one more whose codec replays the case, too."""
    return case.random("watching").sample(range(case.seats), min(MAX_SEATS + 1, case.seats))


def codecs_at(game: Game, case: Case, snapshot: RoundSnapshot, kind: str) -> dict[Seat, Codec]:
    """Return some seats' codecs of a kind, after all messages before a snapshot.

    The messages are replayed once; callers get copies, if the codecs can be copied.
    """
    if kind not in snapshot.codecs:
        snapshot.codecs[kind] = _advance_codecs(game, case, snapshot, kind)
    return _copy_codecs(game, snapshot.codecs[kind]) or _replay_codecs(game, case, snapshot, kind)


def _advance_codecs(
    game: Game, case: Case, snapshot: RoundSnapshot, kind: str
) -> dict[Seat, Codec]:
    """Return codecs that are replayed from an earlier snapshot to this one."""
    earlier = snapshot.before
    if earlier is None:
        return _replay_codecs(game, case, snapshot, kind)
    living = codecs_at(game, case, earlier, kind)
    collect_lines(living, 0, snapshot.history[len(earlier.history) :])
    return living


def _replay_codecs(game: Game, case: Case, snapshot: RoundSnapshot, kind: str) -> dict[Seat, Codec]:
    made = {seat: build_codec(game, case, kind, seat) for seat in sorted(_sample_codec_seats(case))}
    collect_lines(made, 0, snapshot.history)
    return made


def _copy_codecs(game: Game, kept: Mapping[Seat, Codec]) -> dict[Seat, Codec] | None:
    """Return copies of codecs, or None if they cannot be copied, such as generators."""
    shared = (game, game.vocabulary)
    try:
        copies = deepcopy({**kept}, {id(shared_object): shared_object for shared_object in shared})
    except Exception:  # noqa: BLE001  # whatever a stranger's codec raises
        return None
    whole = all(
        _attribute_names(codec) == _attribute_names(copies[seat]) for seat, codec in kept.items()
    )
    return copies if whole else None


def _attribute_names(codec: Codec) -> set[str]:
    """Return the names of attributes beside the slots, which a copy of an attrs class loses."""
    return {*getattr(codec, "__dict__", ())}


def collect_lines(
    speaking: Mapping[Seat, Codec], seat: Seat, heard: Sequence[Message]
) -> list[str]:
    """Pass messages to the codecs of these seats, and return the lines of one seat."""
    return [line for _, line in collect_messages_with_lines(speaking, seat, heard)]


def collect_messages_with_lines(
    speaking: Mapping[Seat, Codec], seat: Seat, heard: Sequence[Message]
) -> MessageLines:
    """Pass messages to the codecs of these seats; return the lines of one seat, with messages."""
    sent: MessageLines = []
    for message in heard:
        for at in speaking if message.seat is None else speaking.keys() & {message.seat}:
            lines = _encode_lines(speaking[at], message)
            if at == seat:
                sent += [(message, line) for line in lines]
    return sent


def _encode_lines(codec: Codec, heard: Message) -> list[str]:
    match heard.kind:
        case "tell":
            return check_lines(encode_event(codec, heard.content))
        case "ask":
            return check_lines(encode_question(codec, heard.content))
        case "withdraw":
            return check_lines(encode_withdrawal(codec, heard.content))
        case "score":
            return [f"scores: {', '.join(map(str, heard.content))}"]
    codec.read(heard.content[0], codec.say(*heard.content))
    if isinstance(codec, Narrator) and heard.seat is not None:
        check_lines(encode_event(codec, AnswerEvent(heard.seat, *heard.content)))
    return []


def find_first_difference(first: Sequence[str], second: Sequence[str]) -> tuple[object, object]:
    """Return the first lines that differ, with one line of context on both sides."""
    pairs = [*zip_longest(first, second)]
    at = next(at for at, (here, there) in enumerate(pairs) if here != there)
    return [*first[max(0, at - 1) : at + 2]], [*second[max(0, at - 1) : at + 2]]


def find_different_messages(
    first: MessageLines, second: MessageLines
) -> tuple[Message | None, Message | None]:
    """Return the messages whose lines are the first that differ; None behind the last line."""
    pairs = zip_longest(first, second, fillvalue=(None, ""))
    return next((here, there) for (here, line), (there, other) in pairs if line != other)


def tells_by_itself(
    sent: Sequence[MessageLines], heard: Sequence[Sequence[Message]], seat: Seat
) -> bool:
    """Whether lines to a seat differ although all that the seat was told and asked is the same."""
    known = [
        [message for message in messages[: at + 1] if message.seat in (None, seat)]
        for last, messages in zip(find_different_messages(*sent), heard, strict=True)
        for at, message in enumerate(messages)
        if message is last
    ]
    return len(known) == len(heard) and known[0] == known[1]


MAX_ANSWER_DRAWS = 12  # draws until an answer is found that is legal in both positions


@define
class Branch:
    """One of two positions as it continues, and all messages on the way."""

    play: Play
    seat: Seat  # who looks
    reveals: tuple[type, ...]
    heard: list[Message] = field(factory=list)
    _scores: tuple[Score, ...] = field(init=False, default=())

    @classmethod
    def begin(cls, game: Game, case: Case, start: tuple[Any, int], seat: Seat) -> Branch:
        """Start at a position with the number of its round, and collect the first messages."""
        position, number = start
        branch = cls(Play(position, case.seats, case.seed, number), seat, game.secrecy.reveals)
        branch._scores = (0,) * case.seats
        branch._listen(NO_CLOSED_ASK)
        return branch

    def answer(self, seat: Seat, answer: Any) -> None:
        """Give an answer, and collect the messages that follow."""
        question, before = self.play.pending[seat], self.play.closed
        self.play.answer(seat, answer)
        self.heard.append(Message("say", seat, (question, answer)))
        self._listen(before)

    def catch_up(self, random: Random) -> None:
        """Answer for others who are asked before the seat, as long as it hears nothing of it."""
        known = self.known_count
        while not self.play.over and not self.question and self.known_count == known:
            before = self.play.closed
            apply_move(self.play, random.randrange(MOVE_RANGE))
            self._listen(before)

    def _listen(self, before: int) -> None:
        self.heard += collect_messages(self.play, before)
        if self.play.scores != self._scores:  # learning environments pay them out at each step
            self._scores = self.play.scores
            self.heard.append(Message("score", None, self._scores))

    @property
    def question(self) -> Question[Any] | None:
        """The question that the seat is asked, or None."""
        return self.play.pending.get(self.seat)

    @property
    def known_count(self) -> int:
        """The number of messages that the seat itself was told, was asked, or sent."""
        return len(self.own_messages)

    @property
    def own_messages(self) -> list[Message]:
        """The messages that the seat itself was told, was asked, or sent."""
        return [heard for heard in self.heard if self._knows(heard)]

    @property
    def known_count_before_reveal(self) -> int | None:
        """The same number up to the first reveal, or None if nothing is revealed."""
        reveals = (at for at, heard in enumerate(self.own_messages) if self.is_reveal(heard))
        return next(reveals, None)

    def is_reveal(self, heard: Message) -> bool:
        """Whether a message is an event by which the rules reveal something."""
        return heard.kind == "tell" and isinstance(heard.content, self.reveals)

    def truncate(self, count: int) -> list[Message]:
        """Return the messages up to the first `count` that the seat knows."""
        kept: list[Message] = []
        for heard in self.heard:
            count -= self._knows(heard)
            if count < 0:
                break
            kept.append(heard)
        return kept

    def _knows(self, heard: Message) -> bool:
        return heard.seat in (None, self.seat)


def comparable_messages(branches: Sequence[Branch]) -> list[list[Message]]:
    """Return each branch's messages up to the first reveal that is not the same in both.

    A reveal that is the same tells the seat nothing about what differs.
    """
    known = [branch.own_messages for branch in branches]
    for at, pair in enumerate(zip_longest(*known)):
        if pair[0] != pair[1] and any(
            heard and branch.is_reveal(heard) for heard, branch in zip(pair, branches, strict=True)
        ):
            return [branch.truncate(at) for branch in branches]
    return [branch.heard for branch in branches]


def find_common_answer(
    here: Play, there: Play, but: Seat | None, random: Random
) -> GivenAnswer | None:
    """Return an answer that is legal in both plays, from a seat other than `but`, or None."""
    for seat in sorted((here.pending.keys() & there.pending.keys()) - {but}):
        for _ in range(MAX_ANSWER_DRAWS):
            answer = choose_legal_answer(here.pending[seat], random.randrange(MOVE_RANGE))
            if is_legal(there.pending[seat], answer):
                return seat, answer
    return None


DRAW_BITS = 64  # of the number that a draw is made of
OWN_FILES = {__file__, random.__file__, contextlib.__file__}  # whose lines are none of the rules


@frozen
class RecordedDraw:
    """A draw: what was asked of the generator, and whether in a shuffle or a sample."""

    kind: str
    size: int
    joint: bool
    where: str = field(eq=False)
    told: int = field(eq=False)  # how many events were told before it since the last answer

    def __str__(self) -> str:
        """Describe the place in the rules where it is made."""
        return f"the draw {self.where}"


class RecordingRandom(Random):
    """A generator that records its draws, and can exchange one of them, given by number.

    It takes one number from its stream for each draw, however much the draw needs: so an exchanged
    one does not shift those behind it.
    """

    def __init__(self, seed: str, table: Table, exchanged: int | None = None, by: int = 0) -> None:
        self.draws: list[RecordedDraw] = []
        self._table = table
        self._open_shuffles = 0  # shuffles that are under way
        self._stream = Random(seed)
        self._exchanged, self._replacement_stream = exchanged, Random(f"{seed}/{exchanged}/{by}")
        super().__init__(seed)

    def _number(self, kind: str, size: int) -> int:
        """Return the number that a draw is computed from, or another one where it is exchanged."""
        number = self._stream.getrandbits(DRAW_BITS)
        if len(self.draws) == self._exchanged:
            number = self._replacement_stream.getrandbits(DRAW_BITS)
        joint, told = self._open_shuffles > 0, len(self._table.told)
        self.draws.append(RecordedDraw(kind, size, joint, _describe_caller(), told))
        return number

    def random(self) -> float:
        """Draw a float from 0 up to 1."""
        return (self._number("random", 1) >> 11) / (1 << 53)

    def getrandbits(self, k: int, /) -> int:
        """Draw a number of `k` bits."""
        return Random(self._number("bits", k)).getrandbits(k)

    def _randbelow(self, n: int) -> int:
        """Draw a number below `n`; all draws from a list are based on this."""
        return self._number("below", n) * n >> DRAW_BITS

    def shuffle(self, x: MutableSequence[Any]) -> None:
        """Shuffle a sequence; the draws count as joint."""
        with self._joint_draws():
            super().shuffle(x)

    def sample(self, population: Sequence[Any], k: int, *, counts: Any = None) -> list[Any]:
        """Draw `k` elements; the draws count as joint."""
        with self._joint_draws():
            return super().sample(population, k, counts=counts)

    @contextlib.contextmanager
    def _joint_draws(self) -> Iterator[None]:
        self._open_shuffles += 1
        try:
            yield
        finally:
            self._open_shuffles -= 1


def _describe_caller() -> str:
    """Describe the line of the rules in which a draw is made."""
    frame = sys._getframe(1)  # noqa: SLF001
    while frame.f_back and frame.f_code.co_filename in OWN_FILES:
        frame = frame.f_back
    return f"in {frame.f_code.co_name}, {frame.f_code.co_filename}:{frame.f_lineno}"


@frozen(eq=False)
class VariedRoundPosition(SingleRoundPosition):
    """A position whose single round draws from a recording generator, which is kept."""

    exchanged: int | None = None  # the number of the draw
    by: int = 0  # one of many others
    generators: list[RecordingRandom] = Factory(list)

    async def round(self, table: Table) -> SingleRoundPosition:
        """Play the one round."""
        seed = f"{table._seed}/{table.number}"  # noqa: SLF001
        draws = RecordingRandom(seed, table, self.exchanged, self.by)
        self.generators[:] = [draws]
        table._random, table._drawn = draws, table.number  # noqa: SLF001
        position: Position = self.position
        return SingleRoundPosition(await position.round(table), over=True)

    @property
    def draws(self) -> list[RecordedDraw]:
        """The draws that have been made."""
        return self.generators[0].draws
