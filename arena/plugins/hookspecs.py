"""The hooks of arena that plugins implement.

A plugin is whatever an entry point of the group `arena` names, a module most often. Its
functions of these names, marked with `arena.hookimpl`, are called. Every hook is used by
a plugin that ships.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from arena.players import Bot
    from arena.plugins.analysis import Annotation, Explorer, HintSource, Insights
    from arena.plugins.game import Game
    from arena.plugins.observer import MatchSpec, Observer
    from arena.plugins.yardsticks import Yardstick
    from arena.records import Transcript
    from arena.tournament.format_protocol import Format
    from arena.tournament.ratings import RatingModel
    from arena.tournament.workers.executors import ExecutorProvider

hookspec = pluggy.HookspecMarker("arena")
hookimpl = pluggy.HookimplMarker("arena")
"""The decorator that marks the implementation of a hook: `@hookimpl`."""


@hookspec
def arena_games() -> Sequence[Game]:  # type: ignore[empty-body]
    """Return the games of this plugin."""


@hookspec
def arena_bots() -> Mapping[str, Mapping[str, type[Bot]]]:  # type: ignore[empty-body]
    """Return bots for games of other plugins, by the names of the game and the bot.

    `EVERY_GAME` (`*`) stands for all games, unless they have another bot by that name.
    """


@hookspec
def arena_observer(spec: MatchSpec) -> Observer | None:
    """Return an observer of this match, or None.

    Called once for each match before it begins.
    """


@hookspec
def arena_annotations(game: Game, transcript: Transcript) -> Sequence[Annotation]:  # type: ignore[empty-body]
    """Return annotations of a recorded match, in the order of its lines.

    Called when somebody looks at the match. A transcript that cannot be explained has no notes.
    """


@hookspec
def arena_explorers() -> Sequence[Explorer]:  # type: ignore[empty-body]
    """Return explorers of games, for web pages."""


@hookspec
def arena_hints() -> Sequence[HintSource]:  # type: ignore[empty-body]
    """Return sources of hints for people who play.

    A hint is computed only when a person asks for it, from what that person's seat may know.
    """


@hookspec
def arena_insights() -> Sequence[Insights]:  # type: ignore[empty-body]
    """Return the statistics of playing styles that are observed in recorded matches."""


@hookspec
def arena_yardsticks() -> Sequence[Yardstick]:  # type: ignore[empty-body]
    """Return exact yardsticks: results corrected for luck, and the gain of a best reply."""


@hookspec
def arena_formats() -> Mapping[str, type[Format]]:  # type: ignore[empty-body]
    """Return tournament formats by name: frozen attrs classes with parameters as fields."""


@hookspec
def arena_ratings() -> Mapping[str, type[RatingModel]]:  # type: ignore[empty-body]
    """Return rating models by name: frozen attrs classes with parameters as fields."""


@hookspec
def arena_executors() -> Mapping[str, type[ExecutorProvider]]:  # type: ignore[empty-body]
    """Return executors by name: frozen attrs classes with parameters as fields."""
