"""The rating of a visitor by game, on the scale of the bots whose strengths the game ships.

A match counts for each measured bot that the visitor met: whoever finishes ahead wins. It does not
count with a hint, with a partner, or with options other than the usual ones, under which the bots
were measured. The strengths of the bots stand still; that of the visitor is estimated.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import ceil, exp, log, log1p

from attrs import frozen

from arena import format_count
from arena.plugins import build_variant, get_plugins
from arena.rules import find_sides
from arena.tournament import find_level
from arena_web.play.visitors.games import GameRow
from arena_web.player_names import load_strengths

POINTS = 400.0  # the difference in Elo points that makes a win ten times as likely as a loss
EXPECTED_SPREAD = 400.0  # of people around the mean of the bots: the standard deviation, in points
STRENGTHS = range(-1600, 1610, 10)  # that are considered
MAX_WIDTH = 300.0  # points, of the interval of a rating that is told: three steps of levels
TAIL = 0.025  # the probability on each side of the interval
NORMAL_QUANTILE = 1.96  # of that probability: standard deviations in half an interval

Meeting = tuple[float, float]
"""The strength of an opponent, and the visitor's score against it: 1, 0.5 or 0."""


@frozen
class VisitorRating:
    """A rating in Elo points, in which the mean of a game's bots is 0."""

    game: str  #: its name
    rating: float
    low: float  #: the lower end of the interval that has the true strength with 95 %
    high: float  #: the upper end
    matches: int  #: that count
    opponents: int = 1  #: that were met in the last of them

    @property
    def is_provisional(self) -> bool:
        """Whether the interval is too wide for the rating to say much."""
        return self.high - self.low > MAX_WIDTH

    @property
    def missing(self) -> int:
        """About how many more matches the rating needs, against bots of the visitor's strength.

        >>> VisitorRating("gops", 85.4, -260, 420, 3).missing
        17
        """
        needed, present = (
            (2 * NORMAL_QUANTILE / width) ** 2 for width in (MAX_WIDTH, self.high - self.low)
        )
        information = _weigh_match(self.opponents) * self.opponents * (log(10) / POINTS / 2) ** 2
        return max(1, ceil((needed - present) / information))

    @property
    def needs(self) -> str:
        """What a provisional rating needs, in words."""
        return f"about {format_count(self.missing, 'more game')} against bots of your strength"

    @property
    def level(self) -> str:
        """The levels of bots that may be as strong, in words; empty where that is all of them.

        >>> VisitorRating("gops", 85.4, 60, 130, 90).level
        'hard'
        >>> VisitorRating("gops", 85.4, -60, 230, 12).level
        'easy to expert'
        """
        weakest, strongest = find_level(self.low), find_level(self.high)
        if (weakest, strongest) == (find_level(STRENGTHS[0]), find_level(STRENGTHS[-1])):
            return ""
        return weakest if weakest == strongest else f"{weakest} to {strongest}"

    def __str__(self) -> str:
        """Format the rating for people.

        >>> str(VisitorRating("gops", 85.4, -60, 230, 12))
        '85 (-60 to 230) after 12 matches'
        """
        matches = "1 match" if self.matches == 1 else f"{self.matches} matches"
        return f"{self.rating:z.0f} ({self.low:z.0f} to {self.high:z.0f}) after {matches}"


def rate_visitor(rows: Iterable[GameRow]) -> list[VisitorRating]:
    """Return the ratings of a visitor with these games, by game in the order of the rows."""
    games: dict[str, list[GameRow]] = {}
    for row in rows:
        games.setdefault(row.game, []).append(row)
    matches = {name: [*_list_matches(name, own)] for name, own in games.items()}
    return [
        VisitorRating(name, *estimate(meetings), len(meetings), len(meetings[0]))
        for name, meetings in matches.items()
        if meetings
    ]


def describe_rating(rows: Sequence[GameRow], last: GameRow) -> str:
    """Return a sentence on the rating after a match; empty where that does not count.

    What one match changes is always less than the interval, so nothing is said of it.
    """
    alike = [row for row in rows if row.game == last.game]
    now = rate_visitor(alike)
    before = rate_visitor(row for row in alike if row.key != last.key)
    if now == before or not now:
        return ""
    (rating,) = now
    game = get_plugins().games[last.game].title
    if rating.is_provisional:
        return f"Your rating at {game} needs {rating.needs}."
    return f"Your rating at {game} is {rating}."


def estimate(matches: Iterable[Sequence[Meeting]]) -> tuple[float, float, float]:
    """Return the strength of somebody with these results, and its 95 % interval.

    It is the mean of the posterior, with a normal prior around the mean of the bots. Results of one
    match depend on each other: where the order of `n + 1` equal players is drawn, those of one
    against the `n` others correlate by a third, so they count as `3 n / (n + 2)` results.
    """
    sums: dict[float, list[float]] = {}
    for meetings in matches:
        weight = _weigh_match(len(meetings))
        for strength, score in meetings:
            wins_losses = sums.setdefault(strength, [0.0, 0.0])
            wins_losses[0] += weight * score
            wins_losses[1] += weight * (1 - score)
    logs = [_compute_log(strength, sums) for strength in STRENGTHS]
    highest = max(logs)
    weights = [exp(value - highest) for value in logs]
    below = [*accumulate(weights)]
    whole = below[-1]
    mean = sum(x * weight for x, weight in zip(STRENGTHS, weights, strict=True)) / whole
    low, high = (STRENGTHS[bisect_left(below, share * whole)] for share in (TAIL, 1 - TAIL))
    return mean, low, high


def _weigh_match(opponents: int) -> float:
    """Return the weight of each result of a match."""
    return 3 / (opponents + 2)


def _compute_log(strength: float, sums: Mapping[float, Sequence[float]]) -> float:
    """Return the logarithm of the posterior of a strength, but for a constant."""
    total = -((strength / EXPECTED_SPREAD) ** 2) / 2
    for opponent, (wins, losses) in sums.items():
        lead = (strength - opponent) * log(10) / POINTS
        total -= wins * log1p(exp(-lead)) + losses * log1p(exp(lead))
    return total


def _list_matches(name: str, rows: Iterable[GameRow]) -> Iterator[Sequence[Meeting]]:
    """Yield the results of each match of a game that counts, against the measured bots."""
    game = get_plugins().games.get(name)
    strengths = load_strengths(game) if game else None
    if not game or not strengths:
        return
    usual, options = build_variant(game, {}), game.default_options
    for row in rows:
        places = row.stored.result and row.stored.result.places
        if not places or row.unaided is None or {**options, **row.stored.setup.variant} != options:
            continue
        if len(find_sides(usual, len(places))) < len(places):
            continue
        leads = [place - places[row.seat] for place in places]
        meetings = [
            (strengths.bots[bot].rating, (1 + (lead > 0) - (lead < 0)) / 2)
            for lead, bot in zip(leads, row.bots, strict=True)
            if bot in strengths.bots
        ]
        if meetings:
            yield meetings
