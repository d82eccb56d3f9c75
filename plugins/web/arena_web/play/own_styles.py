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
from arena_web.play.own_games import GameRow
from arena_web.play.store.table_store import TableStore
from arena_web.play.table_terms import PERSON

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
        return any("(" in figure.own + figure.bots for figure in self.figures)

    @property
    def is_compared(self) -> bool:
        """Whether something of the bots was observed."""
        return any(figure.bots for figure in self.figures)

    @property
    def is_sure(self) -> bool:
        """Whether a figure is surely more or less than that of the bots."""
        return any(figure.compared in SURE for figure in self.figures)

    @property
    def has_gaps(self) -> bool:
        """Whether there are figures of which nothing of the bots was observed, beside others."""
        return self.is_compared and not all(figure.bots for figure in self.figures)


def observe_visitor(store: TableStore, rows: Iterable[GameRow]) -> list[OwnStyle]:
    """Return the styles of a visitor with these games, the game that was played last first."""
    by_game: dict[str, list[GameRow]] = {}
    for row in rows:
        if row.outcome is not None:
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
                figures.append(OwnFigure(about.title, text, value, about.about, compared))
    return OwnStyle(game, matches, figures, alike)


def describe_point(point: StylePoint, unit: str, *, is_sure: bool) -> str:
    """Return a figure with its unit; with its interval, where that says something.

    A share has the number of its cases, and is told by that alone where they are few.

    >>> describe_point(StylePoint(1.0, 20, (0.0, 1.0), 10), "%", is_sure=False)
    '100 % of 20'
    >>> describe_point(StylePoint(0.25, 32, (0.1, 0.5), 10), "%", is_sure=False)
    '25 % (10 to 50) of 32'
    >>> describe_point(StylePoint(0.25, 32, (0.1, 0.5), 4), "%", is_sure=False)
    '25 % of 32'
    >>> describe_point(StylePoint(0.25, 4, (0.1, 0.5), 4), "%", is_sure=False)
    '1 of 4'
    >>> describe_point(StylePoint(0.2, 10, (-2.0, 3.0), 10), "chips", is_sure=False)
    '0 chips'
    """
    cases = point.value * point.count
    if unit == PERCENT and point.count < LEAST_OBSERVATIONS and isclose(cases, round(cases)):
        return f"{round(cases)} of {point.count}"
    text = _describe_value(point, unit, is_sure=is_sure)
    return f"{text} of {point.count:,}" if unit == PERCENT else text


def _describe_value(point: StylePoint, unit: str, *, is_sure: bool) -> str:
    if not has_enough_matches(point):
        return point.format(unit)
    low, high = point.interval or (-inf, inf)
    widest = MAX_SHARE_WIDTH if unit == PERCENT else 2 * abs(point.value)
    return point.describe(unit) if is_sure or high - low <= widest else point.format(unit)


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
