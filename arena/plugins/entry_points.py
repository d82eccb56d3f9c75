"""The entry points of installed distributions, and the commands among them.

Nothing of the arena is imported here, and no plugin before it is asked for: the command line has
to start fast.
"""

from __future__ import annotations

import sys
from collections.abc import Container
from functools import cache
from typing import TYPE_CHECKING, Any

from arena.rules import describe_error

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    import click

PLUGIN_GROUP = "arena"
"""The entry point group of plugins: modules with hooks."""
COMMAND_GROUP = "arena.commands"
"""The entry point group of commands: each name is typed and refers to a click command."""
DUPLICATE_NAME = "another plugin already provides one of this name"
PLUGIN_ERRORS = (Exception, SystemExit)  # a plugin may fail in any way


def find_entry_points(group: str, name: str | None = None) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group by name, or those of one name; cached."""
    found = _read_entry_points().select(group=group)
    return tuple(
        sorted(
            (point for point in found if name in (None, point.name)), key=lambda point: point.name
        )
    )


def list_command_names(taken: Container[str] = ()) -> set[str]:
    """Return the names of the plugins' commands; warn of names that are taken.

    Plugins are not imported for it, so one that is broken is among them.
    """
    for offer in find_entry_points(COMMAND_GROUP):
        if offer.name in taken:
            warn_once(
                describe_broken_plugin(f"{offer.name} ({offer.value})", ValueError(DUPLICATE_NAME))
            )
    return {offer.name for offer in find_entry_points(COMMAND_GROUP)}


@cache
def load_command(name: str) -> click.Command | None:
    """Return the command of this name from a plugin, or None if there is none that works.

    An entry point that stands for None offers nothing: so a plugin leaves its command to another.
    One that is broken is named on standard error, and so is a second one of this name.
    """
    found: click.Command | None = None
    for offer in find_entry_points(COMMAND_GROUP, name):
        try:
            loaded = _check_command(offer.load())
            if found and loaded:
                raise ValueError(DUPLICATE_NAME)
            found = found or loaded
        except PLUGIN_ERRORS as problem:
            warn_once(describe_broken_plugin(f"{name} ({offer.value})", problem))
    return found


def describe_broken_plugin(plugin: str, problem: BaseException) -> str:
    """Return the message that names a broken plugin."""
    return f"plugin {plugin} is broken and ignored: {describe_error(problem)}"


@cache
def warn_once(line: str) -> None:
    """Print a warning on standard error, once."""
    print(f"arena: {line}", file=sys.stderr)  # noqa: T201


def _check_command(loaded: Any) -> click.Command | None:
    import click

    if loaded is not None and not isinstance(loaded, click.Command):
        raise TypeError(f"{loaded!r} is not a {click.Command.__name__}")
    return loaded


@cache
def _read_entry_points() -> Any:  # a type of its own up to Python 3.11
    from importlib.metadata import entry_points

    return entry_points()
