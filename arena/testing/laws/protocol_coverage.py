"""Laws for what games send: a line per event, one before each answer, distinct descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.plugins import Game
from arena.rules import Seat
from arena.testing.harness.cases import Case, play_case
from arena.testing.harness.codecs import build_codecs, check_lines
from arena.testing.harness.round_snapshots import NO_CLOSED_ASK
from arena.testing.law import law
from arena.wires import Codec


@law()
def every_event_has_a_line(game: Game, case: Case) -> None:
    """On each wire, someone who hears of an event is sent a line, or it is declared silent."""
    for wire in game.wires:
        speaking, silent = build_codecs(game, case, wire), game.silent.get(wire, ())
        before = NO_CLOSED_ASK
        for play in play_case(game, case):
            for to, event in play.drain():
                lines = _encode_event(speaking, to, event)
                assert any(lines) or isinstance(event, silent), (
                    f"{wire}: nobody is sent a line for {event}; write one in `tell`, or declare"
                    f" it: Game(silent={{{wire!r}: ({type(event).__name__},)}})"
                )
            for seat in play.pending if play.closed != before else ():
                check_lines(speaking[seat].ask(play.pending[seat]))
            before = play.closed


@law()
def every_question_follows_a_line(game: Game, case: Case) -> None:
    """On each wire, a seat is sent a line between its last answer and the next question."""
    for kind in game.protocols:
        speaking, before = build_codecs(game, case, kind), NO_CLOSED_ASK
        sent = [0] * case.seats
        for play in play_case(game, case):
            for to, event in play.drain():
                for seat, lines in enumerate(_encode_event(speaking, to, event)):
                    sent[seat] += len(lines)
            for seat in sorted(play.pending) if play.closed != before else ():
                question = play.pending[seat]
                sent[seat] += len(check_lines(speaking[seat].ask(question)))
                assert sent[seat], (
                    f"{kind}: seat {seat} must answer {type(question).__name__}, but is sent no"
                    " line before: its bot and the host would wait for each other for ever"
                )
                sent[seat] = 0
            before = play.closed


def _encode_event(speaking: Sequence[Codec], to: Seat | None, event: Any) -> list[list[str]]:
    """Return the lines that each seat is sent for an event."""
    return [
        check_lines(codec.tell(event)) if to in (None, seat) else []
        for seat, codec in enumerate(speaking)
    ]


@law()
def events_and_questions_have_different_descriptions(game: Game, case: Case) -> None:
    """No event has the description of a question: `describe` has a text for each."""
    names = [f"player_{seat}" for seat in range(case.seats)]
    events, questions = dict[str, Any](), dict[str, Any]()
    for play in play_case(game, case):
        for _, event in play.drain():
            events[game.describe(event, names) or ""] = event
        for question in play.pending.values():
            questions[game.describe(question, names) or ""] = question
    for words in sorted(events.keys() & questions.keys()):
        raise AssertionError(
            f"{events[words]} has the same description as a question, {words!r}: does `describe`"
            f" have a case for {type(events[words]).__name__}?"
        )
