"""Writes down the public interface as it is in the code: what authors of games and bots import.

`REFRESH_BOOK=1 pytest tests/test_interface.py` writes it into its page; otherwise a test compares the two.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from itertools import pairwise
from types import ModuleType
from typing import Any

MODULES = ("arena", "arena.bot", "arena.cards", "arena.testing")
OWN = "arena"


def interface() -> str:
    """Give all public modules, each with its names, as a page of tables."""
    return "\n".join(_module(importlib.import_module(name)) for name in MODULES)


def _module(module: ModuleType) -> str:
    rows = [_row(module, name) for name in sorted(module.__all__, key=str.casefold)]
    head = ["| name | what it is | what it has |", "| --- | --- | --- |"]
    return "\n".join([f"## `{module.__name__}`", "", *head, *rows, ""])


def _row(module: ModuleType, name: str) -> str:
    thing = getattr(module, name)
    own = getattr(thing, "__module__", "").startswith(OWN) and callable(thing)
    text = inspect.getdoc(thing) if own else _below(module, name)
    summary = " ".join((text or "").partition("\n\n")[0].split())
    called = _call(thing) if own and inspect.isfunction(thing) else ""
    members = _members(thing) if own and inspect.isclass(thing) else ()
    shown = ", ".join(f"`{member}`" for member in members)
    return f"| `{name}{called}` | {summary} | {shown} |"


def _call(thing: Any) -> str:
    """Give the names of a function's arguments, and a `=` where one may be left out."""
    some = inspect.signature(thing).parameters.values()
    names = [one.name if one.default is one.empty else f"{one.name}=" for one in some]
    return f"({', '.join(name for name in names if name not in ('self', 'cls'))})"


def _members(kind: type) -> Iterator[str]:
    """Give a class's fields, and its public methods."""
    for field in getattr(kind, "__attrs_attrs__", ()):
        if field.init and not field.name.startswith("_"):
            yield field.name
    if not hasattr(kind, "__attrs_attrs__"):
        yield from (name for name in inspect.get_annotations(kind) if not name.startswith("_"))
    for name, one in vars(kind).items():
        if name.startswith(("_", "test_")):
            continue
        if inspect.isfunction(one) or isinstance(one, classmethod):
            yield f"{name}{_call(getattr(kind, name))}"
        elif isinstance(one, property):
            yield name


def _below(module: ModuleType, name: str) -> str:
    """Give the text that stands below an assignment, wherever in the arena it is made."""
    body = ast.parse(inspect.getsource(module)).body
    for node, after in pairwise(body):
        match node, after:
            case ast.ImportFrom(module=str(source), names=names), _:
                if source.startswith(OWN) and name in [one.name for one in names]:
                    return _below(importlib.import_module(source), name)
            case (
                ast.Assign(targets=[ast.Name(id=found)]) | ast.AnnAssign(target=ast.Name(id=found)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ) if found == name:
                return text
    return ""


if __name__ == "__main__":
    print(interface())  # noqa: T201
