"""Codecs: events and questions become lines, lines become answers; in JSON for every game.

A codec is of one seat; it knows messages, and neither rules nor pipes. Text wires come with the
games, a narrator is a codec whose lines are for people, and JSON lines are the wire that every game
has: JSON objects as lines to the bot, JSON values back. `{"tell":"Prize","card":12}` tells of an
event, named by its class; `{"ask":"Bid","options":{"one_of":[1,2]},"default":null}` asks;
`{"withdraw":"Bid"}` says that somebody else was first. What is told and asked stands in
transcripts so, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import floor, isinf
from typing import Any, Protocol

from attrs import define, field, fields, frozen

from arena.rules import (
    GameError,
    Question,
    Seat,
    abbreviate,
    describe_error_with_line,
    locate_definition,
)
from arena.wires.strict_converter import converter, freeze, read, validate_message_class
from arena.wires.syntax_errors import describe_json_error
from arena.wires.time_limits import Limits, TimeLeft


class MalformedLineError(Exception):
    """A line that is not an answer in this protocol; the message says why."""


class Codec(Protocol):
    """The protocol of a seat as lines, which are given without their newline.

    Where a game asks for the first answer (`Table.ask_first`), a codec may have a method
    more, `withdraw(question)`: the lines by which a seat learns that it was too late.
    """

    def tell(self, event: Any) -> Iterable[str]:
        """Return the lines that tell the seat of an event, possibly none."""

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the lines that ask a question, possibly none if an event was the prompt."""

    def read(self, question: Question[Any], line: str) -> object:
        """Return the answer in a line, or raise MalformedLineError; the options judge it later."""

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return the line that `read` reads as this answer."""


# Codecs are written by authors of games. Whoever uses one goes through these functions, which check
# what it returns.


def encode_event(codec: Codec, event: Any) -> list[str]:
    """Return the lines that tell of an event; raise GameError where a codec returns none."""
    return list_lines(codec, "tell", codec.tell(event))


def encode_question(
    codec: Codec, question: Question[Any], time: TimeLeft | None = None
) -> list[str]:
    """Return the lines that ask a question, of which JSON lines say how much time is left."""
    asked = codec.ask(question, time) if isinstance(codec, JsonLines) else codec.ask(question)
    return list_lines(codec, "ask", asked)


def encode_withdrawal(codec: Codec, question: Question[Any]) -> list[str]:
    """Return the lines that take a question back, if the protocol has any."""
    withdraw = getattr(codec, "withdraw", None)
    return list_lines(codec, "withdraw", withdraw(question)) if withdraw else []


def encode_answer(codec: Codec, question: Question[Any], answer: Any) -> str:
    """Return the line that says an answer; raise GameError where a codec returns something else."""
    line: Any = codec.say(question, answer)
    if not isinstance(line, str):
        raise GameError(f"{_locate(codec, 'say')} returns {_describe(line)}; return the line")
    return line


def decode_answer(codec: Codec, question: Question[Any], line: str) -> object:
    """Return the answer in a line, or raise MalformedLineError.

    Raises:
        GameError: where a codec fails at the line, or returns what cannot be an answer.
    """
    try:
        answer = codec.read(question, line)
    except (MalformedLineError, GameError):
        raise
    except Exception as problem:
        raise GameError(
            f"{describe_error_with_line(problem)}, for the line {abbreviate(line)}; raise"
            " MalformedLineError for a line that is no answer"
        ) from problem
    try:
        hash(answer)
    except TypeError:
        raise GameError(
            f"{_locate(codec, 'read')} returns {abbreviate(answer)}; return a tuple in place of"
            f" a {type(answer).__name__}"
        ) from None
    return answer


def list_lines(codec: object, method: str, lines: Any, noun: str = "lines") -> list[str]:
    """Return the lines that a method of a codec returned as a list; raise GameError for others."""
    if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
        where = _locate(codec, method)
        raise GameError(f"{where} returns {_describe(lines)}; return a list of {noun}")
    sent = [*lines]
    for line in sent:
        if not isinstance(line, str) or "\n" in line:
            wrong = "has a newline" if isinstance(line, str) else "is not a text"
            raise GameError(
                f"{_locate(codec, method)} returns a list in which {abbreviate(line)} {wrong};"
                f" return a list of {noun}"
            )
    return sent


def _locate(codec: object, method: str) -> str:
    return locate_definition(getattr(type(codec), method, None) or getattr(codec, method))


def _describe(value: object) -> str:
    """Describe a value that was returned in place of lines in a few words."""
    return "nothing" if value is None else "a text" if isinstance(value, str) else abbreviate(value)


@frozen
class Greeting:
    """The first event of every match, from the host; a text wire may have no line for it."""

    game: str  #: its name
    seat: Seat  #: where the bot sits
    seats: int  #: how many play
    variant: Any  #: the game's parameters
    seed: str  #: the bot's own: all its chance may come from here
    format: int = 1  #: of the JSON lines; a change that breaks bots counts it up
    limits: Limits | None = None  #: of time, if there are any


RESERVED = {"tell", "ask", "withdraw", "time"}
MATCH_OVER = "MatchOver"
"""The question with which a match ends for a bot whose process may play another one."""
MATCH_OVER_LINE = f'{{"ask":"{MATCH_OVER}","options":{{"one_of":["ready"]}},"default":"ready"}}'
READY_LINE = '"ready"'
"""The answer to MATCH_OVER: the bot is ready for its next match."""


@frozen
class Vocabulary:
    """A game's events and questions by the names of their classes, to and from JSON."""

    classes: Mapping[str, type]

    @classmethod
    def of(cls, *messages: type) -> Vocabulary:
        """Return the vocabulary of these classes and the greeting.

        Raises ValueError where a field has a name or a type that is not permitted.
        """
        for kind in messages:
            validate_message_class(kind)
            if kind.__name__ == MATCH_OVER:
                raise ValueError(f"{MATCH_OVER} is a name of the wire; choose another one")
            if clash := RESERVED & {name.name for name in fields(kind)}:
                raise ValueError(f"{kind.__name__} may not have a field {clash.pop()!r}")
        return cls({kind.__name__: kind for kind in (Greeting, *messages)})

    def pack(self, message: Any) -> dict[str, Any]:
        """Return an event or a question as a dictionary for JSON."""
        kind = type(message)
        if self.classes.get(kind.__name__) is not kind:
            raise GameError(
                f"{kind.__name__} is not among the game's messages; list it in Game(messages=...)"
            )
        packed: dict[str, Any] = converter.unstructure(message)
        if isinstance(message, Question):  # options and default first, whatever a game adds
            return {"ask": kind.__name__, "options": None, "default": None, **packed}
        return {"tell": kind.__name__, **packed}

    def unpack(self, packed: Mapping[str, Any]) -> Any:
        """Return the event or question of a dictionary, or raise MalformedLineError."""
        rest = dict(packed)
        rest.pop("time", None)
        name = rest.pop("tell", None) or rest.pop("ask", None)
        if not isinstance(name, str) or name not in self.classes:
            known = ", ".join(self.classes)
            raise MalformedLineError(f"unknown message {abbreviate(name)} (available: {known})")
        try:
            return read(rest, self.classes[name])
        except ValueError as problem:
            raise MalformedLineError(str(problem)) from None


