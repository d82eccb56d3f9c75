"""The house as it was meant, beyond what the import contracts in `pyproject.toml` can say."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest

from arena.plugins import get_plugins, hookspecs
from tests.support.bundled_games import GAMES
from tests.support.requirements import require_solver

WORDS = re.compile(
    r"\b(gops|goofspiel|bs|cheat|kuhn|coup|briscola|bluff\w*|prizes?|arena_\w+)\b", re.IGNORECASE
)
HOOKS = [name for name in vars(hookspecs) if name.startswith("arena_")]
OWN_HOOKS = {*HOOKS, "ARENA_TOURNAMENT", "ARENA_OWN", "ARENA_WARM_STARTS"}  # variables of programs


def test_the_core_names_no_game(root: Path) -> None:
    """Neither in code nor in words, but for examples: games come in by everybody's door."""
    found = [
        f"{path.relative_to(root)}:{number}: {line.strip()}"
        for path in sorted((root / "arena").rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for word in WORDS.findall("" if line.lstrip().startswith(">>>") else line)
        if word not in OWN_HOOKS and not word.lower().startswith("prize")
    ]
    assert found == []


TEXTS = {".py", ".pyi", ".j2", ".toml", ".md", ".txt"}
MODELS = re.compile(
    r"(?i)(openai|anthropic|claude|gemini|llama|mistral|language.model|chat.completion"
    r"|(?<![a-z])(llm|gpt))"
)


def test_the_core_names_no_model(root: Path) -> None:
    """Nor who offers one: a model is a bot, or an agent at a table, like any other.

    The command that installs a package names the package.
    """
    files = [path for path in sorted((root / "arena").rglob("*")) if path.suffix in TEXTS]
    assert any(map(MODELS.search, map(Path.read_text, (root / "plugins/llm").rglob("*.py"))))
    texts = {path: path.read_text().replace('format_install_command("llm")', "") for path in files}
    found = {str(path.relative_to(root)): MODELS.search(texts[path]) for path in files}
    assert {path: match for path, match in found.items() if match} == {}


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_used_by_a_plugin_that_ships(root: Path, hook: str) -> None:
    """None is there for somebody who may come."""
    example = run_path(str(root / "examples/plugins/slowest/arena_slowest.py"))
    shipped = [*get_plugins().manager.get_plugins(), SimpleNamespace(**example)]
    used = any(hasattr(getattr(plugin, hook, None), "arena_impl") for plugin in shipped)
    if not used:
        require_solver()  # which ships, too
    assert used


def test_all_plugins_of_the_house_are_well() -> None:
    """None is broken."""
    assert get_plugins().broken == []
    assert {*GAMES} <= {*get_plugins().games}


def test_every_test_says_what_holds(root: Path) -> None:
    """Every test has a docstring."""
    for path in sorted((root / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert ast.get_docstring(node), f"{path}: {node.name}"
