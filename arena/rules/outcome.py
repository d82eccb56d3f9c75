"""The outcome of a match: scores, verdicts and places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

from attrs import frozen

from arena.rules.faults import End, Fault
from arena.rules.play import Play, Score
from arena.rules.sides import Sides, spread_over_seats
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

    def describe(self) -> str:
        """Return in a line what was wrong, what was asked, and the time of a late answer."""
        question = type(self.question).__name__
        return describe_failure(self.kind, self.detail, question, self.seconds, self.limit)


@frozen
class Outcome:
    """The outcome of a match; a void match has no scores and no places."""

    end: End  #: how it ended
    rounds: int  #: played to their end, as the game counts them
    scores: tuple[Score, ...] | None  #: of each seat; more is better
    #: of each seat, 1 the best; equals and partners share the better one
    places: tuple[int, ...] | None
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
    ) -> Self:
        """Build the outcome of a match from its play and its verdicts."""
        places = rank_seats(play, verdicts)
        return cls(ending, play.rounds, play.scores, places, verdicts, seconds)


def describe_failure(
    kind: str, detail: str, question: str, seconds: float, limit: float | None
) -> str:
    """Describe a failure with its question, and for a late answer the time that it took and had.

    >>> describe_failure("timeout", "no answer in time", "Bid", 0.3002, 0.3)
    'no answer in time (asked Bid, 0.300 of 0.3 seconds)'
    >>> describe_failure("illegal", "14 is not one of (1, 2)", "Bid", 0.01, None)
    '14 is not one of (1, 2) (asked Bid)'
    """
    if kind != Fault.TIMEOUT or limit is None:
        return f"{detail} (asked {question})".lstrip()
    return f"{detail} (asked {question}, {seconds:.3f} of {limit:g} seconds)".lstrip()


def quote_output(kind: str, line: str, errors: str) -> Iterator[str]:
    r"""Yield a failed player's last answer and stderr, as unescaped lines for people.

    >>> [*quote_output("malformed", "I bid 3", "my hand:\n[1, 2]\n")]
    ["it said 'I bid 3'", 'stderr: my hand:', 'stderr: [1, 2]']
    """
    if line or kind == Fault.MALFORMED:
        yield f"it said {line[:MAX_QUOTED_LINE_LENGTH]!r}"
    for last in errors.rstrip().splitlines()[-MAX_QUOTED_LINES:]:
        yield f"stderr: {last[:MAX_QUOTED_LINE_LENGTH]}"


def rank_seats(play: Play, verdicts: Mapping[Seat, Verdict]) -> tuple[int, ...]:
    """Rank the seats of a play by its scores, as `rank_sides` does; partners share a place."""
    sides = play.sides
    lost = play.everybody_lost
    return spread_over_seats(sides, rank_sides(sides, play.scores, verdicts, everybody_lost=lost))


def rank_sides(
    sides: Sides,
    scores: Sequence[Score],
    verdicts: Mapping[Seat, Verdict],
    *,
    everybody_lost: bool = False,
) -> tuple[int, ...]:
    """Rank the sides, 1 the best, equals sharing the better place.

    Sides without a verdict come by score, a team by the mean of its seats'; behind them the others,
    the later their first verdict the better, those of one ask tied. Where everybody has lost, or a
    side that plays against nobody has a verdict, the game itself is first.
    """
    ranks = [_rank_side(side, scores, verdicts, everybody_lost) for side in sides]
    itself = [GAME_RANK] if everybody_lost or len(sides) == 1 else []
    order = sorted([*ranks, *itself])
    return tuple([order.index(rank) + 1 for rank in ranks])


def compute_beaten_share(places: Sequence[int], number: int) -> float:
    """Return the share of the others that a player or side finished ahead of.

    `places` are those of two or more, 1 the best; each other one at the same place counts half.

    >>> [compute_beaten_share((1, 2, 2), number) for number in range(3)]
    [1.0, 0.25, 0.25]
    """
    place = places[number]
    beaten = sum(place < other for other in places)
    return (beaten + (places.count(place) - 1) / 2) / (len(places) - 1)


GAME_RANK: tuple[int, Score] = (1, 0)
"""The rank of the game itself where it can win: behind whoever won, ahead of whoever lost."""


def _rank_side(
    side: Sequence[Seat],
    scores: Sequence[Score],
    verdicts: Mapping[Seat, Verdict],
    everybody_lost: bool,
) -> tuple[int, Score]:
    """Return the key by which sides are sorted."""
    asks = [verdicts[seat].ask for seat in side if seat in verdicts]
    if asks:
        return 3, -min(asks)
    return (2, 0) if everybody_lost else (0, -average([scores[seat] for seat in side]))


def average(scores: Sequence[Score]) -> Score:
    """Return the mean of a side's scores; exactly theirs where they are equal."""
    return scores[0] if len({*scores}) == 1 else sum(scores) / len(scores)
