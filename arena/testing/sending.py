"""What every game sends: a line for each event, something before each answer, words of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.plugins import Game
from arena.rules import Seat
from arena.testing.cases import Case, walk
from arena.testing.law import law
from arena.testing.snapshots import NO_ASK
from arena.testing.wires import checked, codecs
from arena.wires import Codec


@law()
def each_event_has_a_line(game: Game, case: Case) -> None:
    """On each wire somebody who hears of an event is sent a line, or it is declared silent."""
    for wire in game.wires:
        speaking, silent = codecs(game, case, wire), game.silent.get(wire, ())
        before = NO_ASK
        for play in walk(game, case):
            for to, event in play.drain():
                lines = _told(speaking, to, event)
                assert any(lines) or isinstance(event, silent), (
                    f"{wire}: nobody is sent a line for {event}; write one in `tell`, or declare"
                    f" it: Game(silent={{{wire!r}: ({type(event).__name__},)}})"
                )
            for seat in play.pending if play.closed != before else ():
                checked(speaking[seat].ask(play.pending[seat]))
            before = play.closed


@law()
def who_is_asked_is_sent_something(game: Game, case: Case) -> None:
    """On each wire a seat is sent a line between its last answer and the next that it owes."""
    for kind in game.protocols:
        speaking, before = codecs(game, case, kind), NO_ASK
        sent = [0] * case.seats
        for play in walk(game, case):
            for to, event in play.drain():
                for seat, lines in enumerate(_told(speaking, to, event)):
                    sent[seat] += len(lines)
            for seat in sorted(play.pending) if play.closed != before else ():
                question = play.pending[seat]
                sent[seat] += len(checked(speaking[seat].ask(question)))
                assert sent[seat], (
                    f"{kind}: seat {seat} owes an answer to {type(question).__name__}, and is sent"
                    " nothing before: it would wait for ever, and so would the host"
                )
                sent[seat] = 0
            before = play.closed


def _told(speaking: Sequence[Codec], to: Seat | None, event: Any) -> list[list[str]]:
    """Return the lines that each seat is sent for an event."""
    return [
        checked(codec.tell(event)) if to in (None, seat) else []
        for seat, codec in enumerate(speaking)
    ]


@law()
def events_and_questions_are_told_apart(game: Game, case: Case) -> None:
    """No event is described by the words of a question: `describe` has words for each."""
    names = [f"player_{seat}" for seat in range(case.seats)]
    events, questions = dict[str, Any](), dict[str, Any]()
    for play in walk(game, case):
        for _, event in play.drain():
            events[game.describe(event, names)] = event
        for question in play.pending.values():
            questions[game.describe(question, names)] = question
    for words in sorted(events.keys() & questions.keys()):
        raise AssertionError(
            f"{events[words]} is described by the words of a question, {words!r}: has `describe`"
            f" a case for {type(events[words]).__name__}?"
        )
