"""What a command does, Python does in one call, which a table of the book names."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import chain
from typing import Any

import click
import pytest

from arena.cli.command_group import HELP_SECTIONS, arena
from tests.support.checkout import ROOT
from tests.support.command import walk_commands

PAGE = ROOT / "docs" / "how-to" / "host-from-python.md"
FOR_PEOPLE = {"play", "demo", "web", "mcp", "hill", "submit"}


def read_table() -> dict[str, str]:
    """Return the second cell of the table by the commands of the first one."""
    table = (
        PAGE.read_text("utf-8").partition("## Find the call of a command")[2].partition("\n## ")[0]
    )
    rows = re.findall(r"^\| (`.+) \| (.+) \|$", table, re.MULTILINE)
    return {command: cell for cells, cell in rows for command in re.findall("`([^`]+)`", cells)}


def list_commands() -> set[str]:
    """Return the commands of this checkout, those of a hill as one."""
    own = {*chain(*HELP_SECTIONS.values()), "gops"}
    found = {path: command for path, command in walk_commands(arena) if path.split()[0] in own}
    parts = {path for path in found if " " in path and path.split()[0] in FOR_PEOPLE}
    groups = {path for path in found if isinstance(found[path], click.Group)} - FOR_PEOPLE
    return found.keys() - parts - groups


def resolve(name: str) -> Any:
    """Return what a dotted name stands for."""
    module, _, rest = name.replace("()", "").partition(".")
    found: Any = import_module(module)
    for part in rest.split("."):
        if not hasattr(found, part):
            found = import_module(f"{found.__name__}.{part}")
        else:
            found = getattr(found, part)
            found = found() if part == "get_plugins" else found
    return found


def test_each_command_has_its_call() -> None:
    """It is listed with one, or as one for people; and the table lists no others."""
    table = read_table()
    installed = {*arena.list_commands(click.Context(arena))}
    assert list_commands() == {command for command in table if command.split()[0] in installed}
    assert {command for command, cell in table.items() if "for people" in cell} == FOR_PEOPLE


@pytest.mark.parametrize("command", sorted({*read_table()} - FOR_PEOPLE))
def test_the_call_of_a_command_exists(command: str) -> None:
    """Each name in its cell can be imported and called; one with a full stop first is a sibling."""
    names = re.findall(r"`([\w.()]+)`", read_table()[command])
    owner = names[0].rpartition(".")[0]
    calls = [name if not name.startswith(".") else owner + name for name in names]
    calls = [name for name in calls if "." in name]
    assert calls
    for name in calls:
        assert callable(resolve(name)), name
