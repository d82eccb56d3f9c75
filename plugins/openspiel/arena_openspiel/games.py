"""The games that both have, by the arena's names."""

from __future__ import annotations

from arena.rules import Unknown
from arena_openspiel.bridge import Bridge
from arena_openspiel.goofspiel import Goofspiel
from arena_openspiel.hearts import Hearts
from arena_openspiel.kuhn import Kuhn

BRIDGES: dict[str, type[Bridge]] = {"gops": Goofspiel, "hearts": Hearts, "kuhn": Kuhn}


def bridge_of(game: str) -> type[Bridge]:
    """Return the bridge to a game, or raise UserError."""
    if game not in BRIDGES:
        raise Unknown("game", game, BRIDGES)
    return BRIDGES[game]
