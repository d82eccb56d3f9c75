"""The rounds of a recorded match, found by playing its rules again on the recorded answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

from attrs import frozen

from arena import Game, Play
from arena.records import Transcript
from arena.rules import IllegalAnswerError, UserError, describe_error_with_line
from arena.wires import freeze


@frozen
class Round:
    """A round that is over, or the deal."""

    end: int  #: the line of the answer that completed it, 0 for the deal
    scores: tuple[float, ...]  #: of each seat, after it


@contextmanager
def _report_failing_rules(line: int) -> Iterator[None]:
    """Raise UserError where rules fail in this block, or allow an answer no more.

    They have failed already in a match that is void, and may have changed since it was recorded.
    """
    try:
        yield
    except UserError:
        raise
    except IllegalAnswerError as problem:
        raise UserError(f"line {line}: the rules do not allow this answer: {problem}") from None
    except Exception as problem:  # noqa: BLE001  # rules may fail in any way
        why = describe_error_with_line(problem)
        raise UserError(f"line {line}: the rules fail: {why}") from None


def play_again(
    game: Game, transcript: Transcript, until: float = inf
) -> Iterator[tuple[int, Play]]:
    """Deal a match and give its recorded answers; yield the same play after each step.

    With it comes the line of the answer, which is 0 for the deal. Answers behind the line `until`
    are not given.

    Raises:
        UserError: for a variant, an answer that the rules do not allow, or where they fail.
    """
    header = transcript.header
    with _report_failing_rules(1):
        play = Play.deal(header.read_variant(game), transcript.seats, header.seed)
    yield 0, play
    for line in transcript.lines:
        if line.number > until:
            return
        match line.value:
            case {"from": int(seat), "answer": answer}:
                with _report_failing_rules(line.number):
                    play.answer(seat, freeze(answer))
                yield line.number, play


def list_rounds(game: Game, transcript: Transcript) -> list[Round]:
    """Return the deal and all rounds that are over; raise what `play_again` raises."""
    rounds, number = list[Round](), -1
    for line, play in play_again(game, transcript):
        if play.number > number:
            with _report_failing_rules(line):
                rounds.append(Round(line, tuple(map(float, play.scores))))
            number = play.number
    return rounds
