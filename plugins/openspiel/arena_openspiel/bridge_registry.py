"""The bridges of the games that both libraries have, by the arena's names."""

from __future__ import annotations

from arena.extend import UnknownNameError
from arena_openspiel.bridge import Bridge
from arena_openspiel.goofspiel import GoofspielBridge
from arena_openspiel.hearts import HeartsBridge
from arena_openspiel.kuhn import KuhnBridge

BRIDGES: dict[str, type[Bridge]] = {
    "gops": GoofspielBridge,
    "hearts": HeartsBridge,
    "kuhn": KuhnBridge,
}


def find_bridge(game: str) -> type[Bridge]:
    """Return the bridge class of a game, or raise UserError."""
    if game not in BRIDGES:
        raise UnknownNameError("game", game, BRIDGES)
    return BRIDGES[game]
