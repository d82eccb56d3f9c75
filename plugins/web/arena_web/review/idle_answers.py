"""Answers that changed nothing: the round would have ended alike with every other one.

In BS such an answer is a boast, or a pass where somebody else called. Each round is played again
with other answers in place of one. Behind an answer others may have been asked more, and may have
reacted to it: then it changed nothing only if nobody would have been told anything else.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from attrs import frozen

from arena import Game, OneOf, Play, Seat
from arena.records import Transcript
from arena.rules import GivenAnswer, Options, is_same
from arena.wires import freeze


@frozen
class AskedAnswer:
    """An answer of the open round, with the options that there were."""

    line: int  #: of the transcript
    ask: int  #: in which it was given, counted from 0
    options: Options[object]
    given: GivenAnswer


def find_idle_answers(game: Game, transcript: Transcript, own: Seat) -> Iterator[int]:
    """Yield the lines of the answers of a seat that changed nothing."""
    header = transcript.header
    play = Play.deal(header.read_variant(game), transcript.seats, header.seed)
    answers = list[AskedAnswer]()
    for line in transcript.lines:
        match line.value:
            case {"from": int(seat), "answer": answer}:
                position, number = play.position, play.number
                options, ask = play.pending[seat].options, len(play.asks)
                given = seat, play.answer(seat, freeze(answer))
                answers.append(AskedAnswer(line.number, ask, options, given))
                if play.number > number:
                    play_again = partial(Play, position, play.seats, play.seed, number)
                    for place, asked in enumerate(answers):
                        if asked.given[0] == own and _is_idle(answers, place, play_again):
                            yield asked.line
                    answers = []


def _is_idle(answers: list[AskedAnswer], place: int, play_again: partial[Play]) -> bool:
    """Return whether each other option in place of an answer leads to the same position."""
    asked, given = answers[place], [answer.given for answer in answers]
    if not isinstance(asked.options, OneOf):
        return False
    seat, answer = asked.given
    after = play_again(answers=given)
    told = after.drain()
    for other in asked.options:
        if not is_same(other, answer):
            try:
                again = play_again(answers=[*given[:place], (seat, other), *given[place + 1 :]])
            except Exception:  # noqa: BLE001  # then something else would have been asked
                return False
            if (again.number, again.position) != (after.number, after.position):
                return False
            if asked.ask != answers[-1].ask and again.drain() != told:
                return False
    return True
