"""What the installed distributions offer by entry points, and the commands among it.

Nothing of the arena is imported here, and no plugin before it is asked for: the command line has
to start fast.
"""

from __future__ import annotations

import sys
from collections.abc import Container
from functools import cache
from typing import TYPE_CHECKING, Any

from arena.rules import in_words

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    import click

GROUP = "arena"
"""The group of the plugins: modules with hooks."""
COMMANDS = "arena.commands"
"""The group of their commands: each is named as it is typed, and stands for a click command."""
SECOND = "another plugin has brought one of this name"
WHATEVER = (Exception, SystemExit)  # a plugin may fail in any way


def offered(group: str, name: str | None = None) -> tuple[EntryPoint, ...]:
    """Return the entry points of this group by name, or those of one name; they are read once."""
    found = _all().select(group=group)
    return tuple(
        sorted((one for one in found if name in (None, one.name)), key=lambda one: one.name)
    )


def command_names(taken: Container[str] = ()) -> set[str]:
    """Return the names of the commands that plugins offer; a name that is taken is complained of.

    Plugins are not imported for it, so one that is broken is among them.
    """
    for offer in offered(COMMANDS):
        if offer.name in taken:
            complain(broken(f"{offer.name} ({offer.value})", ValueError(SECOND)))
    return {offer.name for offer in offered(COMMANDS)}


@cache
def load_command(name: str) -> click.Command | None:
    """Return the plugins' command of this name, if there is one that works.

    An entry point that stands for None offers nothing: so a plugin leaves its command to another.
    One that is broken is named on standard error, and so is a second one of this name.
    """
    found: click.Command | None = None
    for offer in offered(COMMANDS, name):
        try:
            loaded = _command(offer.load())
            if found and loaded:
                raise ValueError(SECOND)
            found = found or loaded
        except WHATEVER as problem:
            complain(broken(f"{name} ({offer.value})", problem))
    return found


def broken(plugin: str, problem: BaseException) -> str:
    """Return the line that names a broken plugin."""
    return f"plugin {plugin} is broken and left out: {in_words(problem)}"


@cache
def complain(line: str) -> None:
    """Say it to whoever runs this, once."""
    print(f"arena: {line}", file=sys.stderr)  # noqa: T201


def _command(loaded: Any) -> click.Command | None:
    import click

    if loaded is not None and not isinstance(loaded, click.Command):
        raise TypeError(f"{loaded!r} is no {click.Command.__name__}")
    return loaded


@cache
def _all() -> Any:  # a type of its own up to Python 3.11
    from importlib.metadata import entry_points

    return entry_points()
