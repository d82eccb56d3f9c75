"""Finding plugins, and typed ways to call their hooks.

The games of the house come in by the same door as anybody's. A plugin that is broken is
named in one line, and the others work on. The classes of analyses are imported where an analysis is
asked for, since a match needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import pluggy
from attrs import evolve

from arena.distribution import format_install_command
from arena.players import Bot
from arena.plugins import hookspecs
from arena.plugins.entry_points import (
    DUPLICATE_NAME,
    PLUGIN_ERRORS,
    PLUGIN_GROUP,
    describe_broken_plugin,
    find_entry_points,
    warn_once,
)
from arena.plugins.game import Game
from arena.plugins.observer import Observer
from arena.rules import UnknownNameError, UserError, abbreviate

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from arena.plugins.analysis import Annotation, Explorer, HintSource, Insights
    from arena.plugins.observer import MatchSpec
    from arena.plugins.yardsticks import Yardstick
    from arena.records import Transcript
    from arena.tournament.format_protocol import Format
    from arena.tournament.ratings import RatingModel
    from arena.tournament.workers.executors import ExecutorProvider


T = TypeVar("T")
EVERY_GAME = "*"
"""Instead of a game's name, by which `arena_bots` names bots for all games."""


class Plugins:
    """The plugins of this installation, or given ones."""

    def __init__(self, found: Sequence[EntryPoint]) -> None:
        self._manager = pluggy.PluginManager(PLUGIN_GROUP)
        self._manager.add_hookspecs(hookspecs)
        self._unloaded = [*found]
        self._broken: list[str] = []
        self._completed: dict[str, Game] = {}  # those installed, by name
        self._given: dict[str, tuple[Game, Game]] = {}  # the last one of a name, and completed

    @property
    def manager(self) -> pluggy.PluginManager:
        """The manager of all plugins, which are loaded on first use."""
        self._load(self._unloaded)
        return self._manager

    @property
    def broken(self) -> list[str]:
        """A message for each broken plugin; all plugins are loaded on first use."""
        self._load(self._unloaded)
        return self._broken

    @cached_property
    def games(self) -> dict[str, Game]:
        """All games by name, with the bots that other plugins add."""
        self._load(self._unloaded)
        plugins = self._list_implementers("arena_games")
        found = [(plugin, game) for plugin in plugins for game in self.find_games(plugin)]
        found.sort(key=lambda pair: (pair[1].name, pair[1].name != pair[0]))
        games = self._keep_first_of_each((game.name, game) for _, game in found)
        for name, game in games.items():
            if name not in self._completed:
                self._completed[name] = self._add_bots(game)
        return {name: self._completed[name] for name in games}

    def find_game(self, game: str | Game) -> Game:
        """Return the game of this name, or a game that is given, with the bots that plugins add.

        A plugin of this name is asked before the others, whose games are then not imported.

        Raises:
            UnknownNameError: if there is no game of this name.
        """
        if isinstance(game, Game):
            if game.name not in self._given or self._given[game.name][0] is not game:
                self._given[game.name] = game, self._add_bots(game)
            return self._given[game.name][1]
        name = game
        if name in self._completed:
            return self._completed[name]
        for own in self.find_games(name):
            if own.name == name:
                self._completed[name] = self._add_bots(own)
                return self._completed[name]
        if name not in self.require_games():
            raise UnknownNameError("game", name, list(self.games))
        return self.games[name]

    def require_games(self) -> dict[str, Game]:
        """Return the games by name, or raise UserError if none is installed."""
        if not self.games:
            advice = format_install_command("games")
            raise UserError(f"no games are installed; install some with: {advice}")
        return self.games

    def find_games(self, plugin: str) -> list[Game]:
        """Return the games of one plugin, without the bots that other plugins add."""
        self._load([point for point in self._unloaded if point.name == plugin])
        if plugin not in self._list_implementers("arena_games"):
            return []
        return self._call(plugin, "arena_games", build_list_reader(Game))

    def build_observers(self, spec: MatchSpec) -> list[Observer]:
        """Return the observers of a match."""
        return self._gather("arena_observer", read_optional, spec=spec)

    def list_annotations(self, game: Game, transcript: Transcript) -> list[Annotation]:
        """Return all plugins' annotations of a recorded match, in the order of its lines."""
        from arena.plugins.analysis import Annotation

        found = self._gather(
            "arena_annotations", build_list_reader(Annotation), game=game, transcript=transcript
        )
        return sorted(found, key=lambda note: note.line)

    @cached_property
    def explorers(self) -> list[Explorer]:
        """All explorers of games."""
        from arena.plugins.analysis import Explorer

        return self._gather("arena_explorers", build_list_reader(Explorer))

    def list_hint_sources(self, game: str) -> list[HintSource]:
        """Return the sources of hints for a game in the order of the plugins' names, bots last."""
        from arena.plugins.analysis import HintSource

        found = self._gather("arena_hints", build_list_reader(HintSource))
        own = [source for source in found if source.game == game]
        return sorted(own, key=attrgetter("is_bot"))

    def list_insights(self, game: str) -> list[Insights]:
        """Return the statistics that are observed in matches of a game, the general ones last."""
        from arena.plugins.analysis import GENERAL_INSIGHTS, Insights

        found = self._gather("arena_insights", build_list_reader(Insights))
        return [*(part for part in found if part.game == game), GENERAL_INSIGHTS]

    def list_yardsticks(self, game: str) -> list[Yardstick]:
        """Return the yardsticks of a game, in the order of the plugins' names."""
        from arena.plugins.yardsticks import Yardstick

        found = self._gather("arena_yardsticks", build_list_reader(Yardstick))
        return [yardstick for yardstick in found if yardstick.game == game]

    @cached_property
    def formats(self) -> dict[str, type[Format]]:
        """All tournament formats by name."""
        return self._merge("arena_formats")

    @cached_property
    def ratings(self) -> dict[str, type[RatingModel]]:
        """All rating models by name."""
        return self._merge("arena_ratings")

    @cached_property
    def executors(self) -> dict[str, type[ExecutorProvider]]:
        """All executors by name."""
        return self._merge("arena_executors")

    def _load(self, points: Sequence[EntryPoint]) -> None:
        """Load and register plugins; record a message for each broken one."""
        for point in [*points]:
            self._unloaded.remove(point)
            described = f"{point.name} ({point.value})"
            if self._manager.has_plugin(point.name):
                self._report(described, ValueError(DUPLICATE_NAME))
                continue
            try:
                plugin = point.load()
                self._require_hook_marks(plugin)
                self._manager.register(plugin, name=point.name)
                self._manager.check_pending()
            except PLUGIN_ERRORS as problem:
                self._manager.unregister(name=point.name)
                self._report(described, problem)

    def _require_hook_marks(self, plugin: object) -> None:
        """Raise an error if a function with the name of a hook is not marked as one."""
        for hook in vars(self._manager.hook):
            if hasattr(plugin, hook) and self._manager.parse_hookimpl_opts(plugin, hook) is None:
                raise TypeError(f"{hook} is not marked with @hookimpl")

    def _gather(self, hook: str, read: Callable[[Any], list[T]], **arguments: object) -> list[T]:
        """Call a hook of each plugin; return all results in the order of the plugins' names."""
        self._load(self._unloaded)
        return [
            item
            for plugin in self._list_implementers(hook)
            for item in self._call(plugin, hook, read, **arguments)
        ]

    def _list_implementers(self, hook: str) -> list[str]:
        """Return the names of the loaded plugins that implement a hook, in order."""
        implementations = getattr(self._manager.hook, hook).get_hookimpls()
        return sorted(implementation.plugin_name for implementation in implementations)

    def _call(
        self, plugin: str, hook: str, read: Callable[[Any], list[T]], **arguments: object
    ) -> list[T]:
        """Call a plugin's hook; an exception makes that plugin broken, and no other.

        To pluggy an exception is the end of a call. So there is a call for each plugin.
        """
        others = self._manager.get_plugins() - {self._manager.get_plugin(plugin)}
        call = self._manager.subset_hook_caller(hook, others)
        try:
            (result,) = call(**arguments) or [None]  # pluggy leaves out None
            return read(result)
        except UserError:  # what the user asked for cannot be; the plugin is not at fault
            raise
        except PLUGIN_ERRORS as problem:
            self._report(f"{plugin} ({hook})", problem)
            return []

    def _merge(self, hook: str) -> dict[str, Any]:
        """Return the merged results of a hook by name."""
        return self._keep_first_of_each(self._gather(hook, read_classes))

    def _keep_first_of_each(self, pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
        """Return objects by name; of two with the same name the first stays, with a warning."""
        first: dict[str, T] = {}
        for name, item in pairs:
            if name in first:
                self._report(name, ValueError(DUPLICATE_NAME))
            first.setdefault(name, item)
        return first

    def _add_bots(self, game: Game) -> Game:
        """Return the game with the bots of other plugins after its own, unless it has them.

        Where it has another bot by the name of one for every game, it keeps its own.
        """
        more = [
            (name, kind)
            for key, bots in self._gather("arena_bots", read_bots_by_game)
            for name, kind in bots.items()
            if (key == game.name and game.bots.get(name) is not kind)
            or (key == EVERY_GAME and name not in game.bots)
        ]
        if not more:
            return game
        return evolve(game, bots=self._keep_first_of_each([*game.bots.items(), *more]))

    def _report(self, plugin: str, problem: BaseException) -> None:
        line = describe_broken_plugin(plugin, problem)
        if line not in self._broken:
            self._broken.append(line)
            warn_once(line)


def build_list_reader(kind: type[T]) -> Callable[[Any], list[T]]:
    """Build a function that checks that a hook's result is a list of this class."""

    def read(result: Any) -> list[T]:
        if not isinstance(result, Sequence) or isinstance(result, str):
            raise TypeError(f"returns {abbreviate(result)}; return a list of {kind.__name__}")
        for item in result:
            if not isinstance(item, kind):
                raise TypeError(f"returns {abbreviate(item)}, which is not a {kind.__name__}")
        return [*result]

    return read


def read_bots_by_game(result: Any) -> list[tuple[str, Mapping[str, type[Bot]]]]:
    """Check a hook's result, which must be bots by the names of their games."""
    return [(game, dict(read_classes(bots))) for game, bots in _read_pairs(result, "game: bots")]


def read_classes(result: Any) -> list[tuple[str, Any]]:
    """Check a hook's result, which must be classes by name."""
    pairs = _read_pairs(result, "name: class")
    build_list_reader(type)([kind for _, kind in pairs])
    return pairs


def _read_pairs(result: Any, what: str) -> list[tuple[str, Any]]:
    if not isinstance(result, Mapping):
        raise TypeError(f"returns {abbreviate(result)}; return a dictionary {{{what}}}")
    return [*result.items()]


def read_optional(observer: Any) -> list[Observer]:
    """Check the result of a hook, which may be None or an observer."""
    if not isinstance(observer, Observer | None):
        raise TypeError(f"returns {abbreviate(observer)}; return an Observer or None")
    return [] if observer is None else [observer]


@cache
def get_plugins() -> Plugins:
    """Return the plugins of this installation, loaded once."""
    return Plugins(find_entry_points(PLUGIN_GROUP))


def load_game(name: str) -> Game:
    """Return a game, loading only the plugin of that name if that is enough.

    A bot that runs as a program should start fast: the other plugins need not be loaded. The
    game has the bots that its own plugin brings; `get_plugins().find_game(name)` has all.
    """
    return Plugins(find_entry_points(PLUGIN_GROUP, name)).games.get(
        name
    ) or get_plugins().find_game(name)
