"""How a visitor plays: the figures of playing styles, of own games, beside those of the bots met.

Both are observed in the same matches, without those in which the visitor took a hint.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice

from attrs import frozen

from arena.plugins import get_plugins
from arena.tournament.insights.insights import MatchCounts, add_deal, count_observations
from arena.tournament.insights.playing_styles import SECONDS, StylePoint, build_style
from arena.tournament.insights.tally_store import Tallies
from arena_web.play.own_games import GameRow
from arena_web.play.store.table_store import TableStore
from arena_web.play.table_setup import PERSON

LEAST_MATCHES = 3  # fewer say nothing
MOST_MATCHES = 50  # of a game, the latest
OTHER_PERSON, VISITOR, BOT = range(3)


@frozen
class OwnFigure:
    """A figure of a visitor's play in a game, with that of the bots; as people read them."""

    title: str
    own: str  #: with its unit and its 95 % interval
    bots: str  #: empty where nothing of them was observed
    about: str  #: what it says of a player, and whether more is good
    compared: str  #: whether it is surely more or less than that of the bots


@frozen
class OwnStyle:
    """How a visitor plays a game."""

    game: str
    matches: int  #: in which it was observed
    figures: Sequence[OwnFigure] = ()  #: none while there are too few matches
    alike: Sequence[tuple[str, str]] = ()  #: the figures that are those of the bots: title, value


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
        text = store.tables.read_transcript(row.stored.key)
        lines = [json.loads(line) for line in text.splitlines()]
        counts = MatchCounts()
        with suppress(Exception):  # what a game cannot read is worth no more than a gap
            counts = count_observations(parts, players, lines)
        add_deal(tallies, [counts])
        matches += bool(counts)
    if matches < LEAST_MATCHES:
        return OwnStyle(game, matches)
    bots = {entry.statistic.key: entry for entry in build_style(tallies, BOT, parts)}
    figures, alike = list[OwnFigure](), list[tuple[str, str]]()
    for entry in build_style(tallies, VISITOR, parts):
        about = entry.statistic
        if about.is_figure and about.unit != SECONDS:  # bots take thousandths of one
            theirs = bots.get(about.key)
            own, bot = entry.points[0], theirs.points[0] if theirs else None
            value = bot.describe(about.unit) if bot else ""
            compared = compare_points(own, bot) if bot else ""
            text = own.describe(about.unit)
            if text == value:
                alike.append((about.title, text))
            else:
                figures.append(OwnFigure(about.title, text, value, about.about, compared))
    return OwnStyle(game, matches, figures, alike)


def compare_points(own: StylePoint, bots: StylePoint) -> str:
    """Return whether a figure is more or less than that of the bots, or may be so by chance.

    >>> compare_points(StylePoint(0.5, 9, (0.4, 0.6)), StylePoint(0.2, 9, (0.1, 0.3)))
    'more than the bots'
    >>> compare_points(StylePoint(0.5, 9, (0.2, 0.8)), StylePoint(0.2, 9, (0.1, 0.3)))
    'too few games to tell'
    """
    if own.interval is None or bots.interval is None or own.value == bots.value:
        return ""
    if own.interval[0] > bots.interval[1]:
        return "more than the bots"
    if own.interval[1] < bots.interval[0]:
        return "less than the bots"
    return "too few games to tell"