@define
class JsonLines:
    """A codec for every game that lists its messages."""

    vocabulary: Vocabulary = field()

    def tell(self, event: Any) -> Iterable[str]:
        """Return one object, named by the event's class."""
        packed = self.vocabulary.pack(event)
        if type(event) is Greeting and packed["limits"]:
            packed["limits"] = _pack_times(packed["limits"])
        return (dump(packed),)

    def ask(self, question: Question[Any], time: TimeLeft | None = None) -> Iterable[str]:
        """Return one object, named by the question's class, with its options and the time left."""
        packed = self.vocabulary.pack(question)
        if time:
            left = time._asdict() if time.bank is not None else {"move": time.move}
            packed["time"] = _pack_times(left)
        return (dump(packed),)

    def withdraw(self, question: Question[Any]) -> Iterable[str]:
        """Return one object, which names the question's class."""
        return (dump({"withdraw": type(question).__name__}),)

    def read(self, question: Question[Any], line: str) -> object:
        """Return the JSON value of a line, with lists as tuples."""
        try:
            return load(line)
        except (ValueError, RecursionError) as problem:
            raise MalformedLineError(f"not JSON: {describe_json_error(problem)}") from None

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return an answer as JSON."""
        return dump(answer)


LINE_ENCODER = json.JSONEncoder(separators=(",", ":"))  # once: `json.dumps` makes one each time


NO_LIMIT_SECONDS = 1e9  # says the wire, since JSON has no infinity


def _pack_times(times: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return seconds for JSON, in whole milliseconds, no more than there are."""
    return {
        name: seconds and floor(min(seconds, NO_LIMIT_SECONDS) * 1000) / 1000
        for name, seconds in times.items()
    }


def dump(message: Any) -> str:
    """Write one line of JSON."""
    return LINE_ENCODER.encode(message)  # in ASCII, which no reader breaks


def load(line: str) -> object:
    """Read an answer: any JSON value but an object, lists as tuples."""
    value = json.loads(
        line,
        object_pairs_hook=_reject_object,
        parse_constant=_reject_constant,
        parse_float=_parse_finite,
    )
    if "\\u" in line:
        _check_surrogates(value)
    return freeze(value)


def _reject_object(_: object) -> object:
    raise ValueError("an answer cannot be an object")


def _reject_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON value")


def _parse_finite(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise ValueError(f"{text} is too large for a number")
    return number


def _check_surrogates(value: object) -> None:
    """Raise ValueError if a value contains a lone surrogate."""
    json.dumps(value, ensure_ascii=False).encode()
