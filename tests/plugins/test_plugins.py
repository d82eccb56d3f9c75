"""Plugins: found by entry points, named in one line when broken, never in each other's way."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from arena.plugins import (
    PLUGIN_GROUP,
    MatchSpec,
    Observer,
    Plugins,
    get_plugins,
    hookimpl,
    load_game,
)
from tests.support.command import Cli, Install
from tests.support.toys import TOY, Toy

BROKEN = {
    "fails at import": ("import no_such_module", "ModuleNotFoundError"),
    "is no Python": ("def", "SyntaxError"),
    "raises": ("raise RuntimeError('first\\nsecond')", "first second"),
    "ends the process": ("import sys\nsys.exit(3)", "SystemExit"),
    "has an unknown hook": (
        "from arena import hookimpl\n@hookimpl\ndef arena_gmaes(): return []", "arena_gmaes"),
    "has no mark": ("def arena_games(): return []", "arena_games is not marked with @hookimpl"),
    "wants what a hook has not": (
        "from arena import hookimpl\n@hookimpl\ndef arena_games(nonsense): return []", "nonsense"),
    "raises in a hook": (
        "from arena import hookimpl\n@hookimpl\ndef arena_bots(): raise ValueError('oh')", "oh"),
    "brings nothing": (
        "from arena import hookimpl\n@hookimpl\ndef arena_bots(): return None", "broken"),
}  # fmt: skip


@pytest.fixture
def found(install: Install, monkeypatch: pytest.MonkeyPatch) -> Plugins:
    """Return the plugins of this installation and of one that fails at import."""
    get_plugins()  # which are found once: now, without that one
    monkeypatch.syspath_prepend(install("arena_test_broken", "import no_such_module"))
    importlib.invalidate_caches()
    made = Plugins(tuple(entry_points(group=PLUGIN_GROUP)))
    sys.modules.pop("arena_test_broken", None)
    return made


def test_a_broken_plugin_is_named_and_the_others_work(found: Plugins) -> None:
    """One clear line, and all games of the others."""
    (complaint,) = found.broken
    assert "arena_test_broken" in complaint
    assert "no_such_module" in complaint
    assert set(found.games) == set(get_plugins().games) >= {"gops", "kuhn"}


@pytest.mark.parametrize("broken", BROKEN)
def test_whatever_is_wrong_with_a_plugin_is_one_line(
    cli: Cli, install: Install, broken: str
) -> None:
    """On the command line it is named on stderr, once; the games of the others are played."""
    source, words = BROKEN[broken]
    site = str(install("arena_test_broken", source))
    done = cli("match", "kuhn", "random", "careful", "--json", PYTHONPATH=site)
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("arena: plugin arena_test_broken")
    assert words in line
    assert '"kuhn"' in done.stdout


@pytest.mark.parametrize(
    ("brought", "words"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("None", "returns None; return a list of Game"),
        ("[42]", "returns 42, which is not a Game"),
    ],
)
def test_whatever_is_wrong_with_its_games_is_one_line(
    cli: Cli, install: Install, brought: str, words: str
) -> None:
    """Where games are listed it is named; a match of another game does not ask for them."""
    source = f"from arena import hookimpl\n@hookimpl\ndef arena_games(): return {brought}"
    site = str(install("arena_test_broken", source))
    done = cli("games", "--json", PYTHONPATH=site)
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.startswith("arena: plugin arena_test_broken")
    assert words in line
    assert '"kuhn"' in done.stdout
    assert cli("match", "kuhn", "random", "careful", "--json", PYTHONPATH=site).stderr == ""


@pytest.mark.parametrize("seats", [4, (2, 3), range(0), range(3)])
def test_a_game_says_how_many_play(seats: Any) -> None:
    """Else nobody could list the games."""
    with pytest.raises(
        ValueError, match=r"seats: .* is not a range of numbers of players, such as range"
    ):
        evolve(get_plugins().find_game("kuhn"), seats=seats)


HELLO = """
import click

@click.command()
def hello():
    'Say hello.'
    click.echo('hello')

@click.command(hidden=True)
def secret():
    pass

number = 42
nothing = None
"""
BAD_COMMANDS = {
    "fails at import": ("arena_test_nowhere:hello", "ModuleNotFoundError"),
    "lacks it": ("arena_test_hello:goodbye", "AttributeError"),
    "is no command": ("arena_test_hello:number", "42 is not a Command"),
}


OBSERVER = """
from arena import hookimpl
from arena.plugins import Observer

class Watching(Observer):
    def {when}(self, *what):
        raise ValueError("oh dear")

@hookimpl
def arena_observer(spec):
    {hook}
