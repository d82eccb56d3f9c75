"""Verification of transcripts: the rules are played again on the recorded answers.

A match is determined by its seed and its answers. What the rules tell and ask is made
again and compared line by line; times, and the lines that came from strangers, are taken
as they stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from arena.plugins import Game
from arena.records.packed_match import to_json_number
from arena.records.transcript import Transcript, TranscriptLine, pack_withdrawal
from arena.rules import (
    End,
    Fault,
    IllegalAnswerError,
    Play,
    Question,
    Seat,
    UserError,
    Variant,
    Verdict,
    describe_error_with_line,
    is_decided,
    rank_seats,
)
from arena.wires import dump, freeze


class TranscriptMismatchError(UserError):
    """A line of a transcript that differs from the rules; the message names it."""


def verify(game: Game, transcript: Transcript) -> int:
    """Return the number of verified lines, or raise TranscriptMismatchError.

    Raises:
        TranscriptMismatchError: for the first line that is not what the rules say.
        UnreadableTranscriptError: for a line that is not JSON.
    """
    variant = transcript.header.read_variant(game)
    if transcript.seats not in game.seats:
        raise TranscriptMismatchError(
            f"line 1: {game.name} cannot be played by {transcript.seats} players"
        )
    verification = _Verification(game, transcript, _deal(variant, transcript))
    with suppress(_VoidMatchError):  # it stops anywhere; what stands before was compared
        verification.run()
    verification.check_end()
    return len(transcript.lines) + 1


def _deal(variant: Variant, transcript: Transcript) -> Play:
    try:
        return Play.deal(variant, transcript.seats, transcript.header.seed)
    except Exception as problem:  # noqa: BLE001  # whatever rules do with a strange variant
        raise TranscriptMismatchError(
            f"line 1: cannot deal: {describe_error_with_line(problem)}"
        ) from None


class _VoidMatchError(Exception):
    """The match became void at this line."""


class _Verification:
    """Walks through a transcript and plays the match again beside it."""

    def __init__(self, game: Game, transcript: Transcript, play: Play) -> None:
        self._game, self._play = game, play
        self._lines: Iterator[TranscriptLine] = iter(transcript.lines)
        self._last = len(transcript.lines) + 1
        self._verdicts: dict[Seat, Verdict] = {}
        self._sides = play.sides
        self._asks = 0

    def run(self) -> None:
        """Verify all lines up to the outcome."""
        while self._play.pending and not is_decided(self._sides, self._verdicts):
            self._check_events()
            questions = dict(self._play.pending)
            for seat in sorted(questions):
                packed = self._game.vocabulary.pack(questions[seat])
                self._expect(self._next(), {"to": seat, "question": packed})
            self._asks += 1
            self._check_answers(self._next(), questions)
        self._check_events()
        self._check_outcome(self._next())

    def check_end(self) -> None:
        """Raise TranscriptMismatchError if lines follow the outcome."""
        for line in self._lines:
            raise TranscriptMismatchError(f"line {line.number}: the match is already over")

    def _check_events(self) -> None:
        for to, event in self._play.drain():
            packed = self._game.vocabulary.pack(event)
            self._expect(self._next(), {"to": to, "event": packed})

    def _check_answers(self, line: TranscriptLine, questions: Mapping[Seat, Question[Any]]) -> None:
        """Check the verdicts of an ask, then its answers, by arrival if that matters."""
        while "verdict" in line.value:
            self._check_verdict(line, questions)
            line = self._next()
        closed, first = self._play.closed, self._play.passing is not None
        seats = [None if self._play.arrival else seat for seat in sorted(questions)]
        self._check_answer(line, seats[0])
        for seat in seats[1:]:
            if self._play.closed == closed:
                self._check_answer(self._next(), seat)
        for late in sorted(self._play.withdrawn) if first else ():
            self._expect(self._next(), pack_withdrawal(late, questions[late]))

    def _check_answer(self, line: TranscriptLine, seat: Seat | None) -> None:
        match line.value:
            case {"from": int(by), "answer": answer, "fallback": bool(fallback)} if (
                by is not True and by is not False
            ):
                if seat is not None and by != seat:
                    raise TranscriptMismatchError(
                        f"line {line.number}: the answer is from seat {by}, not from seat {seat}"
                    )
                if fallback != (by in self._verdicts):
                    raise TranscriptMismatchError(
                        f"line {line.number}: `fallback` must be true only after a verdict"
                    )
                self._give(line, by, freeze(answer))
            case _:
                raise TranscriptMismatchError(f"line {line.number}: not an answer")

    def _give(self, line: TranscriptLine, seat: Seat, answer: object) -> None:
        """Give an answer to the play; if the rules fail, the match must be void."""
        try:
            self._play.answer(seat, answer)
        except IllegalAnswerError as problem:
            raise TranscriptMismatchError(
                f"line {line.number}: the rules do not allow the answer: {problem}"
            ) from None
        except Exception as problem:  # noqa: BLE001  # of the rules
            self._next()  # the end of a void match, or it differs
            raise TranscriptMismatchError(
                f"line {line.number}: the rules fail: {describe_error_with_line(problem)}"
            ) from None

    def _check_verdict(self, line: TranscriptLine, questions: Mapping[Seat, Question[Any]]) -> None:
        """Check a verdict: its seat, its ask and its question."""
        given = line.value["verdict"]
        seat = given.get("seat") if isinstance(given, dict) else None
        if (
            not isinstance(seat, int)
            or seat not in questions
            or seat in self._verdicts
            or given.get("kind") not in [*Fault]
        ):
            raise TranscriptMismatchError(f"line {line.number}: this verdict is not possible here")
        question = self._game.vocabulary.pack(questions[seat])
        expected = {**given, "seat": int(seat), "ask": self._asks, "question": question}
        self._expect(line, {"verdict": expected})
        kind = Fault(given["kind"])
        self._verdicts[seat] = Verdict(kind, questions[seat], "", 0, 0, "", self._asks)

    def _check_outcome(self, line: TranscriptLine) -> None:
        forfeited = is_decided(self._sides, self._verdicts)
        expected = {
            "end": End.FORFEITED if forfeited else End.FINISHED,
            "rounds": self._play.rounds,
            "scores": [*map(to_json_number, self._play.scores)],
            "places": rank_seats(self._play, self._verdicts),
            "detail": "",
        }
        self._expect(line, {"outcome": expected})

    def _next(self) -> TranscriptLine:
        for line in self._lines:
            match line.value:
                case {"outcome": {"end": End.VOID, "scores": None, "places": None}}:
                    raise _VoidMatchError
            return line
        raise TranscriptMismatchError(f"line {self._last}: the file ends before the match does")

    def _expect(self, line: TranscriptLine, expected: Mapping[str, Any]) -> None:
        """Compare as JSON, where True is not 1."""
        if _to_canonical_json(line.value) != _to_canonical_json(expected):
            found, wanted = dump(line.value), dump(expected)
            raise TranscriptMismatchError(
                f"line {line.number}: the rules say {wanted}, but the file says {found}"
            )


def _to_canonical_json(value: Mapping[str, Any]) -> str:
    return dump(_sort_keys(value))


def _sort_keys(value: Any) -> Any:
    """Sort the keys of all objects, so that only their values are compared."""
    if isinstance(value, Mapping):
        return {key: _sort_keys(value[key]) for key in sorted(value)}
    return [*map(_sort_keys, value)] if isinstance(value, list | tuple) else value
