"""The codecs of a case, greeted and ready to be told, and what they make of answers and lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import frozen

from arena.plugins import Game
from arena.rules import IllegalAnswerError, OneOf, Question, Seat, SomeOf, Text, describe_error
from arena.testing.harness.cases import Case
from arena.wires import (
    AnswerEvent,
    BoardLineCodec,
    Codec,
    Greeting,
    MalformedLineError,
    Narrator,
)

BOARD_KIND, NARRATOR_KIND = "board", "narrator"


def build_greeting(game: Game, case: Case, seat: Seat) -> Greeting:
    """Return the greeting, which the host tells a seat first."""
    variant = game.read_variant(case.options)
    return Greeting(game.name, seat, case.seats, variant, "a seed of its own")


def build_codecs(game: Game, case: Case, kind: str) -> list[Codec]:
    """Return each seat's codec of a kind, `view` or the name of a wire, after the greeting."""
    return [build_codec(game, case, kind, seat) for seat in range(case.seats)]


def build_codec(game: Game, case: Case, kind: str, seat: Seat) -> Codec:
    """Return one seat's codec, after the greeting."""
    names = [f"player_{seat}" for seat in range(case.seats)]
    if kind == BOARD_KIND:
        assert game.board
        codec: Codec = BoardLineCodec(game.board(seat, names), seat)
    elif kind == NARRATOR_KIND:
        codec = NarratorCodec(game.build_narrator(seat, names), seat)
    else:
        codec = game.build_view(seat, names) if kind == "view" else game.build_codec(kind, seat)
    check_lines(codec.tell(build_greeting(game, case, seat)))
    return codec


@frozen
class NarratorCodec:
    """A narrator as a codec: its lines are sentences, and those on its seat's own answers."""

    narrator: Narrator
    seat: Seat

    def tell(self, event: Any) -> Iterable[str]:
        """Return the sentences on an event."""
        return self.narrator.tell(event)

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the sentences of a question."""
        return self.narrator.ask(question)

    def read(self, question: Question[Any], line: str) -> object:
        """Return the line as it is: nobody answers a narrator."""
        return line

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return the sentences on the seat's own answer."""
        return "\n".join(self.tell(AnswerEvent(self.seat, question, answer)))


def codec_kinds(game: Game) -> tuple[str, ...]:
    """Return the kinds of all codecs, also of what only pages show."""
    shown = {BOARD_KIND: game.board, NARRATOR_KIND: game.narrator}
    return (*answering_kinds(game), *(kind for kind, made in shown.items() if made))


def answering_kinds(game: Game) -> tuple[str, ...]:
    """Return the kinds of all codecs that read answers."""
    return (*game.protocols, "view")


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
    """Describe how a line is read; raise AssertionError for any other error than the two."""
    try:
        answer = codec.read(question, line)
    except MalformedLineError as problem:
        assert str(problem), f"{line!r} is refused as malformed without a reason"
        return f"malformed: {problem}"
    except Exception as problem:
        raise AssertionError(
            f"{type(codec).__name__}.read raises {describe_error(problem)} for the line {line!r};"
            " a codec may only raise MalformedLineError"
        ) from problem
    return describe_ruling(question, answer)


def has_public_options(question: Question[Any]) -> bool:
    """Whether reasons for refusing an answer depend on the options alone."""
    return type(question.options) in (OneOf, SomeOf, Text)


def describe_ruling(question: Question[Any], answer: object) -> str:
    """Describe how the options read an answer."""
    try:
        return f"answer: {question.options.read(answer)!r}"
    except IllegalAnswerError as problem:
        return f"illegal: {problem}"
