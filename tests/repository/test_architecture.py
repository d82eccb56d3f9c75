"""The house as it was meant: who knows whom, and what every hook is for."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli.support import match_log
from arena.cli.support.transcript_files import TranscriptRecorder
from arena.plugins import get_plugins, hookspecs
from tests.support.bundled_games import GAMES
from tests.support.requirements import require_solver

PLUGINS = {
    **GAMES,
    "dask": "plugins",
    "gops-solver": "plugins",
    "hill": "plugins",
    "openspiel": "plugins",
    "pettingzoo": "plugins",
    "web": "plugins",
}
OF = {"gops-solver": "gops", "hill": "web"}  # what a plugin may import beside the core
HOUSE = {name: f"arena_{name.replace('-', '_')}" for name in PLUGINS}
PUBLIC = {"arena", "arena.cards"}  # what a game is written with
WORDS = re.compile(
    r"\b(gops|goofspiel|bs|cheat|kuhn|coup|briscola|bluff\w*|prizes?|arena_\w+)\b", re.IGNORECASE
)
HOOKS = [name for name in vars(hookspecs) if name.startswith("arena_")]
OWN_HOOKS = {
    *HOOKS,
    "ARENA_TOURNAMENT",
    "ARENA_OWN",
    "ARENA_WARM_STARTS",
}  # and variables of programs
OWN_HOOKS |= {"arena_command"}  # and the command's first moment


def sources(folder: Path) -> list[Path]:
    """Return all Python files in a folder, but no tests."""
    return sorted(path for path in folder.rglob("*.py") if "tests" not in path.parts)


def imports(path: Path) -> Iterator[str]:
    """Return the top-level packages that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_the_core_names_no_game(root: Path) -> None:
    """Neither in code nor in words, but for examples: games come in by everybody's door."""
    found = [
        f"{path.relative_to(root)}:{number}: {line.strip()}"
        for path in sources(root / "arena")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for word in WORDS.findall("" if line.lstrip().startswith(">>>") else line)
        if word not in OWN_HOOKS and not word.lower().startswith("prize")
    ]
    assert found == []


def test_the_core_imports_no_game_and_no_plugin(root: Path) -> None:
    """Imports run one way."""
    for path in sources(root / "arena"):
        assert not set(HOUSE.values()) & {*imports(path)}, path


@pytest.mark.parametrize("name", PLUGINS)
def test_no_plugin_imports_another(root: Path, name: str) -> None:
    """Each could be taken away."""
    others = {*HOUSE.values()} - {HOUSE[name], HOUSE[OF.get(name, name)]}
    found = sources(root / PLUGINS[name] / name)
    assert found
    for path in found:
        assert not others & {*imports(path)}, path


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_written_with_the_public_arena_alone(root: Path, name: str) -> None:
    """It is what an outsider would write."""
    text = "\n".join(path.read_text() for path in sources(root / GAMES[name] / name / HOUSE[name]))
    used = {*re.findall(r"^ *(?:from|import) (arena(?:\.\w+)*)\b", text, re.MULTILINE)}
    assert "arena" in used
    assert used <= PUBLIC


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_described_and_typed(hook: str) -> None:
    """Its docstring is what the author of a plugin reads."""
    specification = getattr(hookspecs, hook)
    assert inspect.getdoc(specification)
    signature = inspect.signature(specification)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(
        parameter.annotation is not inspect.Parameter.empty
        for parameter in signature.parameters.values()
    )


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_used_by_a_plugin_that_ships(hook: str) -> None:
    """None is there for somebody who may come."""
    shipped = [*get_plugins().manager.get_plugins(), TranscriptRecorder, *vars(match_log).values()]
    used = any(hasattr(getattr(plugin, hook, None), "arena_impl") for plugin in shipped)
    if not used:
        require_solver()  # which ships, too
    assert used


def test_all_plugins_of_the_house_are_well() -> None:
    """None is broken."""
    assert get_plugins().broken == []
    assert {*GAMES} <= {*get_plugins().games}


@pytest.mark.parametrize(
    "module",
    [
        "rules/table",
        "rules/options",
        "rules/play",
        "rules/outcome",
        "wires/line_codec",
        "wires/jsonlines",
        "host/clock",
        "records/verification",
    ],
)
def test_what_is_pure_does_no_input_and_knows_no_clock(root: Path, module: str) -> None:
    """Rules, plays and codecs are driven by others."""
    assert not {"os", "time", "select", "socket", "subprocess", "threading", "sys"} & {
        *imports(root / f"arena/{module}.py")
    }


def test_every_test_says_what_holds(root: Path) -> None:
    """Every test has a docstring."""
    for path in sorted((root / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert ast.get_docstring(node), f"{path}: {node.name}"
