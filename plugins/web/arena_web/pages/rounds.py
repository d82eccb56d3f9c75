"""The rounds of a recorded match, found by playing its rules again on the recorded answers."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from attrs import frozen

from arena import Game, Play
from arena.records import Transcript
from arena.wires import freeze


@frozen
class Round:
    """A round that is over, or the deal."""

    end: int  #: the line of the answer that completed it, 0 for the deal
    scores: tuple[float, ...]  #: of each seat, after it


def play_again(
    game: Game, transcript: Transcript, until: float = inf
) -> Iterator[tuple[int, Play]]:
    """Deal a match and give its recorded answers; yield the same play after each step.

    With it comes the line of the answer, which is 0 for the deal. Answers behind the line `until`
    are not given.

    Raises:
        UserError: for a variant, IllegalAnswerError, ValueError or TypeError for an answer that is
            none.
    """
    header = transcript.header
    play = Play.deal(header.read_variant(game), transcript.seats, header.seed)
    yield 0, play
    for line in transcript.lines:
        if line.number > until:
            return
        match line.value:
            case {"from": int(seat), "answer": answer}:
                play.answer(seat, freeze(answer))
                yield line.number, play


def list_rounds(game: Game, transcript: Transcript) -> list[Round]:
    """Return the deal and all rounds that are over; raise what `play_again` raises."""
    found, begun = list[Round](), -1
    for line, play in play_again(game, transcript):
        if play.number > begun:
            found.append(Round(line, tuple(map(float, play.scores))))
            begun = play.number
    return found
