"""How a match finished for its players and its sides, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from attrs import field, frozen

from arena import Count, Seat, join_words
from arena.host import Result
from arena.records import to_json_number
from arena.rules import Sides, seat_alone
from arena_web.protocol.messages import SeatOutcome

POINTS = Count()  # of a game that declares nothing else
PAIR = 2  # sides, whose scores stand beside each other


@frozen
class PlayerFinish:
    """How a match finished for a player."""

    name: str  #: as people read it
    place: int | None  #: None where the match has no end
    score: Any = None  #: as JSON; None where it does not count
    verdict: str = ""  #: its kind; empty for none


@frozen
class MatchFinish:
    """How a match finished: for each player, in seat order, and for each side."""

    players: tuple[PlayerFinish, ...]
    sides: Sides = field()  #: everybody alone unless it is given
    count: Count = POINTS  #: what people read of scores

    @sides.default
    def _seat_alone(self) -> Sides:
        return seat_alone(len(self.players))

    @classmethod
    def of(cls, result: Result, names: Sequence[str], count: Count) -> Self | None:
        """Return the finish of a match of the host; None where it is void."""
        if result.places is None or result.scores is None:
            return None
        kinds = [verdict.kind if verdict else "" for verdict in result.verdicts]
        players = list_finishes(names, result.places, result.scores, kinds)
        return cls(players, result.sides, count)

    @property
    def _ranks(self) -> list[int | None]:
        """The place of each side."""
        return [self.players[side[0]].place for side in self.sides]

    @property
    def _scores(self) -> list[Any]:
        """The score of each side; None where one of its players has none that counts."""
        scores = [[self.players[seat].score for seat in side] for side in self.sides]
        return [None if None in score else score[0] for score in scores]

    def describe(self) -> str:
        """Return a sentence on which side beat which, without its full stop, for headings.

        >>> def describe(*players, **options):
        ...     finishes = [PlayerFinish(*player) for player in players]
        ...     return MatchFinish(tuple(finishes), **options).describe()
        >>> describe(("ann", 2, 3), ("bob", 1, 8))
        'bob beats ann, 8 to 3 points'
        >>> describe(("ann", 2, -10), ("bob", 1, 0), count=Count("card", fewest=True))
        'bob beats ann, 0 to 10 cards'
        >>> describe(("ann", 2), ("bob", 1, 8))
        'bob beats ann'
        >>> describe(("ann", 2), ("bob", 1), ("eve", 3))
        'bob beats ann and eve'
        >>> describe(("ann", 1), ("bob", 1), ("eve", 3))
        'ann and bob tie, ahead of eve'
        >>> describe(("ann", 1, 4), ("bob", 1, 4)), describe(("ann", None), ("bob", None))
        ('ann and bob tie, 4 to 4 points', 'ann against bob')
        >>> describe(("ann", 2, 17), ("bob", 2, 17), sides=((0, 1),)), describe(("ann", 1, 25))
        ('ann and bob lost, with 17 points', 'ann won, with 25 points')
        """
        names = [join_words([self.players[seat].name for seat in side]) for side in self.sides]
        ranks, scores = self._ranks, [] if None in self._scores else self._scores
        if None in ranks:
            return f"{names[0]} against {join_words(names[1:])}" if len(names) > 1 else names[0]
        order = sorted(range(len(names)), key=lambda side: ranks[side] or 0)
        best = [names[side] for side in order if ranks[side] == 1]
        if len(names) == 1 or not best:
            is_alone = len(names) == 1 and len(scores) == 1
            points = f", with {self.count.describe(scores[0])}" if is_alone else ""
            return f"{join_words(names)} {'won' if best else 'lost'}{points}"
        rest = [names[side] for side in order if ranks[side] != 1]
        has_pair = len(names) == len(scores) == PAIR
        points = f", {self._compare(*[scores[side] for side in order])}" if has_pair else ""
        if len(best) == 1:
            beats = "beat" if len(names) < len(self.players) else "beats"
            return f"{best[0]} {beats} {join_words(rest)}{points}"
        return f"{join_words(best)} tie{points}{f', ahead of {join_words(rest)}' if rest else ''}"

    def find_outcome(self, seat: Seat) -> SeatOutcome:
        """Return the outcome for a seat of a match that has an end.

        >>> finish = MatchFinish((PlayerFinish("ann", 1), PlayerFinish("bob", 1)))
        >>> finish.find_outcome(0)
        <SeatOutcome.TIED: 'tied'>
        """
        if self.players[seat].place != 1:
            return SeatOutcome.LOST
        return SeatOutcome.TIED if self._ranks.count(1) > 1 else SeatOutcome.WON

    def describe_for(self, seat: Seat) -> str:
        """Return a sentence for a player on how a match that has an end finished.

        >>> def describe(*players, **options):
        ...     finishes = [PlayerFinish("", *player) for player in players]
        ...     return MatchFinish(tuple(finishes), **options).describe_for(0)
        >>> describe((2, 28), (1, 63)), describe((1, 4), (1, 4))
        ('You lost, 28 to 63 points.', 'You tied, 4 to 4 points.')
        >>> describe((1, 5), (2, None))
        'You won.'
        >>> describe((2, 5), (1, 9), (3, 1))
        'You finished 2nd of 3.'
        >>> describe((1, 0), (1, 0), (1, 0))
        'All 3 of you tied.'
        >>> describe((2, -1), (1, 1), count=Count("chip"))
        'You lost 1 chip.'
        """
        ranks, scores, count = self._ranks, self._scores, self.count
        own = next(number for number, side in enumerate(self.sides) if seat in side)
        verb = self.find_outcome(seat)
        if len(ranks) == PAIR and 1 in ranks:
            if None in scores:
                return f"You {verb}."
            if scores[own] == -scores[1 - own] != 0 and not count.fewest:  # one wins from the other
                return f"You {verb} {count.describe(abs(scores[own]))}."
            return f"You {verb}, {self._compare(scores[own], scores[1 - own])}."
        if len(ranks) == 1 or 1 not in ranks:
            points = f", with {count.describe(scores[own])}" if scores[own] is not None else ""
            return f"You {verb}{points}."
        return f"{self._describe_place(own)}."

    def _describe_place(self, side: int) -> str:
        """Return the phrase on the place of a side among several, without its full stop."""
        ranks, place = self._ranks, self._ranks[side]
        others, first = len(ranks) - 1, ranks.count(1)
        if first == len(ranks):
            return f"All {first} of you tied"
        if place is not None and place != 1:
            return f"You finished {format_ordinal(place)} of {len(ranks)}"
        won = f"You share the win with {first - 1} of" if first > 1 else "You won against"
        return f"{won} {others} others"

    def _compare(self, own: Any, other: Any) -> str:
        """Return the counts of two scores, with the unit once: "1 to -1 chips"."""
        return f"{self.count.format(own)} to {self.count.format(other)} {self.count.units}"


def list_finishes(
    names: Sequence[str],
    places: Sequence[int] | None,
    scores: Sequence[Any] | None,
    verdicts: Sequence[str] = (),
) -> tuple[PlayerFinish, ...]:
    """Return the finish of each player; all sequences are in seat order.

    The score of a player with a verdict does not count: a bot made a part of it.
    """
    seats = len(names)
    nothing: Sequence[Any] = [None] * seats
    columns = names, places or nothing, scores or nothing, verdicts or [""] * seats
    return tuple(
        [
            PlayerFinish(name, place, _count_score(score, verdict), verdict)
            for name, place, score, verdict in zip(*columns, strict=True)
        ]
    )


def _count_score(score: Any, verdict: str) -> int | float | None:
    return None if verdict or score is None else to_json_number(score)


def format_ordinal(number: int) -> str:
    """Write an ordinal number.

    >>> [format_ordinal(number) for number in (1, 2, 3, 4, 11, 12, 21)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st']
    """
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
