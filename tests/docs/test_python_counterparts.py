"""What a command does, Python does in one call, which a table of the book names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
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


def list_calls(command: str) -> list[str]:
    """Return the dotted names in a command's cell; one with a full stop first is a sibling."""
    names = re.findall(r"`([\w.()]+)`", read_table()[command])
    owner = names[0].rpartition(".")[0]
    calls = [name if not name.startswith(".") else owner + name for name in names]
    return [name for name in calls if "." in name]


@pytest.mark.parametrize("command", sorted({*read_table()} - FOR_PEOPLE))
def test_the_call_of_a_command_exists(command: str) -> None:
    """Each name in its cell can be imported and called."""
    assert list_calls(command)
    for name in list_calls(command):
        assert callable(resolve(name)), name


KEYWORDS: Mapping[str, set[str]] = {
    "--move-time": {"limits"},
    "--start-time": {"limits"},
    "--bank": {"limits"},
    "--increment": {"limits"},
    "--alpha": {"sprt"},
    "--beta": {"sprt"},
    "--option": {"options", "variant", "always"},
    "--players": {"sizes"},
    "--bot": {"bot"},
    "--out": {"path", "folder"},
    "--into": {"folder"},
    "--transcript": {"record"},
    "--seed": {"seed", "first"},
}
"""Flags whose values are a part of a keyword, or have another name in Python."""

TYPED_ONLY: Mapping[str, str] = {
    "--json": "Python gets objects",
    "--format": "Python gets objects, and writes them as it likes",
    "--verbose": "what logs is up to the program that calls",
    "--log-format": "what logs is up to the program that calls",
    "match --bot-logs": "the host's folder, of which a result knows nothing",
    "match --keep-folders": "the host's folder, of which a result knows nothing",
    "match --sandbox": "a series plays the caller's own bots; duels and tournaments take a sandbox",
    "check --sandbox": "the entrant has it",
    "standings --nash": "a table made of the same results as the head-to-head table",
    "insights --bot": "Python chooses among all styles, which are a sequence",
}
"""Flags that no call has, with the reason; the name of a command stands before its own."""


def list_keywords(calls: list[str]) -> set[str]:
    """Return the keywords of all these functions."""
    return {key for call in calls for key in inspect.signature(resolve(call)).parameters}


def find_missing_keyword(path: str, command: click.Command, calls: list[str]) -> str | None:
    """Return the first flag that none of the calls has as a keyword, or None.

    The cell of the table may itself say which call stands for a flag: with `--evenness` ...
    """
    keywords = list_keywords(calls)
    cell = read_table()[path]
    for option in command.params:
        if isinstance(option, click.Option):
            flag = max(option.opts, key=len)
            names = {str(option.name), *KEYWORDS.get(flag, ())}
            excused = {flag, f"{path} {flag}"} & TYPED_ONLY.keys()
            if keywords.isdisjoint(names) and not excused and f"`{flag}`" not in cell:
                return flag
    return None


def check_flags(path: str, command: click.Command, calls: list[str]) -> None:
    """Raise AssertionError unless each flag of a command is a keyword of what it calls."""
    flag = find_missing_keyword(path, command, calls)
    assert flag is None, (
        f"arena {path} {flag}: give {calls[0]} a keyword for it, name that in KEYWORDS if it is"
        " called otherwise, or say in TYPED_ONLY why Python does without it"
        " (tests/docs/test_python_counterparts.py)"
    )


PUBLIC = [
    path
    for path in sorted({*read_table()} - FOR_PEOPLE)
    if list_calls(path)[0].startswith("arena.")
]
"""The commands whose calls are part of the core."""


@pytest.mark.parametrize("path", PUBLIC)
def test_each_flag_is_a_keyword(path: str) -> None:
    """Python can do what a command line can; the calls behind plugins' commands are their own."""
    check_flags(path, dict(walk_commands(arena))[path], list_calls(path))


def test_a_flag_without_a_keyword_is_named() -> None:
    """With its command, the function that lacks it, and what to do."""
    command = click.Command("duel", params=[click.Option(["--patience"])])
    calls = ["arena.tournament.play_duel"]
    with pytest.raises(
        AssertionError, match=r"^arena duel --patience: give arena.tournament.play_d"
    ):
        check_flags("duel", command, calls)
    check_flags("duel", click.Command("duel", params=[click.Option(["--pairs"])]), calls)


def test_no_excuse_is_left_over() -> None:
    """Each flag that Python does without is one of a command, and no call has it by now."""
    commands = dict(walk_commands(arena))
    flags = {
        name
        for path in PUBLIC
        for option in commands[path].params
        for flag in option.opts
        for name in (flag, f"{path} {flag}")
    }
    assert TYPED_ONLY.keys() | KEYWORDS.keys() <= flags
    for excuse in TYPED_ONLY:
        path, _, flag = excuse.rpartition(" ")
        if path:
            assert flag.removeprefix("--").replace("-", "_") not in list_keywords(
                list_calls(path)
            ), excuse
