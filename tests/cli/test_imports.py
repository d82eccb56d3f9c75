"""What a start imports: a command, a usage error and a bot load what they need, and no more."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import click
import pytest

from arena.cli.command_group import BUILTIN_COMMANDS, HELP_SECTIONS, PLUGIN_COMMANDS, arena
from arena.cli.support.commands import ExampleGroup
from arena.plugins import get_plugins, list_command_names
from arena.tournament.store import Facts, Store, StoredSettings
from tests.support.command import walk_commands
from tests.support.programs import environment
from tests.support.requirements import require_solver
from tests.support.tournaments import stored_matches as stored

LISTED = """
import atexit, sys
sys.argv = ["arena", *{words!r}]
atexit.register(lambda: print("*", *sys.modules))
{run}
"""
SESSION = """
import sys
from arena.cli import main
for words in {calls!r}:
    sys.argv = ["arena", *words]
    try:
        main()
    except SystemExit:
        print("*", *sys.modules)
"""
"""Runs commands one after the other, as `arena` does, and prints after each what is loaded by then."""
HEAVY = {"asyncio", "hypothesis", "jinja2", "numpy", "psycopg", "pytest", "scipy", "sqlite3"}
HEAVY |= {"structlog", "arena.plugins.analysis"}
GAMES = {"arena_briscola.game", "arena_bs.game", "arena_coup.game", "arena_gops.game"}
GAMES |= {"arena_hearts.game", "arena_kuhn"}
PLUGINS = {"attr", "cattrs", "pluggy", "arena.host.match", "arena.plugins.registry", "rich"}
OTHERS = {name for name in GAMES if name != "arena_kuhn"}  # but for the game that is played

SETTINGS = StoredSettings("kuhn")
READERS = {"arena.host.entrants", "arena.host.match", "arena.plugins.registry", "numpy"}
READERS |= {
    "arena.tournament.file.reader",
    "arena.tournament.workers.match_play",
    "psycopg",
    "scipy",
    "structlog",
}

FIRST_STEPS = {"arena", "arena.cli"}
LIGHT = HEAVY | GAMES | PLUGINS
UNUSED = {"multiprocessing", "tomllib"}

OTHER_COMMANDS = [name for name in BUILTIN_COMMANDS if name != "standings"]
CALLS: list[dict[str, set[str]]] = [
    {
        "no-such-command": LIGHT | {"arena_gops", "arena_gops_solver"},
        **dict.fromkeys(["--help", "", "--no-such-option", "--version"], LIGHT),
        **dict.fromkeys(["match", "gops --help"], LIGHT),
        **{f"{name} --no-such-option": LIGHT for name in OTHER_COMMANDS},
        "standings --no-such-option": LIGHT - {"attr"},  # of which a class of its own is made
        "match --help": HEAVY | {"rich", "arena_coup.game", "arena_gops.game", "arena_hearts.game"},
    },
    {
        "bots kuhn --json": HEAVY | OTHERS | {"rich", "arena.host.match"},
        "match kuhn random careful --json": HEAVY | OTHERS | UNUSED | {"rich"},
        "match kuhn random careful": HEAVY | OTHERS | UNUSED | {"rich.progress"},
    },
    {"games --json": HEAVY | {"rich", "arena.host.match"}},
]
"""What no call may have loaded; those of a session are made in one process, and need more and more."""


def loaded(words: str, mark: str, run: str) -> set[str]:
    """Return the names of all modules that are loaded where some code ends."""
    said = run_listed(LISTED.format(words=words.split(), run=run), mark)
    return {*said.rpartition("* ")[2].split()}


def loaded_after(calls: Iterable[str], mark: str) -> list[set[str]]:
    """Return the names of all modules that are loaded after each of these calls."""
    said = run_listed(SESSION.format(calls=[words.split() for words in calls]), mark)
    return [{*line.split()} for line in said.splitlines() if line.startswith("* ")]


def run_listed(code: str, mark: str) -> str:
    """Run some code in a new interpreter; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(mark), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return done.stdout


def test_the_first_steps_import_next_to_nothing(mark: str) -> None:
    """Python answers an interrupt with a traceback until they are done."""
    modules = loaded("", mark, "import arena.cli")
    assert {name for name in modules if name.startswith("arena")} <= FIRST_STEPS
    assert (LIGHT | {"ast", "click", "lazy_loader"}) & modules == set()


@pytest.mark.parametrize("calls", CALLS, ids=["light", "one game", "all games"])
def test_a_command_imports_what_it_needs(mark: str, calls: dict[str, set[str]]) -> None:
    """Not other commands' work, nor other games, nor what draws tables, where it is not used."""
    after = loaded_after(calls, mark)
    assert all("arena.cli.command_group" in modules for modules in after)
    needless = zip(calls, map(set.intersection, calls.values(), after), strict=True)
    assert {words: found for words, found in needless if found} == {}


