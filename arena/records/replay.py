"""Showing a transcript to people: as one who watches, or through one seat's eyes.

Through a seat's eyes nothing is shown but what the seat was told and asked, and what it
answered itself: not even the other players' names, which no wire gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from arena.players import PROMPT, taken_back
from arena.plugins import Answered, Game
from arena.records.transcript import Line, Transcript, Unreadable, unpack_outcome, unpack_verdict
from arena.records.watching import Watcher
from arena.rules import Question, Seat
from arena.wires import Codec, Greeting, Malformed, freeze, printable


def watch(game: Game, transcript: Transcript) -> Iterator[str]:
    """Return the lines for one who watches and may see everything."""
    shown: list[str] = []
    variant = transcript.header.read_variant(game)
    watcher = Watcher(game, variant, transcript.header.names, shown.append)
    questions: dict[Seat, Question[Any]] = {}

    def show(line: Mapping[str, Any]) -> Iterable[str]:
        _watch(watcher, game, questions, line)
        new, shown[:] = shown[:], []
        return new

    return _each(transcript, show)


def _watch(
    watcher: Watcher, game: Game, questions: dict[Seat, Question[Any]], line: Mapping[str, Any]
) -> None:
    """Let the watcher see what a line says."""
    match line:
        case {"to": int() | None as to, "event": event}:
            watcher.told(to, game.vocabulary.unpack(event))
        case {"to": int(seat), "question": question}:
            questions[seat] = game.vocabulary.unpack(question)
        case {"from": int(seat), "answer": answer, "fallback": bool(fallback)}:
            said = Answered(seat, questions[seat], freeze(answer), 0, 0, fallback)
            watcher.answered(said)
        case {"to": int(), "withdrawn": str()}:
            pass
        case {"verdict": verdict}:
            watcher.failed(verdict["seat"], unpack_verdict(game, verdict))
        case {"outcome": outcome}:
            watcher.ended(unpack_outcome(outcome))
        case _:
            raise Malformed("no line of a transcript")


def through(game: Game, transcript: Transcript, seat: Seat) -> Iterator[str]:
    """Return the lines that a person at this seat would have seen."""
    names = [f"seat {number}" for number in range(transcript.seats)]
    view = game.view_for(seat, names)
    questions: list[Question[Any]] = []

    def show(line: Mapping[str, Any]) -> Iterable[str]:
        match line:
            case {"to": to, "event": event} if to in (None, seat):
                return view.tell(game.vocabulary.unpack(event))
            case {"to": to, "question": question} if to == seat:
                questions.append(game.vocabulary.unpack(question))
                return view.ask(questions[-1])
            case {"to": to, "withdrawn": _} if to == seat:
                return taken_back(view, questions[-1])
            case {"from": by, "answer": answer} if by == seat:
                return _typed(view, questions[-1], freeze(answer))
        return ()

    yield from view.tell(_greeting(game, transcript, seat))
    yield from _each(transcript, show)


def _typed(view: Codec, question: Question[Any], answer: Any) -> Iterable[str]:
    return (PROMPT + view.say(question, answer),)


def _greeting(game: Game, transcript: Transcript, seat: Seat) -> Greeting:
    variant = transcript.header.read_variant(game)
    return Greeting(game.name, seat, transcript.seats, variant, "")


def _each(
    transcript: Transcript, show: Callable[[Mapping[str, Any]], Iterable[str]]
) -> Iterator[str]:
    """Show each line; say which one cannot be shown."""
    for line in transcript.lines:
        yield from _shown(line, show)


def _shown(line: Line, show: Callable[[Mapping[str, Any]], Iterable[str]]) -> list[str]:
    try:
        return [*map(printable, show(line.value))]
    except Exception as problem:  # noqa: BLE001  # a stranger's file may be wrong in any way
        why = str(problem) or type(problem).__name__
        raise Unreadable(f"line {line.at}: cannot be shown: {why}") from None
