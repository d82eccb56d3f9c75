"""How a visitor plays: the figures of playing styles, of own games, beside those of the bots met.

Both are observed in the same matches, without those in which the visitor took a hint.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from math import inf, isclose

from attrs import frozen

from arena.plugins import PERCENT, get_plugins
from arena.tournament.insights.insights import MatchCounts, add_deal, count_observations
from arena.tournament.insights.playing_styles import SECONDS, StylePoint, build_style
from arena.tournament.insights.tally_store import Tallies
from arena_web.play.store.table_store import TableStore
from arena_web.play.table_terms import PERSON
from arena_web.play.visitors.games import GameRow

LEAST_MATCHES = 3  # fewer say nothing, unless so much has happened in them:
LEAST_OBSERVATIONS = 10  # of a figure; fewer are told as a count, and make no share
LEAST_SURE_MATCHES = 10  # in which a figure was observed: fewer say nothing of very many games
MOST_MATCHES = 50  # of a game, the latest
MAX_SHARE_WIDTH = 0.6  # of the interval of a share, beyond which it says nothing
SURE = ("more than the bots", "less than the bots")
OTHER_PERSON, VISITOR, BOT = range(3)


@frozen
class OwnFigure:
    """A figure of a visitor's play in a game, with that of the bots; as people read them."""

    title: str
    own: str  #: with its unit, and its 95 % interval where that says something
    bots: str  #: empty where nothing of them was observed
    about: str  #: what it says of a player, and whether more is good
    advice: str  #: what to do, where the bots do better; empty for nothing
    compared: str  #: whether it is surely more or less than that of the bots; empty without them


@frozen
class OwnStyle:
    """How a visitor plays a game."""

    game: str
    matches: int  #: in which it was observed
    figures: Sequence[OwnFigure] = ()  #: none while there are too few matches
    alike: Sequence[tuple[str, str]] = ()  #: the figures that are those of the bots: title, value

    @property
    def has_intervals(self) -> bool:
        """Whether a figure is given with its interval."""
        return any("likely" in figure.own + figure.bots for figure in self.figures)

    @property
    def is_compared(self) -> bool:
        """Whether something of the bots was observed."""
        return any(figure.bots for figure in self.figures)

    @property
    def is_sure(self) -> bool:
        """Whether a figure is surely more or less than that of the bots."""
        return any(figure.compared in SURE for figure in self.figures)

    @property
    def advice(self) -> Sequence[str]:
        """What to do, where the bots do better."""
        return [figure.advice for figure in self.figures if figure.advice]

    @property
    def has_gaps(self) -> bool:
        """Whether there are figures of which nothing of the bots was observed, beside others."""
        return self.is_compared and not all(figure.bots for figure in self.figures)


def observe_visitor(store: TableStore, rows: Iterable[GameRow]) -> list[OwnStyle]:
    """Return the styles of a visitor with these games, the game that was played last first."""
    by_game: dict[str, list[GameRow]] = {}
    for row in rows:
        if row.unaided is not None:
            by_game.setdefault(row.game, []).append(row)
    return [_observe_game(store, game, games) for game, games in by_game.items()]


def _observe_game(store: TableStore, game: str, rows: Sequence[GameRow]) -> OwnStyle:
    parts = get_plugins().list_insights(game)
    parts = [part for part in parts if part.game] or parts  # those of every game say less
    tallies, matches = Tallies(), 0
    for row in islice(rows, MOST_MATCHES):
        players = [BOT if bot != PERSON else OTHER_PERSON for bot in row.bots]
        players[row.seat] = VISITOR
        text = store.tables.read_transcript(row.key)
        lines = [json.loads(line) for line in text.splitlines()]
        counts = MatchCounts()
        with suppress(Exception):  # what a game cannot read is worth no more than a gap
            counts = count_observations(parts, players, lines)
        add_deal(tallies, [counts])
        matches += bool(counts)
    style = build_style(tallies, VISITOR, parts)
    points = [point for entry in style if entry.statistic.is_figure for point in entry.points]
    observations = max((point.count for point in points), default=0)
    if matches < LEAST_MATCHES and observations < LEAST_OBSERVATIONS:
        return OwnStyle(game, matches)
    bots = {entry.statistic.key: entry for entry in build_style(tallies, BOT, parts)}
    figures, alike = list[OwnFigure](), list[tuple[str, str]]()
    for entry in style:
        about = entry.statistic
        if about.is_figure and about.unit != SECONDS:  # bots take thousandths of one
            theirs = bots.get(about.key)
            own, bot = entry.points[0], theirs.points[0] if theirs else None
            compared = compare_points(own, bot) if bot else ""
            is_sure = compared in SURE
            value = describe_point(bot, about.unit, is_sure=is_sure) if bot else ""
            text = describe_point(own, about.unit, is_sure=is_sure)
            if text == value:
                alike.append((about.title, text))
            else:
                advice = about.advice if bot and is_worse(own, bot, about.better) else ""
                figures.append(OwnFigure(about.title, text, value, about.about, advice, compared))
    return OwnStyle(game, matches, figures, alike)


