"""Sentences on the results of matches: who beat whom, and how somebody did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena import Count, Seat, join_words
from arena.rules import Sides

POINTS = Count()  # of a game that declares nothing else
PAIR = 2  # players, whose scores stand beside each other


def score_sides(scores: Sequence[Any], sides: Sides) -> list[Any]:
    """Return the score of each side; None where one of its players has none that counts."""
    return [
        None if None in [scores[player] for player in side] else scores[side[0]] for side in sides
    ]


def describe_sides(
    names: Sequence[str],
    places: Sequence[int | None] | None,
    scores: Sequence[Any],
    sides: Sides,
    count: Count,
) -> str:
    """Return a sentence on which side beat which; all but `sides` stands in seat order."""
    ranks = places and [places[side[0]] for side in sides]
    points = score_sides(scores, sides) if scores else ()
    teams = [join_words([names[player] for player in side]) for side in sides]
    return describe_result(teams, ranks, points, count, several=len(teams) < len(names))


def describe_result(
    names: Sequence[str],
    places: Sequence[int | None] | None,
    scores: Sequence[Any] = (),
    count: Count = POINTS,
    *,
    several: bool = False,
) -> str:
    """Return a sentence on who beat whom, without its full stop, for headings.

    `several` says that a name may be those of partners. A score that does not count is None; of
    the others people read what the game counts.

    >>> describe_result(("ann", "bob"), (2, 1), (3, 8))
    'bob beats ann, 8 to 3 points'
    >>> describe_result(("ann", "bob"), (2, 1), (-10, 0), Count("card", fewest=True))
    'bob beats ann, 0 to 10 cards'
    >>> describe_result(("ann", "bob"), (2, 1), (None, 8))
    'bob beats ann'
    >>> describe_result(("ann", "bob", "eve"), (2, 1, 3))
    'bob beats ann and eve'
    >>> describe_result(("ann", "bob", "eve"), (1, 1, 3))
    'ann and bob tie, ahead of eve'
    >>> describe_result(("ann", "bob"), (1, 1), (4, 4)), describe_result(("ann", "bob"), None)
    ('ann and bob tie, 4 to 4 points', 'ann against bob')
    >>> describe_result(("ann and bob",), (2,), (17,)), describe_result(("ann",), (1,), (25,))
    ('ann and bob lost, with 17 points', 'ann won, with 25 points')
    """
    if not places or any(place is None for place in places):
        return f"{names[0]} against {join_words(names[1:])}" if len(names) > 1 else names[0]
    order = sorted(range(len(names)), key=lambda player: places[player] or 0)
    best = [names[player] for player in order if places[player] == 1]
    scores = () if None in scores else scores
    if len(names) == 1 or not best:
        points = f", with {count.describe(scores[0])}" if len(names) == 1 and scores else ""
        return f"{join_words(names)} {'won' if best else 'lost'}{points}"
    rest = [names[player] for player in order if places[player] != 1]
    has_pair = len(names) == PAIR and len(scores) == PAIR
    points = f", {compare_scores(count, *[scores[at] for at in order])}" if has_pair else ""
    if len(best) == 1:
        return f"{best[0]} beat{'' if several else 's'} {join_words(rest)}{points}"
    return f"{join_words(best)} tie{points}{f', ahead of {join_words(rest)}' if rest else ''}"


def describe_own_result(
    places: Sequence[int], scores: Sequence[Any], seat: Seat, count: Count = POINTS
) -> str:
    """Return a sentence for a player on how the match ended; a score that does not count is None.

    >>> describe_own_result((2, 1), (28, 63), 0), describe_own_result((1, 1), (4, 4), 0)
    ('You lost, 28 to 63 points.', 'You tied, 4 to 4 points.')
    >>> describe_own_result((1, 2), (5, None), 0)
    'You won.'
    >>> describe_own_result((2, 1, 3), (5, 9, 1), 0)
    'You finished 2nd of 3.'
    >>> describe_own_result((1, 1, 1), (0, 0, 0), 0)
    'All 3 of you tied.'
    >>> describe_own_result((2, 1), (-1, 1), 0, Count("chip"))
    'You lost 1 chip.'
    """
    if len(places) == PAIR and 1 in places:
        verb = "lost" if places[seat] != 1 else "tied" if places.count(1) > 1 else "won"
        if None in scores:
            return f"You {verb}."
        own, other = scores[seat], scores[1 - seat]
        if own == -other != 0 and not count.fewest:  # what one wins the other loses
            return f"You {verb} {count.describe(abs(own))}."
        return f"You {verb}, {compare_scores(count, own, other)}."
    if len(places) == 1 or 1 not in places:
        verb = "won" if places[seat] == 1 else "lost"
        points = f", with {count.describe(scores[seat])}" if scores[seat] is not None else ""
        return f"You {verb}{points}."
    return f"{_describe_place(places, seat)}."


def _describe_place(places: Sequence[int], seat: Seat) -> str:
    """Return the phrase on the place of a player among several, without its full stop."""
    others, first = len(places) - 1, places.count(1)
    if first == len(places):
        return f"All {first} of you tied"
    if places[seat] != 1:
        return f"You finished {format_ordinal(places[seat])} of {len(places)}"
    won = f"You share the win with {first - 1} of" if first > 1 else "You won against"
    return f"{won} {others} others"


def compare_scores(count: Count, own: Any, other: Any) -> str:
    """Return the counts of two scores, with the unit once.

    >>> compare_scores(Count("chip"), 1, -1)
    '1 to -1 chips'
    """
    return f"{count.format(own)} to {count.format(other)} {count.units}"


def format_ordinal(number: int) -> str:
    """Write an ordinal number.

    >>> [format_ordinal(number) for number in (1, 2, 3, 4, 11, 12, 21)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st']
    """
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