def test_what_a_command_needs_is_seen(mark: str) -> None:
    """The names that the calls above are measured by are those of modules that are loaded."""
    *_, modules = loaded_after(["games", "match kuhn program:random careful -v"], mark)
    assert GAMES | PLUGINS | {"structlog"} <= modules


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("from arena import Bot, run", ""),
        ("import runpy; runpy.run_module('arena.bot', run_name='__main__')", "kuhn random"),
    ],
    ids=["a module that makes a bot", "a bundled bot"],
)
def test_a_bot_that_is_a_program_imports_no_host(mark: str, run: str, words: str) -> None:
    """No clock, no wires of the host's side, no command line, no other game."""
    modules = loaded(words, mark, run)
    assert "arena.bot" in modules
    needless = {"arena.cli", "arena.host", "arena.records", "click", "rich"}
    assert (HEAVY | OTHERS | needless) & modules == set()


def test_reading_a_tournament_imports_what_it_shows(mark: str, tmp_path: Path) -> None:
    """A list of matches computes nothing; neither it nor standings host, or speak to a server."""
    path = tmp_path / "t.db"
    entries = [stored.ADA, stored.BOB]
    with Store.create(path, SETTINGS, "s", entries) as store:
        store.facts.set(Facts.level, 0.95)
        store.deals.plan(stored.build_deals(1))
        store.matches.record(stored.build_result(0))
    listed, ranked = loaded_after([f"matches {path}", f"standings {path}"], mark)
    assert READERS & listed == set()
    assert READERS & ranked == {"numpy", "scipy", "arena.plugins.registry"}


def test_standings_import_no_solver(mark: str) -> None:
    """What finds equilibria, cycles and pairings takes longer to import than all of the ratings."""
    modules = loaded("", mark, "import arena.tournament.results.standings_tables")
    assert "scipy.special" in modules
    assert {"scipy.linalg", "scipy.optimize", "scipy.sparse.csgraph"} & modules == set()


@pytest.mark.parametrize("name", BUILTIN_COMMANDS)
def test_the_short_help_in_the_table_is_the_commands_own(name: str) -> None:
    """The table of the arena's own commands says of each what it says itself, and its name."""
    command = arena.get_command(click.Context(arena), name)
    assert command is not None
    assert command.name == name
    assert BUILTIN_COMMANDS[name].summary == command.get_short_help_str(limit=200)


COMMANDS = {path: command for path, command in walk_commands(arena) if path != "example"}


@pytest.mark.parametrize("path", COMMANDS)
def test_the_help_of_a_command_has_whole_summaries_and_examples_that_are_read(path: str) -> None:
    """No summary is cut, and each example is a command line of this command or of one in it."""
    context = click.Context(COMMANDS[path], info_name=f"arena {path}", **arena.context_settings)
    text = COMMANDS[path].get_help(context)  # which makes the option --help, once and for all
    summaries, _, examples = text.partition("\nExamples:\n")
    assert "..." not in summaries.partition("\nCommands:\n")[2]
    assert examples, "no examples"
    for line in examples.strip().splitlines():
        words = shlex.split(line.replace("|", ">").partition(">")[0])
        own = " ".join(words[1:3]) if " ".join(words[1:3]) in COMMANDS else words[1]
        assert own.split()[0] == path.split(maxsplit=1)[0] or path == "tournament"
        COMMANDS[own].make_context(own, words[1 + len(own.split()) :], parent=click.Context(arena))


def test_every_command_of_this_project_stands_in_one_section_of_the_help() -> None:
    """What is left for the last section are the commands of others, and those of a game."""
    shown = [name for names in HELP_SECTIONS.values() for name in names]
    assert sorted(shown) == sorted([*BUILTIN_COMMANDS, *PLUGIN_COMMANDS])


@pytest.mark.parametrize("name", sorted(list_command_names()))
def test_a_group_of_a_plugin_says_what_its_commands_say(name: str) -> None:
    """Of each that it does not import before it is run."""
    group = arena.get_command(click.Context(arena), name)
    assert group is not None
    if not isinstance(group, ExampleGroup):
        assert group.get_short_help_str()
        return
    for own, place in group.lazy_commands.items():
        command = group.get_command(click.Context(group), own)
        assert command is not None
        assert (own, place.summary) == (command.name, command.get_short_help_str(limit=200))


def test_a_game_alone_is_the_game_among_all() -> None:
    """Asked for by name or listed, it is one object, with the bots that others bring."""
    require_solver()
    assert get_plugins().find_game("gops") is get_plugins().games["gops"]
    assert "nash" in get_plugins().find_game("gops").bots
