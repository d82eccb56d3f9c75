"""How strong the bots are that people can choose as opponents, as a served tournament found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite

from starlette.exceptions import HTTPException

from arena import UserError
from arena.extend import get_plugins
from arena.tournament import Standing
from arena_web.sources.tournament import TournamentSnapshot, TournamentSource

Strengths = Mapping[tuple[str, str], str]
"""What to say of a bot, by the name of its game and its own."""


async def find_strengths(tournaments: Iterable[TournamentSource]) -> Strengths:
    """Return the ratings of bundled bots, each from the tournament with the most matches."""
    snapshots: list[TournamentSnapshot] = []
    for tournament in tournaments:
        try:
            snapshots.append(await tournament.snapshot.get())
        except (HTTPException, UserError):  # it has not begun, or its database is away
            continue
    found: dict[tuple[str, str], str] = {}
    for snapshot in sorted(snapshots, key=lambda snapshot: snapshot.summary.matches):
        found.update(_rate_bundled_bots(snapshot))
    return found


def _rate_bundled_bots(snapshot: TournamentSnapshot) -> dict[tuple[str, str], str]:
    game = snapshot.summary.game
    if game not in get_plugins().games:
        return {}
    bundled = get_plugins().games[game].bots
    return {
        (game, standing.entry.bot): describe_strength(standing)
        for standing in snapshot.summary.standings
        if standing.entry.bot in bundled and isfinite(standing.rating.high - standing.rating.low)
    }


def describe_strength(standing: Standing) -> str:
    """Describe a rating with its interval, such as "rating 56 ±43"."""
    return f"rating {standing.rating}"
