"""How a match came out: scores, what the host holds against whom, and places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from attrs import frozen

from arena.play import Score
from arena.table import Question, Seat


class Fault(StrEnum):
    """What a player can do wrong; a small, closed set, each with its owner: the player."""

    TIMEOUT = "timeout"  # no answer within its time
    ILLEGAL = "illegal"  # an answer that the rules do not allow
    MALFORMED = "malformed"  # a line that is no answer in its protocol
    CRASHED = "crashed"  # it did not start, or ended its output, or raised an exception
    FLOODED = "flooded"  # a line too long, or too much before it was asked


class End(StrEnum):
    """How a match ended."""

    FINISHED = "finished"  # by the rules
    FORFEITED = "forfeited"  # too few seats were left without a verdict
    VOID = "void"  # the host's or the rules' own fault: nobody's result


@frozen
class Failed:
    """What a player gives in place of an answer when it has earned a verdict."""

    fault: Fault
    detail: str


@frozen
class Verdict:
    """What the host holds against a player, with all that it takes to act upon it."""

    kind: Fault
    question: Question[Any]
    line: str  # what came, as far as it came
    limit: float  # seconds that it had
    seconds: float  # that it took
    detail: str
    ask: int  # the number of the ask in the match, from 1


@frozen
class Outcome:
    """A match that has ended; in a void one there are no scores and no places."""

    end: End
    rounds: int  # played to their end
    scores: tuple[Score, ...] | None
    places: tuple[int, ...] | None
    verdicts: Mapping[Seat, Verdict]
    seconds: tuple[float, ...]  # that each seat took for all its answers
    detail: str = ""  # why it is void


def places(scores: Sequence[Score], verdicts: Mapping[Seat, Verdict]) -> tuple[int, ...]:
    """Rank the seats, 1 the best, equals sharing the better place.

    Seats without a verdict come by score; behind them the others, the later the better,
    those of one ask tied.
    """
    ranks: list[tuple[bool, Score]] = [
        (True, -verdicts[seat].ask) if seat in verdicts else (False, -score)
        for seat, score in enumerate(scores)
    ]
    order = sorted(ranks)
    return tuple([order.index(rank) + 1 for rank in ranks])
