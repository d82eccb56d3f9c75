"""The rating of a visitor by game, on the scale of the bots whose strengths the game ships.

A match counts for each measured bot that the visitor met: whoever finishes ahead wins. It does not
count with a hint, with a partner, or with options other than the usual ones, under which the bots
were measured. The strengths of the bots stand still; that of the visitor is estimated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp, log, log1p

from attrs import frozen

from arena.plugins import build_variant, get_plugins
from arena.rules import find_sides
from arena.tournament import find_level
from arena_web.play.own_games import GameRow
from arena_web.player_names import load_strengths

POINTS = 400.0  # the difference in Elo points that makes a win ten times as likely as a loss
EXPECTED_SPREAD = 400.0  # of people around the mean of the bots: the standard deviation, in points
STRENGTHS = range(-1600, 1610, 10)  # that are considered
TAIL = 0.025  # the probability on each side of the interval

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

    @property
    def level(self) -> str:
        """The level of a bot with this rating."""
        return find_level(self.rating)

    def __str__(self) -> str:
        """Format the rating for people.

        >>> str(VisitorRating("gops", 85.4, -60, 230, 12))
        '85 (-60 to 230) after 12 matches'
        """
        matches = "1 match" if self.matches == 1 else f"{self.matches} matches"
        return f"{self.rating:z.0f} ({self.low:z.0f} to {self.high:z.0f}) after {matches}"


def rate_visitor(rows: Iterable[GameRow]) -> list[VisitorRating]:
    """Return the ratings of a visitor with these games, by game in the order of the rows."""
    matches: dict[str, list[Sequence[Meeting]]] = {}
    for row in rows:
        if meetings := [*_list_meetings(row)]:
            matches.setdefault(row.game, []).append(meetings)
    return [VisitorRating(game, *estimate(met), len(met)) for game, met in matches.items()]


def describe_change(rows: Sequence[GameRow], last: GameRow) -> str:
    """Say in a sentence how a match changed the rating; nothing where it does not count."""
    alike = [row for row in rows if row.game == last.game]
    now = rate_visitor(alike)
    before = rate_visitor(row for row in alike if row.own.key != last.own.key)
    if now == before or not now:
        return ""
    game = get_plugins().games[last.game].title
    change = round(now[0].rating) - round(before[0].rating) if before else 0
    verb = "rose by" if change > 0 else "fell by"
    moved = f" {verb} {abs(change)} to" if change else " is"
    return f"Your rating at {game}{moved} {now[0]}."


def estimate(matches: Iterable[Sequence[Meeting]]) -> tuple[float, float, float]:
    """Return the strength of somebody with these results, and its 95 % interval.

    It is the mean of the posterior, with a normal prior around the mean of the bots. Results of one
    match depend on each other: where the order of `n + 1` equal players is drawn, those of one
    against the `n` others correlate by a third, so they count as `3 n / (n + 2)` results.
    """
    sums: dict[float, list[float]] = {}
    for meetings in matches:
        weight = 3 / (len(meetings) + 2)
        for strength, score in meetings:
            wins_losses = sums.setdefault(strength, [0.0, 0.0])
            wins_losses[0] += weight * score
            wins_losses[1] += weight * (1 - score)
    logs = [_compute_log(strength, sums) for strength in STRENGTHS]
    weights = [exp(value - max(logs)) for value in logs]
    whole = sum(weights)
    mean = sum(x * weight for x, weight in zip(STRENGTHS, weights, strict=True)) / whole
    return mean, _find_quantile(weights, TAIL), _find_quantile(weights, 1 - TAIL)


def _compute_log(strength: float, sums: Mapping[float, Sequence[float]]) -> float:
    """Return the logarithm of the posterior of a strength, but for a constant."""
    total = -((strength / EXPECTED_SPREAD) ** 2) / 2
    for opponent, (wins, losses) in sums.items():
        lead = (strength - opponent) * log(10) / POINTS
        total -= wins * log1p(exp(-lead)) + losses * log1p(exp(lead))
    return total


def _find_quantile(weights: Sequence[float], share: float) -> float:
    below = 0.0
    for strength, weight in zip(STRENGTHS, weights, strict=True):
        below += weight
        if below >= share * sum(weights):
            return strength
    return STRENGTHS[-1]


def _list_meetings(row: GameRow) -> Iterator[Meeting]:
    """Yield the strength of each measured bot of a match that counts, and the score against it."""
    game, places = get_plugins().games.get(row.game), row.own.result and row.own.result["places"]
    strengths = load_strengths(game) if game else None
    if not game or not strengths or not places or row.won is None:
        return
    usual = build_variant(game, {})
    packed, sides = game.write_variant(usual), find_sides(usual, len(places))
    if row.own.setup["variant"] != packed or len(sides) < len(places):
        return
    for seat, bot in enumerate(row.bots):
        if bot in strengths.bots:
            lead = places[seat] - places[row.seat]
            yield strengths.bots[bot].rating, (1 + (lead > 0) - (lead < 0)) / 2
