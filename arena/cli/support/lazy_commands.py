"""Commands that are imported when they are run, and help that ends with examples."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from arena.plugins import Game


class LazyCommand(NamedTuple):
    """The location of a command, as `module:attribute`, and its short help."""

    target: str
    summary: str


class ExampleCommand(click.Command):
    """A command or group whose help ends with examples for an installed game.

    In the examples, `{game}` stands for a game, `{bot}` and `{other}` for two of its bots.
    """

    def __init__(self, *arguments: Any, examples: tuple[str, ...] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._examples = examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, one per line."""
        named = any("{" in example for example in self._examples)
        write_examples(formatter, self._examples, _choose_names() if named else PLACEHOLDERS)


class ExampleGroup(ExampleCommand, click.Group):
    """A group of commands with examples.

    The commands of `lazy_commands` are imported when they run, and not for `--help`.
    """

    def __init__(
        self,
        *arguments: Any,
        lazy_commands: Mapping[str, LazyCommand] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.lazy_commands = lazy_commands or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in alphabetical order."""
        return sorted({*self.commands, *self.lazy_commands})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name, importing it."""
        if cmd_name in self.lazy_commands:
            module, _, attribute = self.lazy_commands[cmd_name].target.partition(":")
            command: click.Command = getattr(import_module(module), attribute)
            return command
        return super().get_command(ctx, cmd_name)

    def list_sections(self, ctx: click.Context) -> dict[str, list[str]]:
        """Return the names of commands by the title under which the help shows them."""
        return {"Commands": self.list_commands(ctx)}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each command with its short help, under the title of its section."""
        sections = self.list_sections(ctx)
        width = max(len(name) for names in sections.values() for name in names)
        for title, names in sections.items():
            rows = [
                (name, self._get_summary(ctx, name, formatter.width - 6 - width)) for name in names
            ]
            shown = [(name.ljust(width), summary) for name, summary in rows if summary is not None]
            if shown:
                with formatter.section(title):
                    formatter.write_dl(shown)

    def _get_summary(self, ctx: click.Context, name: str, limit: int) -> str | None:
        """Return the short help of a command, or None if there is none."""
        if name in self.lazy_commands:
            return self.lazy_commands[name].summary
        command = self.get_command(ctx, name)
        return None if command is None or command.hidden else command.get_short_help_str(limit)


PLACEHOLDERS = {"game": "GAME", "bot": "BOT", "other": "BOT"}


def write_examples(
    formatter: click.HelpFormatter,
    examples: tuple[str, ...],
    words: Mapping[str, str] = PLACEHOLDERS,
) -> None:
    """Write examples into a help text, with the names of a game and two of its bots."""
    with formatter.section("Examples"):
        for example in examples:
            formatter.write(f"  arena {example.format(**words)}\n")


def _choose_names() -> Mapping[str, str]:
    """Return the name of a game, and of two of its bots, for examples."""
    game = _find_demo_game()
    return (
        {"game": game.name, "bot": game.demo[0], "other": game.demo[-1]} if game else PLACEHOLDERS
    )


def _find_demo_game() -> Game | None:
    """Return the first game that defines the bots of a demonstration; load no other game."""
    from arena.plugins import PLUGIN_GROUP, find_entry_points, get_plugins

    games = (
        game
        for offer in find_entry_points(PLUGIN_GROUP)
        for game in get_plugins().find_games(offer.name)
    )
    return next((game for game in games if game.demo), None)
