"""Plugins: found by entry points, named in one line when broken, never in each other's way."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from arena.errors import Unknown
from arena.observer import Setting
from arena.plugins import GROUP, Plugins, load_game, plugins
from tests.conftest import Cli, Install
from tests.toys import TOY, Toy

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
        "from arena import hookimpl\n@hookimpl\ndef arena_games(): raise ValueError('oh')", "oh"),
    "brings nothing": (
        "from arena import hookimpl\n@hookimpl\ndef arena_games(): return None", "broken"),
    "brings no games": (
        "from arena import hookimpl\n@hookimpl\ndef arena_games(): return [42]", "broken"),
    "brings no commands": (
        "from arena import hookimpl\n@hookimpl\ndef arena_commands(): return [42]", "broken"),
    "cannot bring commands": (
        "from arena import hookimpl\n@hookimpl\ndef arena_commands(): 1 / 0", "ZeroDivisionError"),
}  # fmt: skip


@pytest.fixture
def found(install: Install, monkeypatch: pytest.MonkeyPatch) -> Plugins:
    """Give the plugins of this installation and of one that fails at import."""
    monkeypatch.syspath_prepend(install("arena_test_broken", "import no_such_module"))
    importlib.invalidate_caches()
    made = Plugins(tuple(entry_points(group=GROUP)))
    sys.modules.pop("arena_test_broken", None)
    return made


def test_a_broken_plugin_is_named_and_the_others_work(found: Plugins) -> None:
    """One clear line, and all games of the others."""
    (complaint,) = found.broken
    assert "arena_test_broken" in complaint
    assert "no_such_module" in complaint
    assert set(found.games) == set(plugins().games) >= {"gops", "kuhn"}


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


OBSERVER = """
from arena import hookimpl
from arena.observer import Observer

class Watching(Observer):
    def {when}(self, *what):
        raise ValueError("oh dear")

@hookimpl
def arena_observer(setting):
    {hook}
"""


def test_a_plugin_that_will_not_observe_is_named(cli: Cli, install: Install) -> None:
    """The match is played all the same."""
    source = OBSERVER.format(when="told", hook="raise ValueError('oh dear')")
    done = cli("match", "kuhn", "random", "careful", PYTHONPATH=str(install("spy", source)))
    assert done.returncode == 0
    (line,) = [line for line in done.stderr.splitlines() if "spy" in line]
    assert "oh dear" in line


@pytest.mark.parametrize("when", ["told", "asked", "answered", "ended"])
def test_an_observer_that_fails_is_named_in_one_line(cli: Cli, install: Install, when: str) -> None:
    """Whether the match is void or not, there is no traceback, and it says whose fault it was."""
    source = OBSERVER.format(when=when, hook="return Watching()")
    done = cli(
        "match", "kuhn", "random", "careful", "--json", PYTHONPATH=str(install("spy", source))
    )
    assert "Traceback" not in done.stderr
    assert "oh dear" in done.stderr + done.stdout
    assert done.returncode in (0, 1)


def test_games_and_commands_of_a_plugin_come_in(cli: Cli, install: Install) -> None:
    """A plugin's command stands beside the arena's own."""
    source = (
        "import click\nfrom arena import hookimpl\n"
        "@click.command()\ndef hello():\n    'Say hello.'\n    click.echo('hello')\n"
        "@hookimpl\ndef arena_commands(): return [hello]\n"
    )
    site = str(install("arena_test_hello", source))
    assert cli("hello", PYTHONPATH=site).stdout == "hello\n"
    assert "Say hello." in cli("--help", PYTHONPATH=site).stdout


def test_one_more_plugin_for_a_while() -> None:
    """It is there within, and gone behind."""
    from arena import hookimpl
    from arena.observer import Observer

    class Watched:
        @hookimpl
        def arena_observer(self, setting: Setting) -> Observer:
            return Observer()

    some = Plugins(())
    setting = Setting("key", TOY, Toy(()), "seed", ("a",), ("b",))
    with some.with_plugin(Watched()):
        assert len(some.observers(setting)) == 1
    assert some.observers(setting) == []


def test_an_unknown_game_says_what_there_is() -> None:
    """With a guess at what was meant."""
    with pytest.raises(Unknown, match=r"no game 'gosp'; did you mean gops\? .*kuhn"):
        plugins().game("gosp")


def test_one_game_is_loaded_alone(cli: Cli, install: Install, tmp_path: Path) -> None:
    """A bot that runs as a program starts fast: it loads the plugin of its game only."""
    site = install("arena_test_loud", f"open({str(tmp_path / 'loaded')!r}, 'w')")
    assert load_game("kuhn").name == "kuhn"
    done = cli("match", "kuhn", "program:random", "program:careful", "--json", PYTHONPATH=str(site))
    assert '"finished"' in done.stdout
    (tmp_path / "loaded").unlink()
    import subprocess

    code = "from arena.plugins import load_game; load_game('kuhn')"
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(site)}, check=True)
    assert not (tmp_path / "loaded").exists()
