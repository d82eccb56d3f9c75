"""The formats, rating models, executors and bots that arena provides, through the public hooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from arena.plugins import EVERY_GAME, hookimpl

if TYPE_CHECKING:
    from arena.players import Bot
    from arena.tournament.format_protocol import Format
    from arena.tournament.ratings import RatingModel
    from arena.tournament.workers.executors import ExecutorProvider


@hookimpl
def arena_formats() -> Mapping[str, type[Format]]:
    """Return the formats of arena."""
    from arena.tournament.formats import FORMATS

    return FORMATS


@hookimpl
def arena_ratings() -> Mapping[str, type[RatingModel]]:
    """Return the rating models of arena."""
    from arena.tournament.ratings import MODELS

    return MODELS


@hookimpl
def arena_executors() -> Mapping[str, type[ExecutorProvider]]:
    """Return the executor that runs worker processes on this machine."""
    from arena.tournament.workers.local_executors import LocalExecutors

    return {"local": LocalExecutors}


@hookimpl
def arena_bots() -> Mapping[str, Mapping[str, type[Bot]]]:
    """Return the bots that need nothing but a game's rules, for every game."""
    from arena.players import RandomBot
    from arena.search import Search

    return {EVERY_GAME: {"random": RandomBot, "search": Search}}
