"""Matches from the side of one bot: whether it won, its score, and against whom."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import frozen

from arena_web.matches.summaries import MatchSummary, VisiblePlayer
from arena_web.texts import find_count


@frozen
class BotMatch:
    """A match as one of its players sees it."""

    match: MatchSummary
    own: VisiblePlayer
    result: str  #: won, tied, lost, or void
    score: str  #: its own and the best other one
    place: str  #: among how many; empty if it has none
    others: tuple[VisiblePlayer, ...]


def list_bot_matches(matches: Iterable[MatchSummary], bot: str) -> list[BotMatch]:
    """Return matches from the side of a bot, given by its name or `NAME@VERSION`."""
    own_matches = list[BotMatch]()
    for match in matches:
        if own := _find_player(match, bot):
            own_matches.append(build_bot_match(match, own))
    return own_matches


def _find_player(match: MatchSummary, bot: str) -> VisiblePlayer | None:
    """Return the first player of a match that is this bot, if one is."""
    names = ((player, (player.name, f"{player.name}@{player.version}")) for player in match.players)
    return next((player for player, own_names in names if bot in own_names), None)


def build_bot_match(match: MatchSummary, own: VisiblePlayer) -> BotMatch:
    """Return a match as one of its players sees it."""
    others = tuple(player for player in match.players if player.seat != own.seat)
    against = [player for side in match.sides if own not in side for player in side]
    result, score = _describe_result(own, against), _format_score(own, against, match.game)
    place = f"{own.place} of {len(match.sides)}" if own.place else ""
    return BotMatch(match, own, result, score, place, others)


def _describe_result(own: VisiblePlayer, others: Iterable[VisiblePlayer]) -> str:
    if own.place is None:
        return "void"
    if own.place > 1:
        return "lost"
    return "tied" if any(other.place == 1 for other in others) else "won"


def _format_score(own: VisiblePlayer, others: Iterable[VisiblePlayer], game: str) -> str:
    scores: list[Any] = [other.score for other in others if other.score is not None]
    if own.score is None:
        return ""
    pair = [own.score, *([max(scores)] if scores else [])]
    return " : ".join(map(find_count(game).format, pair))
