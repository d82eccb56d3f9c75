"""What holds for the lines of every game: its wires, its JSON lines, its views."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena.players import LONGEST_LINE, Flood, Lines
from arena.plugins import Game
from arena.rules import Illegal, OneOf, Play, Question, Seat, SomeOf, Text, in_words, same
from arena.testing.bad_inputs import LINES
from arena.testing.cases import Case, answer_to, some_of, walk
from arena.testing.law import law
from arena.wires import BoardLines, Codec, Greeting, Malformed, withdrawal

Asked = tuple[Codec, Seat, Question[Any]]
BOARD = "board"
SHARES = 3  # of bad lines: a question gets one of them, and the next question the next


def greeting(game: Game, case: Case, seat: Seat) -> Greeting:
    """Return what the host tells a seat first."""
    variant = game.read_variant(case.options)
    return Greeting(game.name, seat, case.seats, variant, "a seed of its own")


def codecs(game: Game, case: Case, kind: str) -> list[Codec]:
    """Return each seat's codec of a kind, `view` or the name of a wire; they have been greeted."""
    return [codec_of(game, case, kind, seat) for seat in range(case.seats)]


def codec_of(game: Game, case: Case, kind: str, seat: Seat) -> Codec:
    """Return one seat's codec, which has been greeted."""
    names = [f"player_{seat}" for seat in range(case.seats)]
    if kind == BOARD:
        assert game.board
        codec: Codec = BoardLines(game.board(seat, names), seat)
    else:
        codec = game.view_for(seat, names) if kind == "view" else game.wire(kind, seat)
    checked(codec.tell(greeting(game, case, seat)))
    return codec


def kinds(game: Game) -> tuple[str, ...]:
    """Return the names of all codecs; a board is one whose lines are zones."""
    return (*answered(game), *([BOARD] if game.board else []))


def answered(game: Game) -> tuple[str, ...]:
    """Return the names of all codecs by which questions are answered."""
    return (*game.protocols, "view")


def checked(lines: Iterable[str]) -> list[str]:
    """Return lines that were sent, if they are lines."""
    sent = [*lines]
    for line in sent:
        assert isinstance(line, str), f"{line!r} is no text"
        assert "\n" not in line, f"{line!r} has a newline in it"
        assert "\r" not in line, f"{line!r} has a carriage return in it"
        line.encode()
    return sent


def asked(game: Game, case: Case, kind: str) -> Iterator[Asked]:
    """Walk through a case, each codec being told and asked; stop at some questions of some."""
    speaking, before = codecs(game, case, kind), -1
    for look, play in zip(case.looks(), walk(game, case), strict=False):
        _tell(play, speaking, new=play.closed != before)
        for seat in sorted(play.pending) if play.closed != before else ():
            checked(speaking[seat].ask(play.pending[seat]))
        for seat in some_of(case, play) if look else ():
            yield speaking[seat], seat, play.pending[seat]
        before = play.closed


def _tell(play: Play, speaking: list[Codec], *, new: bool) -> None:
    """Let the codecs hear what was told, and behind an ask whose questions it has left open."""
    for seat, question in sorted(play.withdrawn.items()) if new else ():
        checked(withdrawal(speaking[seat], question))
    for to, event in play.drain():
        for seat in range(play.seats) if to is None else (to,):
            checked(speaking[seat].tell(event))


@law()
def messages_survive_their_lines(game: Game, case: Case) -> None:
    """Each event and question is listed, and is read from its JSON as it was."""
    said: list[tuple[Any, Any]] = []
    for play in walk(game, case):
        messages = [event for _, event in play.drain()]
        for message in (*messages, *play.pending.values()):
            packed = json.loads(json.dumps(game.vocabulary.pack(message)))
            said.append((message, packed))
            try:
                again = game.vocabulary.unpack(packed)
            except Malformed as problem:
                raise AssertionError(f"{message} is not read from its JSON: {problem}") from None
            assert again == message, f"{message} is read as {again}"
    for message, packed in said:
        now = json.loads(json.dumps(game.vocabulary.pack(message)))
        assert now == packed, f"{message} was changed after it was told: it was {packed}"


@law()
def answers_survive_their_lines(game: Game, case: Case) -> None:
    """What a codec says for an answer, it reads as that answer."""
    for kind in answered(game):
        for codec, _, question in asked(game, case, kind):
            for number in range(4):
                _survives(kind, codec, question, answer_to(question, number))


