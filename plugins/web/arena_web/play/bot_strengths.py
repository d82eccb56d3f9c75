"""The strengths of the bots that people can choose as opponents.

A served tournament of bundled bots comes first, because it is what the host has measured; for the
other bots there are the strengths that their game ships.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite

from attrs import frozen
from starlette.exceptions import HTTPException

from arena import UserError
from arena.extend import get_plugins
from arena.tournament import Standing, load_bot_strengths
from arena_web.sources.tournament import TournamentSnapshot, TournamentSource


@frozen
class OpponentStrength:
    """The strength of an opponent in words."""

    text: str  #: such as "rating 56 ±12 · worst: 41 % against hard"
    measurement: str = ""  #: what the game measured it by; empty for a served tournament

    def __str__(self) -> str:
        """Return the strength alone, as a list of bots shows it."""
        return self.text


Strengths = Mapping[tuple[str, str], OpponentStrength]
"""The strength of a bot, by the name of its game and its own."""


async def find_strengths(tournaments: Iterable[TournamentSource], shipped: Strengths) -> Strengths:
    """Return the strengths of bundled bots, from the served tournament with the most matches.

    For a game without a bot in a served tournament they are `shipped`, those that the game ships,
    since ratings of different tournaments cannot be compared.
    """
    snapshots: list[TournamentSnapshot] = []
    for tournament in tournaments:
        try:
            snapshots.append(await tournament.snapshot.get())
        except (HTTPException, UserError):  # it has not begun, or its database is away
            continue
    found: dict[tuple[str, str], OpponentStrength] = {}
    for snapshot in sorted(snapshots, key=lambda snapshot: snapshot.summary.matches):
        found.update(_rate_bundled_bots(snapshot))
    served = {game for game, _ in found}
    return {key: text for key, text in shipped.items() if key[0] not in served} | found


def load_shipped_strengths() -> Strengths:
    """Return the strengths that games ship.

    They are read once: the page has to work where no descriptor is left to open a file.
    """
    found = {}
    for game in get_plugins().games.values():
        try:
            shipped = load_bot_strengths(game)
        except ValueError:  # a damaged file of a plugin; the page works without it
            continue
        if shipped:
            for bot, strength in shipped.bots.items():
                found[game.name, bot] = OpponentStrength(str(strength), shipped.measurement)
    return found


def _rate_bundled_bots(snapshot: TournamentSnapshot) -> dict[tuple[str, str], OpponentStrength]:
    game = snapshot.summary.game
    if game not in get_plugins().games:
        return {}
    bundled = get_plugins().games[game].bots
    return {
        (game, standing.entry.bot): OpponentStrength(describe_strength(standing))
        for standing in snapshot.summary.standings
        if standing.entry.bot in bundled and isfinite(standing.rating.high - standing.rating.low)
    }


def describe_strength(standing: Standing) -> str:
    """Describe a rating with its interval, such as "rating 56 ±43"."""
    return f"rating {standing.rating}"
