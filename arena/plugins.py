"""Finding plugins, and typed ways to call their hooks.

The games of the house come in by the same door as anybody's. A plugin that is broken is
named in one line, and the others work on.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

import pluggy

from arena import hookspecs
from arena.errors import Refusal, Unknown
from arena.game import Game

if TYPE_CHECKING:
    import click

    from arena.observer import Observer, Setting

GROUP = "arena"


class Plugins:
    """All plugins of this installation, or those that are given."""

    def __init__(self, found: Sequence[EntryPoint]) -> None:
        self.manager = pluggy.PluginManager(GROUP)
        self.manager.add_hookspecs(hookspecs)
        self.broken: list[str] = []  # a line for each plugin that failed
        for point in sorted(found, key=lambda point: point.name):
            self._load(point)

    @cached_property
    def games(self) -> dict[str, Game]:
        """Give all games by name."""
        brought: list[Sequence[Game]] = self._gather("arena_games")
        games = [game for some in brought for game in some]
        return {game.name: game for game in sorted(games, key=lambda game: game.name)}

    def game(self, name: str) -> Game:
        """Give the game of this name, or raise Unknown."""
        if name not in self.games:
            raise Unknown("game", name, list(self.games))
        return self.games[name]

    @cached_property
    def commands(self) -> list[click.Command]:
        """Give all commands for the command line."""
        brought: list[Sequence[click.Command]] = self._gather("arena_commands")
        return [command for some in brought for command in some]

    def observers(self, setting: Setting) -> list[Observer]:
        """Give all that want to watch this match."""
        watching: list[Observer | None] = self._gather("arena_observer", setting=setting)
        return [observer for observer in watching if observer]

    @contextmanager
    def with_plugin(self, plugin: object) -> Iterator[None]:
        """Have one more plugin for a while."""
        self.manager.register(plugin)
        try:
            yield
        finally:
            self.manager.unregister(plugin)

    def _load(self, point: EntryPoint) -> None:
        """Load and register one plugin, or take down in a line what is wrong with it."""
        try:
            self.manager.register(point.load(), name=point.name)
            self.manager.check_pending()
        except Exception as problem:  # noqa: BLE001  # a plugin may fail in any way
            if self.manager.has_plugin(point.name):
                self.manager.unregister(name=point.name)
            self._report(f"{point.name} ({point.value})", problem)

    def _gather(self, hook: str, **arguments: object) -> list[Any]:
        """Call a hook of each plugin, so that one that fails does not take the others down."""
        brought = []
        for implementation in getattr(self.manager.hook, hook).get_hookimpls():
            try:
                taken = {name: arguments[name] for name in implementation.argnames}
                brought.append(implementation.function(**taken))
            except Refusal:  # what the user asked for cannot be; the plugin is not at fault
                raise
            except Exception as problem:  # noqa: BLE001  # a plugin may fail in any way
                self._report(f"{implementation.plugin_name} ({hook})", problem)
        return brought

    def _report(self, plugin: str, problem: Exception) -> None:
        words = " ".join(f"{type(problem).__name__}: {problem}".split())
        line = f"plugin {plugin} is broken and left out: {words}"
        if line not in self.broken:
            self.broken.append(line)
            print(f"arena: {line}", file=sys.stderr)  # noqa: T201  # whoever runs


@cache
def plugins() -> Plugins:
    """Give the plugins of this installation, loaded once."""
    return Plugins(tuple(entry_points(group=GROUP)))


def load_game(name: str) -> Game:
    """Give one game, loading only the plugin of that name where that is enough.

    A bot that runs as a program should start fast: the other plugins need not be loaded.
    """
    alone = Plugins(tuple(entry_points(group=GROUP, name=name)))
    return alone.games.get(name) or plugins().game(name)
