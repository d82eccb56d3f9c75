"""Finding plugins, and typed ways to call their hooks.

The games of the house come in by the same door as anybody's. A plugin that is broken is
named in one line, and the others work on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pluggy
from attrs import evolve

from arena import hookspecs
from arena.errors import Refusal, Unknown, in_words
from arena.game import Game
from arena.mind import Bot

if TYPE_CHECKING:
    import click

    from arena.observer import Observer, Setting
    from arena.tournament.executors import Workers
    from arena.tournament.plan import Format
    from arena.tournament.ratings import RatingModel

GROUP = "arena"
WHATEVER = (Exception, SystemExit)  # a plugin may fail in any way


class Named(Protocol):
    """What is known by its name."""

    @property
    def name(self) -> str | None:
        """Give it."""


T = TypeVar("T")
N = TypeVar("N", bound=Named)


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
        """Give all games by name, each with the bots that other plugins bring for it."""
        games = self._gather("arena_games", several_of(Game))
        more = self._gather("arena_bots", bots_by_game)
        return self._by_name(
            self._with_bots(game, [bots for name, bots in more if name == game.name])
            for game in sorted(games, key=lambda game: game.name)
        )

    def game(self, name: str) -> Game:
        """Give the game of this name, or raise Unknown."""
        if name not in self.games:
            raise Unknown("game", name, list(self.games))
        return self.games[name]

    @cached_property
    def commands(self) -> dict[str, click.Command]:
        """Give all commands for the command line by name."""
        import click  # a bot that runs as a program has no command line

        return self._by_name(self._gather("arena_commands", several_of(click.Command)))

    def observers(self, setting: Setting) -> list[Observer]:
        """Give all that want to watch this match."""
        return self._gather("arena_observer", perhaps_one, setting=setting)

    @cached_property
    def formats(self) -> dict[str, type[Format]]:
        """Give all formats of tournaments by name."""
        return self._merged("arena_formats")

    @cached_property
    def ratings(self) -> dict[str, type[RatingModel]]:
        """Give all models of ratings by name."""
        return self._merged("arena_ratings")

    @cached_property
    def executors(self) -> dict[str, type[Workers]]:
        """Give all places where matches are played, by name."""
        return self._merged("arena_executors")

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
            self.manager.register(_marked(point.load()), name=point.name)
            self.manager.check_pending()
        except WHATEVER as problem:
            if self.manager.has_plugin(point.name):
                self.manager.unregister(name=point.name)
            self._report(f"{point.name} ({point.value})", problem)

    def _gather(self, hook: str, read: Callable[[Any], list[T]], **arguments: object) -> list[T]:
        """Call a hook of each plugin, so that one that fails does not take the others down."""
        brought: list[T] = []
        for implementation in getattr(self.manager.hook, hook).get_hookimpls():
            try:
                taken = {name: arguments[name] for name in implementation.argnames}
                brought += read(implementation.function(**taken))
            except Refusal:  # what the user asked for cannot be; the plugin is not at fault
                raise
            except WHATEVER as problem:
                self._report(f"{implementation.plugin_name} ({hook})", problem)
        return brought

    def _merged(self, hook: str) -> dict[str, Any]:
        """Give what plugins bring by name."""
        return self._first_of_each(self._gather(hook, lambda brought: [*brought.items()]))

    def _first_of_each(self, pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
        """Give them by name; of two with one name the first stays, and it is said."""
        first: dict[str, T] = {}
        for name, one in pairs:
            if name in first:
                self._report(name, ValueError("another plugin has brought one of this name"))
            first.setdefault(name, one)
        return first

    def _with_bots(self, game: Game, more: Sequence[Mapping[str, type[Bot]]]) -> Game:
        """Give the game with these bots behind its own."""
        if not more:
            return game
        pairs = (pair for bots in (game.bots, *more) for pair in bots.items())
        return evolve(game, bots=self._first_of_each(pairs))

    def _by_name(self, some: Iterable[N]) -> dict[str, N]:
        """Give these by name."""
        return self._first_of_each((one.name or "", one) for one in some)

    def _report(self, plugin: str, problem: BaseException) -> None:
        line = f"plugin {plugin} is broken and left out: {in_words(problem)}"
        if line not in self.broken:
            self.broken.append(line)
            print(f"arena: {line}", file=sys.stderr)  # noqa: T201  # whoever runs


def _marked(plugin: Any) -> Any:
    """Give a plugin whose functions of the hooks' names are marked; an unmarked one is a slip."""
    for name, hook in vars(hookspecs).items():
        own = getattr(plugin, name, None)
        if hasattr(hook, f"{GROUP}_spec") and own and not hasattr(own, f"{GROUP}_impl"):
            raise TypeError(f"{name} is not marked with @hookimpl")
    return plugin


def several_of(kind: type[T]) -> Callable[[Any], list[T]]:
    """Give what reads a hook's result that is to be a list of these."""

    def read(result: Any) -> list[T]:
        for one in result:
            if not isinstance(one, kind):
                raise TypeError(f"{one!r} is no {kind.__name__}")
        return [*result]

    return read


def bots_by_game(result: Any) -> list[tuple[str, Mapping[str, type[Bot]]]]:
    """Read a hook's result that is to be bots by their game's name."""
    pairs = [*result.items()]
    for _, bots in pairs:
        several_of(type)(bots.values())
    return pairs


def perhaps_one(observer: Any) -> list[Any]:
    """Read the result of a hook that may give nothing."""
    return [] if observer is None else [observer]


@cache
def plugins() -> Plugins:
    """Give the plugins of this installation, loaded once."""
    return Plugins(tuple(entry_points(group=GROUP)))


def load_game(name: str) -> Game:
    """Give one game, loading only the plugin of that name where that is enough.

    A bot that runs as a program should start fast: the other plugins need not be loaded. The
    game has the bots that its own plugin brings; `plugins().game(name)` has all.
    """
    alone = Plugins(tuple(entry_points(group=GROUP, name=name)))
    return alone.games.get(name) or plugins().game(name)
