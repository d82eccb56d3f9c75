"""The reference and what pages import are complete and public, and examples hold."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from collections.abc import Iterator
from importlib import import_module

import pytest
from sphinx.pycode import ModuleAnalyzer

from docs.faces import FACES, is_data, list_exports, read_data_docs
from tests.support.checkout import ROOT

pytestmark = pytest.mark.slow  # imports the whole house and runs its examples

FOLDER = ROOT / "docs" / "reference" / "python"


def classes(face: str) -> list[tuple[str, type]]:
    """Return the classes of the arena that a face exports, by name."""
    found = [
        (name, exported)
        for name, exported in list_exports(face).items()
        if inspect.isclass(exported)
    ]
    return [(name, exported) for name, exported in found if exported.__module__.startswith("arena")]


def said(kind: type) -> set[str]:
    """Return which attributes a class explains: beside them, or in its docstring by name."""
    beside = {
        name
        for base in kind.__mro__
        if base.__module__.startswith("arena")
        for (owner, name) in ModuleAnalyzer.for_module(base.__module__).find_attr_docs()
        if owner == base.__qualname__
    }
    words, _, attributes = (inspect.getdoc(kind) or "").partition("Attributes:\n")
    listed = re.findall(r"^    (\w+): ", attributes, re.MULTILINE)
    return {*beside, *listed, *re.findall(r"`(\w+)`", words)}


def members(kind: type) -> Iterator[tuple[str, str]]:
    """Return a class's public members, also those of its instances, with their docstrings."""
    tree = ast.parse(inspect.getsource(kind))
    (body,) = [node.body for node in tree.body if isinstance(node, ast.ClassDef)]
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, ast.get_docstring(node) or ""
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                yield from ((name, "") for name in own_attributes(node))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, ""
        elif isinstance(node, ast.Assign):
            yield from ((target.id, "") for target in node.targets if isinstance(target, ast.Name))


def own_attributes(making: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(making):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


@pytest.mark.parametrize("face", FACES)
def test_a_page_of_the_reference_is_made_from_each_face(face: str) -> None:
    """It grows by itself."""
    assert f".. automodule:: {face}\n" in (FOLDER / f"{face}.md").read_text("utf-8")


@pytest.mark.parametrize("face", FACES)
def test_every_public_name_is_explained(face: str) -> None:
    """A class or a function by its docstring, anything else by the text below it."""
    bare = [
        name
        for name, thing in list_exports(face).items()
        if not (read_data_docs(face, name) if is_data(name, thing) else thing.__doc__)
    ]
    assert bare == []


@pytest.mark.parametrize("face", FACES)
def test_every_public_attribute_is_explained(face: str) -> None:
    """Methods and properties by their docstrings, fields and attributes of instances too."""
    bare = []
    for name, kind in classes(face):
        explained = said(kind)
        bare += [
            f"{name}.{member}"
            for member, words in members(kind)
            if not (member.startswith("_") or member in explained or words)
        ]
    assert bare == []


FOLDERS = ("how-to", "tutorials", "reference", "explanation")
PUBLIC = {path.stem for path in (ROOT / "docs/reference/python").glob("arena*.md")}
HOOKS = "docs/reference/hooks.md"
PRIVATE = {f"{HOOKS}: arena.plugins", f"{HOOKS}: arena.tournament.formats.seating"}
"""Imports of a page that calls hooks by hand, and describes these classes itself."""

IMPORT = re.compile(r"^(?:>>> |\.\.\. )?\s*(?:from|import) (arena(?:\.\w+)*)\b", re.MULTILINE)


def test_pages_import_from_public_modules_only() -> None:
    """A reader may copy every import: Python's reference has a page for each module."""
    private = {
        f"{page.relative_to(ROOT)}: {module}"
        for folder in FOLDERS
        for page in (ROOT / "docs" / folder).rglob("*.md")
        for module in IMPORT.findall(page.read_text("utf-8"))
        if module not in PUBLIC
    }
    assert private == PRIVATE


WITH_EXAMPLES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "arena").rglob("*.py")
    if ">>> " in path.read_text("utf-8")
)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_hold(name: str) -> None:
    """Each of a module's, and there is one."""
    found = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.attempted
    assert not found.failed
