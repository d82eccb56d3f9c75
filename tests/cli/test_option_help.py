"""Each option of each command says in its help what it does."""

from __future__ import annotations

import inspect

import click
import pytest

from arena.cli.command_group import arena
from tests.support.command import walk_commands

COMMANDS = dict(walk_commands(arena))


def check_help(path: str, command: click.Command) -> None:
    """Raise AssertionError unless each option of a command has a help."""
    for option in command.params:
        if isinstance(option, click.Option) and not (option.help or "").strip():
            place = inspect.getmodule(inspect.unwrap(command.callback or check_help))
            raise AssertionError(
                f'arena {path} {option.opts[-1]} has no help: write help="..." into its'
                f" click.option, for the command in {place.__name__ if place else path}"
            )


@pytest.mark.parametrize("path", COMMANDS)
def test_each_option_has_a_help(path: str) -> None:
    """Also of plugins' commands; `arena match --help` shows it."""
    check_help(path, COMMANDS[path])


def test_an_option_without_a_help_is_named() -> None:
    """With its command, and the module in which that is."""
    duel = COMMANDS["duel"]
    lacking = click.Command("duel", callback=duel.callback, params=[click.Option(["--patience"])])
    words = r"^arena duel --patience has no help: .* in arena\.cli\.duel$"
    with pytest.raises(AssertionError, match=words):
        check_help("duel", lacking)