"""


def test_a_plugin_that_will_not_observe_is_named(cli: Cli, install: Install) -> None:
    """The match is played all the same."""
    source = OBSERVER.format(when="on_event", hook="raise ValueError('oh dear')")
    done = cli("match", "kuhn", "random", "careful", PYTHONPATH=str(install("spy", source)))
    assert done.returncode == 0
    (line,) = [line for line in done.stderr.splitlines() if "spy" in line]
    assert "oh dear" in line


@pytest.mark.parametrize("when", ["on_event", "on_questions", "on_answer", "on_outcome"])
def test_an_observer_that_fails_is_named_in_one_line(cli: Cli, install: Install, when: str) -> None:
    """Whether the match is void or not, there is no traceback, and it says whose fault it was."""
    source = OBSERVER.format(when=when, hook="return Watching()")
    done = cli(
        "match", "kuhn", "random", "careful", "--json", PYTHONPATH=str(install("spy", source))
    )
    assert "Traceback" not in done.stderr
    assert "oh dear" in done.stderr + done.stdout
    assert done.returncode in (0, 1)


def test_the_command_of_a_plugin_comes_in(cli: Cli, install: Install) -> None:
    """It stands beside the arena's own, unless it is hidden or stands for nothing."""
    lines = [f"{name} = arena_test_hello:{name}" for name in ("hello", "secret", "nothing")]
    site = str(install("arena_test_hello", HELLO, commands="\n".join(lines)))
    assert cli("hello", PYTHONPATH=site).stdout == "hello\n"
    listed = cli("--help", PYTHONPATH=site)
    assert "  hello       Say hello.\n" in listed.stdout
    assert "secret" not in listed.stdout
    assert "nothing" not in listed.stdout
    assert listed.stderr == ""
    assert cli("secret", PYTHONPATH=site).returncode == 0
    assert "unknown command 'nothing'" in cli("nothing", PYTHONPATH=site).stderr


@pytest.mark.parametrize("bad", BAD_COMMANDS)
def test_a_command_that_is_broken_is_one_line(cli: Cli, install: Install, bad: str) -> None:
    """The help leaves it out, a call of it says what there is, and others are not hindered."""
    where, words = BAD_COMMANDS[bad]
    commands = f"hello = arena_test_hello:hello\nbad = {where}"
    site = str(install("arena_test_hello", HELLO, commands=commands))
    help_, call = cli("--help", PYTHONPATH=site), cli("bad", PYTHONPATH=site)
    for done in (help_, call):
        line = done.stderr.splitlines()[0]
        assert line.startswith(f"arena: plugin bad ({where}) is broken and ignored: ")
        assert words in line
    assert (help_.returncode, len(help_.stderr.splitlines())) == (0, 1)
    assert "Say hello." in help_.stdout
    assert "  bad " not in help_.stdout
    assert (call.returncode, len(call.stderr.splitlines())) == (2, 2)
    assert "unknown command 'bad'" in call.stderr
    hello = cli("hello", PYTHONPATH=site)
    assert (hello.stdout, hello.stderr) == ("hello\n", "")


def test_of_two_commands_of_one_name_the_first_stays(cli: Cli, install: Install) -> None:
    """The arena's own comes before a plugin's, one plugin's before another's, and it is said."""
    install("arena_test_other", "", commands="hello = arena_test_hello:secret")
    commands = "games = arena_test_hello:hello\nhello = arena_test_hello:hello"
    site = str(install("arena_test_hello", HELLO, commands=commands))
    done = cli("--help", PYTHONPATH=site)
    complaints = sorted(done.stderr.splitlines())
    assert ["plugin games" in complaints[0], "plugin hello" in complaints[1]] == [True, True]
    assert all("another plugin already provides one of this name" in line for line in complaints)
    assert "List the games." in done.stdout
    assert done.stdout.count("  hello ") <= 1


def test_of_two_plugins_of_one_name_the_first_stays() -> None:
    """The other one is named, and its games are not there."""
    points = [EntryPoint("kuhn", package, PLUGIN_GROUP) for package in ("arena_kuhn", "arena_bs")]
    both = Plugins(points)
    assert [*both.games] == ["kuhn"]
    (complaint,) = both.broken
    assert complaint.startswith("plugin kuhn (arena_bs) is broken")
    assert "another plugin already provides one of this name" in complaint


def test_observers_come_in_the_order_of_the_plugins_names() -> None:
    """Whichever was registered first; a plugin that has none for this match is left out."""

    class Watching:
        def __init__(self, observer: Observer | None) -> None:
            self.observer = observer

        @hookimpl
        def arena_observer(self, spec: MatchSpec) -> Observer | None:
            return self.observer

    first, last = Observer(), Observer()
    plugins = Plugins(())
    for name, observer in {"c": last, "b": None, "a": first}.items():
        plugins.manager.register(Watching(observer), name)
    spec = MatchSpec("key", TOY, Toy(()), "seed", ("a",), ("b",))
    assert plugins.build_observers(spec) == [first, last]
    assert plugins.broken == []


def test_one_game_is_loaded_alone(cli: Cli, install: Install, tmp_path: Path) -> None:
    """A bot that runs as a program starts fast: it loads the plugin of its game only."""
    site = install("arena_test_loud", f"open({str(tmp_path / 'loaded')!r}, 'w')")
    assert load_game("kuhn").name == "kuhn"
    done = cli("match", "kuhn", "program:random", "program:careful", "--json", PYTHONPATH=str(site))
    assert '"finished"' in done.stdout
    (tmp_path / "loaded").unlink()
    import subprocess

    code = "from arena import load_game; load_game('kuhn')"
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(site)}, check=True)
    assert not (tmp_path / "loaded").exists()
