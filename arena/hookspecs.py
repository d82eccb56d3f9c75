"""The hooks of the arena, for plugins: what may be brought, and when it is asked for.

A plugin is whatever an entry point of the group `arena` names, a module most often. Its
functions of these names, marked with `arena.hookimpl`, are called. Every hook is used by
a plugin that ships.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    import click

    from arena.game import Game
    from arena.observer import Observer, Setting

hookspec = pluggy.HookspecMarker("arena")
hookimpl = pluggy.HookimplMarker("arena")


@hookspec
def arena_games() -> Sequence[Game]:  # type: ignore[empty-body]
    """Give the games that this plugin brings."""


@hookspec
def arena_commands() -> Sequence[click.Command]:  # type: ignore[empty-body]
    """Give commands for the command line, each of which appears as `arena NAME`."""


@hookspec
def arena_observer(setting: Setting) -> Observer | None:
    """Give who watches this match, if this plugin wants it watched.

    Called once for each match before it begins.
    """
