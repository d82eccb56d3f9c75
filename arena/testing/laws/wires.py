"""Laws for the lines of every game: its wires, its JSON lines, its views."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena.players import MAX_LINE_BYTES, FloodError, LineBuffer
from arena.plugins import Game
from arena.rules import (
    IllegalAnswerError,
    Play,
    Question,
    Seat,
    Text,
    is_same,
)
from arena.testing.harness.bad_inputs import BAD_LINES
from arena.testing.harness.cases import Case, choose_legal_answer, play_case, sample_asked_seats
from arena.testing.harness.codecs import (
    answering_kinds,
    build_codecs,
    check_lines,
    describe_reading,
)
from arena.testing.law import law
from arena.wires import Codec, MalformedLineError, encode_withdrawal

OpenQuestion = tuple[Codec, Seat, Question[Any]]
SHARE_COUNT = 3  # bad lines are split into so many shares; each question tries one


def sample_questions(game: Game, case: Case, kind: str) -> Iterator[OpenQuestion]:
    """Play a case with codecs, and yield some of its open questions."""
    speaking, before = build_codecs(game, case, kind), -1
    for look, play in zip(case.sampling_decisions(), play_case(game, case), strict=False):
        _tell_codecs(play, speaking, new=play.closed != before)
        for seat in sorted(play.pending) if play.closed != before else ():
            check_lines(speaking[seat].ask(play.pending[seat]))
        for seat in sample_asked_seats(case, play) if look else ():
            yield speaking[seat], seat, play.pending[seat]
        before = play.closed


def _tell_codecs(play: Play, speaking: list[Codec], *, new: bool) -> None:
    """Pass the new events to the codecs, and withdrawn questions after an ask."""
    for seat, question in sorted(play.withdrawn.items()) if new else ():
        check_lines(encode_withdrawal(speaking[seat], question))
    for to, event in play.drain():
        for seat in range(play.seats) if to is None else (to,):
            check_lines(speaking[seat].tell(event))


@law()
def messages_survive_a_round_trip(game: Game, case: Case) -> None:
    """Each event and question is in the vocabulary, and is read from its JSON as it was."""
    said: list[tuple[Any, Any]] = []
    for play in play_case(game, case):
        messages = [event for _, event in play.drain()]
        for message in (*messages, *play.pending.values()):
            packed = json.loads(json.dumps(game.vocabulary.pack(message)))
            said.append((message, packed))
            _check_unpacking(game, message, packed)
    for message, packed in said:
        now = json.loads(json.dumps(game.vocabulary.pack(message)))
        assert now == packed, f"{message} was changed after it was told: it was {packed}"


def _check_unpacking(game: Game, message: Any, packed: Any) -> None:
    try:
        again = game.vocabulary.unpack(packed)
    except MalformedLineError as problem:
        raise AssertionError(f"{message} cannot be read from its JSON: {problem}") from None
    assert again == message, f"{message} is read as {again}"


@law()
def answers_survive_a_round_trip(game: Game, case: Case) -> None:
    """A codec reads the line that it writes for an answer as that answer."""
    for kind in answering_kinds(game):
        for codec, _, question in sample_questions(game, case, kind):
            for number in range(4):
                _check_round_trip(kind, codec, question, choose_legal_answer(question, number))


def _check_round_trip(kind: str, codec: Codec, question: Question[Any], answer: object) -> None:
    if kind == "view" and isinstance(question.options, Text):
        return  # what a person types has no blanks around it
    (line,) = check_lines([codec.say(question, answer)])
    try:
        read = question.options.read(codec.read(question, line))
    except (MalformedLineError, IllegalAnswerError) as problem:
        raise AssertionError(
            f"{kind}: {answer!r} is written as {line!r}, which is refused: {problem}"
        ) from None
    assert is_same(read, answer), f"{kind}: {answer!r} is written as {line!r} and read as {read!r}"
    assert len(line.encode()) <= MAX_LINE_BYTES, f"{kind}: the line for {answer!r} is too long"


@law()
def garbage_is_malformed_or_illegal(game: Game, case: Case) -> None:
    """Any line is an answer, or malformed or illegal with a reason, and nothing else."""
    for kind in answering_kinds(game):
        for number, (codec, _, question) in enumerate(sample_questions(game, case, kind)):
            good = codec.say(question, choose_legal_answer(question, 1))
            for line in select_share((*BAD_LINES, *damage_line(good)), number):
                describe_reading(codec, question, line)


def select_share(lines: Sequence[str], number: int) -> Sequence[str]:
    """Return the first line and one share of the others, which depends on the number."""
    return (*lines[:1], *lines[1 + number % SHARE_COUNT :: SHARE_COUNT])


def damage_line(line: str) -> Iterator[str]:
    """Yield a line with a piece missing, doubled or changed, at some places."""
    for at in range(0, len(line) + 1, max(1, len(line) // 8)):
        yield line[:at]
        yield line[:at] + line[at + 1 :]
        yield f"{line[:at]}x{line[at:]}"
        yield f"{line[:at]} {line[at:]}"
    yield f"{line}{line}"
    yield f" {line.lower()} "


@law()
def lines_survive_any_chunking(game: Game, case: Case) -> None:
    """Answers that arrive byte by byte are read like answers that arrive whole."""
    for kind in game.protocols:
        for codec, _, question in sample_questions(game, case, kind):
            said = codec.say(question, choose_legal_answer(question, 1)).encode() + b"\n"
            for stream in (said, said.replace(b"\n", b"\r\n"), b"\xff\xfe" + said, said + said):
                whole, pieces = (
                    _receive_lines([stream]),
                    _receive_lines([bytes([b]) for b in stream]),
                )
                assert whole == pieces, f"{kind}: {stream!r} is read differently in pieces"
                for line in whole:
                    describe_reading(codec, question, line.decode(errors="replace"))


def _receive_lines(chunks: Iterable[bytes]) -> list[bytes]:
    """Return the lines that these chunks of bytes add up to."""
    lines, taken = LineBuffer(), list[bytes]()
    for chunk in chunks:
        lines.feed(chunk)
        try:
            while (line := lines.take()) is not None:
                taken.append(line)
        except FloodError:
            return [*taken, b"flood"]
    return taken


@law()
def every_message_has_a_description(game: Game, case: Case) -> None:
    """Each message has a description for people, and none shows an object's address."""
    names = [f"player_{seat}" for seat in range(case.seats)]
    for play in play_case(game, case):
        messages = [event for _, event in play.drain()]
        for message in (*messages, *play.pending.values()):
            words = game.describe(message, names) or ""
            assert words.strip(), (
                f"{message} has an empty description: does `describe` return one for it?"
            )
            assert " object at 0x" not in words, f"{words!r} shows an object's address"