def describe_point(point: StylePoint, unit: str, *, is_sure: bool) -> str:
    """Return a figure with its unit; with its interval, where that says something.

    A share has its cases beside it, and is told by these alone where they are few.

    >>> describe_point(StylePoint(1.0, 20, (0.0, 1.0), 10), "%", is_sure=False)
    '100 % (20 of 20)'
    >>> describe_point(StylePoint(0.25, 32, (0.1, 0.5), 10), "%", is_sure=False)
    '25 % (8 of 32), likely 10 to 50'
    >>> describe_point(StylePoint(0.25, 32, (0.1, 0.5), 4), "%", is_sure=False)
    '25 % (8 of 32)'
    >>> describe_point(StylePoint(0.25, 4, (0.1, 0.5), 4), "%", is_sure=False)
    '1 of 4'
    >>> describe_point(StylePoint(3.14, 13, None, 1), "cards", is_sure=False)
    '3.1 cards'
    >>> describe_point(StylePoint(0.2, 10, (-2.0, 3.0), 10), "chips", is_sure=False)
    '0.2 chips'
    """
    if unit == PERCENT:
        value, cases = point.format(unit), _count_cases(point)
        if cases and point.count < LEAST_OBSERVATIONS:
            return cases
        text = f"{value} ({cases})" if cases else value
    else:
        text = format_rounded(point.value, unit)
    interval = point.format_interval(unit) if _is_telling(point, unit) or is_sure else ""
    return f"{text}, likely {interval}" if interval and has_enough_matches(point) else text


def format_rounded(value: float, unit: str) -> str:
    """Return a mean with its unit, and one decimal at most.

    >>> format_rounded(-1.0, "chips"), format_rounded(5.96, "points")
    ('-1 chip', '6 points')
    """
    number = f"{value:z.1f}".removesuffix(".0")
    return f"{number} {unit.removesuffix('s') if number in ('1', '-1') else unit}"


def _count_cases(point: StylePoint) -> str:
    """Return how often what a share counts was so; empty where the cases are no whole number."""
    cases = point.value * point.count
    return f"{round(cases):,} of {point.count:,}" if isclose(cases, round(cases)) else ""


def _is_telling(point: StylePoint, unit: str) -> bool:
    """Whether the interval of a figure is narrow enough to say something."""
    low, high = point.interval or (-inf, inf)
    return high - low <= (MAX_SHARE_WIDTH if unit == PERCENT else 2 * abs(point.value))


def is_worse(own: StylePoint, bots: StylePoint, better: str) -> bool:
    """Whether a figure is so far worse than that of the bots; `better`: `more`, `less` or neither.

    >>> own, bots = StylePoint(0.2, 30), StylePoint(0.5, 30)
    >>> [is_worse(own, bots, better) for better in ("more", "less", "")]
    [True, False, False]
    """
    if min(own.count, bots.count) < LEAST_OBSERVATIONS:
        return False
    lead = own.value - bots.value
    return (better == "more" and lead < 0) or (better == "less" and lead > 0)


def compare_points(own: StylePoint, bots: StylePoint) -> str:
    """Return whether a figure is more or less than that of the bots, or may be so by chance.

    >>> own, bots = StylePoint(0.5, 30, (0.4, 0.6), 10), StylePoint(0.2, 30, (0.1, 0.3), 10)
    >>> compare_points(own, bots), compare_points(bots, own)
    ('more than the bots', 'less than the bots')
    >>> compare_points(own, StylePoint(0.2, 30, (0.1, 0.3), 9))
    'too few games to tell'
    >>> compare_points(own, StylePoint(0.2, 30, (0.1, 0.45), 10))
    'too few games to tell'
    >>> compare_points(own, StylePoint(0.5, 5, (0.1, 0.9), 3))
    'the same so far'
    """
    more, less = SURE
    if own.value == bots.value:
        return "the same so far"
    if has_enough_matches(own) and has_enough_matches(bots) and own.interval and bots.interval:
        if own.interval[0] > bots.interval[1]:
            return more
        if own.interval[1] < bots.interval[0]:
            return less
    return "too few games to tell"


def has_enough_matches(point: StylePoint) -> bool:
    """Whether a figure was observed in so many matches that its interval can be trusted."""
    return point.deals >= LEAST_SURE_MATCHES
