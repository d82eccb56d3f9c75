"""Messages of a match, and what the codecs of its seats make of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from attrs import frozen

from arena.plugins import Game
from arena.rules import OPTION_KINDS, IllegalAnswerError, Question, Seat
from arena.testing.harness.cases import Case
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


@frozen
class Message:
    """A message: an event (`tell`), a question (`ask`) or an answer (`say`), and its seat.

    A question that was withdrawn, since another answer ended the ask, is a `withdraw`; a `score`
    says that the scores have changed.
    """

    kind: str
    seat: Seat | None
    content: Any  # an event, a question, for `say` both the question and the answer, or scores

    def tells(self, *kinds: type) -> bool:
        """Whether it is an event of one of these kinds."""
        return self.kind == "tell" and isinstance(self.content, kinds)

    @property
    def is_private(self) -> bool:
        """Whether it is an event that is told to one seat alone."""
        return self.kind == "tell" and self.seat is not None


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


def collect_lines(
    speaking: Mapping[Seat, Codec], seat: Seat, heard: Sequence[Message]
) -> list[str]:
    """Pass messages to the codecs of these seats, and return the lines of one seat."""
    return [line for _, line in pair_lines(speaking, seat, heard)]


def pair_lines(
    speaking: Mapping[Seat, Codec], seat: Seat, heard: Sequence[Message]
) -> list[tuple[Message, str]]:
    """Pass messages to the codecs of these seats; return the lines of one, with their messages."""
    pairs: list[tuple[Message, str]] = []
    for message in heard:
        for at in speaking if message.seat is None else speaking.keys() & {message.seat}:
            lines = _encode_lines(speaking[at], message)
            if at == seat:
                pairs += [(message, line) for line in lines]
    return pairs


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


def copy_codecs(game: Game, kept: Mapping[Seat, Codec]) -> dict[Seat, Codec] | None:
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