def _survives(kind: str, codec: Codec, question: Question[Any], answer: object) -> None:
    if kind == "view" and isinstance(question.options, Text):
        return  # what a person types has no blanks around it
    (line,) = checked([codec.say(question, answer)])
    try:
        read = question.options.read(codec.read(question, line))
    except (Malformed, Illegal) as problem:
        raise AssertionError(
            f"{kind}: {answer!r} is said as {line!r}, which is refused: {problem}"
        ) from None
    assert same(read, answer), f"{kind}: {answer!r} is said as {line!r} and read as {read!r}"
    assert len(line.encode()) <= LONGEST_LINE, f"{kind}: the line for {answer!r} is too long"


@law()
def garbage_is_malformed_or_illegal(game: Game, case: Case) -> None:
    """Whatever the line: an answer, Malformed or Illegal with a reason, and nothing else."""
    for kind in answered(game):
        for number, (codec, _, question) in enumerate(asked(game, case, kind)):
            good = codec.say(question, answer_to(question, 1))
            for line in share((*LINES, *damaged(good)), number):
                judged(codec, question, line)


def share(lines: Sequence[str], number: int) -> Sequence[str]:
    """Return the first line, and every so many of the others, other ones for the next number."""
    return (*lines[:1], *lines[1 + number % SHARES :: SHARES])


def damaged(line: str) -> Iterator[str]:
    """Return a line with a piece missing, doubled or changed, at some places."""
    for at in range(0, len(line) + 1, max(1, len(line) // 8)):
        yield line[:at]
        yield line[:at] + line[at + 1 :]
        yield f"{line[:at]}x{line[at:]}"
        yield f"{line[:at]} {line[at:]}"
    yield f"{line}{line}"
    yield f" {line.lower()} "


def judged(codec: Codec, question: Question[Any], line: str) -> str:
    """Say what becomes of a line; anything but an answer or the two refusals is raised."""
    try:
        answer = codec.read(question, line)
    except Malformed as problem:
        assert str(problem), f"{line!r} is malformed without a reason"
        return f"malformed: {problem}"
    except Exception as problem:
        raise AssertionError(
            f"{type(codec).__name__}.read raises {in_words(problem)} for the line {line!r};"
            " a codec raises Malformed, and nothing else"
        ) from problem
    return ruled(question, answer)


def speaks_plainly(question: Question[Any]) -> bool:
    """Say whether nothing but the options themselves stands in the reasons for refusing."""
    return type(question.options) in (OneOf, SomeOf, Text)


def ruled(question: Question[Any], answer: object) -> str:
    """Say what the options make of an answer."""
    try:
        return f"answer: {question.options.read(answer)!r}"
    except Illegal as problem:
        return f"illegal: {problem}"


@law()
def lines_come_in_any_pieces(game: Game, case: Case) -> None:
    """Answers that come byte by byte are read as those that come whole."""
    for kind in game.protocols:
        for codec, _, question in asked(game, case, kind):
            said = codec.say(question, answer_to(question, 1)).encode() + b"\n"
            for stream in (said, said.replace(b"\n", b"\r\n"), b"\xff\xfe" + said, said + said):
                whole, pieces = _received([stream]), _received([bytes([b]) for b in stream])
                assert whole == pieces, f"{kind}: {stream!r} is read otherwise in pieces"
                for line in whole:
                    judged(codec, question, line.decode(errors="replace"))


def _received(chunks: Iterable[bytes]) -> list[bytes]:
    """Return the lines of what came in these pieces."""
    lines, taken = Lines(), list[bytes]()
    for chunk in chunks:
        lines.feed(chunk)
        try:
            while (line := lines.take()) is not None:
                taken.append(line)
        except Flood:
            return [*taken, b"flood"]
    return taken


@law()
def people_are_told_in_words(game: Game, case: Case) -> None:
    """Everything has a line for people, or none, and none of them shows how it is made."""
    names = [f"player_{seat}" for seat in range(case.seats)]
    for play in walk(game, case):
        messages = [event for _, event in play.drain()]
        for message in (*messages, *play.pending.values()):
            words = game.describe(message, names)
            assert words.strip(), f"{message} is described by nothing"
            assert " object at 0x" not in words, f"{words!r} shows an address"
