"""The outcome of a match: scores, verdicts and places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

from attrs import frozen

from arena.rules.errors import End, Fault
from arena.rules.play import Play, Score
from arena.rules.table import Question, Seat

MAX_STDERR_LENGTH = 2000  # characters of a bot's stderr that are kept with a result
MAX_QUOTED_LINE_LENGTH = 200  # characters of a line that people are shown
MAX_QUOTED_LINES = 5  # of a bot's stderr that they are shown


@frozen
class PlayerFailure:
    """A player's failure, in place of an answer, which earns it a verdict."""

    fault: Fault
    detail: str


@frozen
class Verdict:
    """A fault of a player, with everything needed to fix it."""

    kind: Fault  #: what it did wrong
    question: Question[Any]  #: what it was asked
    line: str  #: what came, as far as it came
    limit: float  #: seconds that it had
    seconds: float  #: that it took
    detail: str  #: what was wrong, in words
    ask: int  #: the number of the ask in the match, from 1
    errors: str = ""  #: the end of what it wrote to its stderr until it was ended


@frozen
class Outcome:
    """The outcome of a match; a void match has no scores and no places."""

    end: End  #: how it ended
    rounds: int  #: played to their end, as the game counts them
    scores: tuple[Score, ...] | None  #: of each seat; more is better
    places: tuple[int, ...] | None  #: of each seat, 1 the best; equals share the better place
    verdicts: Mapping[Seat, Verdict]  #: what the host holds against whom
    seconds: tuple[float, ...]  #: that each seat took for all its answers
    detail: str = ""  #: why it is void

    @classmethod
    def of(
        cls,
        ending: End,
        play: Play,
        verdicts: Mapping[Seat, Verdict],
        seconds: tuple[float, ...],
        detail: str,
    ) -> Self:
        """Build the outcome of a match from its play and its verdicts."""
        scores = None if ending is End.VOID else play.scores
        ranks = None if scores is None else rank_seats(scores, verdicts)
        return cls(ending, play.rounds, scores, ranks, verdicts, seconds, detail)


def quote_output(kind: str, line: str, errors: str) -> Iterator[str]:
    r"""Yield a failed player's last answer and stderr, as unescaped lines for people.

    >>> [*quote_output("malformed", "I bid 3", "my hand:\n[1, 2]\n")]
    ["it said 'I bid 3'", 'stderr: my hand:', 'stderr: [1, 2]']
    """
    if line or kind == Fault.MALFORMED:
        yield f"it said {line[:MAX_QUOTED_LINE_LENGTH]!r}"
    for last in errors.rstrip().splitlines()[-MAX_QUOTED_LINES:]:
        yield f"stderr: {last[:MAX_QUOTED_LINE_LENGTH]}"


def rank_seats(scores: Sequence[Score], verdicts: Mapping[Seat, Verdict]) -> tuple[int, ...]:
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
