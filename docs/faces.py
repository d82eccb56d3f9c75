"""The public faces of the arena, for the reference: what they export, and where it is assigned.

Sphinx finds the words below an assignment only in the module that it documents, and a face has
its names from other modules. As an extension this finds them there, and warns of each public
name that no page shows: automodule leaves out what is assigned elsewhere (`.. autodata::`).
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.pycode import ModuleAnalyzer
from sphinx.util import logging

FACES = (
    "arena", "arena.bot", "arena.cards", "arena.check", "arena.search", "arena.study",
    "arena.testing", "arena.host", "arena.tournament",
)  # fmt: skip


def list_exports(face: str) -> dict[str, Any]:
    """Return the objects that a face exports, by name."""
    module = importlib.import_module(face)
    return {name: getattr(module, name) for name in getattr(module, "__all__", ())}


def is_data(name: str, thing: object) -> bool:
    """Whether a name is assigned, rather than a class or function of that name."""
    plain = inspect.unwrap(thing) if callable(thing) else thing
    own = getattr(plain, "__name__", name) == name
    return not (own and (inspect.isfunction(plain) or inspect.isclass(plain)))


def read_data_docs(face: str, name: str) -> list[str]:
    """Return the lines below the assignment of a name that a face exports, wherever it is."""
    found = ModuleAnalyzer.for_module(_find_module(face, name)).find_attr_docs()
    return found.get(("", name), [])


def _find_module(face: str, name: str) -> str:
    """Return the module that assigns a name that a face exports, by the stubs on the way."""
    source = Path(str(importlib.import_module(face).__file__))
    stub = source.with_suffix(".pyi")
    text = (stub if stub.exists() else source).read_text("utf-8")
    place = rf"^from (?:{re.escape(face)})?\.([\w.]+) import .*\b{name}\b"
    found = re.search(place, text, re.MULTILINE)
    if not found:
        return face
    package = face if source.stem == "__init__" else face.rpartition(".")[0]
    return _find_module(f"{package}.{found[1]}", name)


def _insert_docs(
    _: Sphinx, what: str, name: str, thing: object, __: object, lines: list[str]
) -> None:
    face, _dot, own = name.rpartition(".")
    if what != "module" and face in FACES and is_data(own, thing):
        lines[:] = read_data_docs(face, own)


def _warn_of_missing_names(_: Sphinx, env: BuildEnvironment) -> None:
    """Warn of each public name that has no entry in the reference."""
    found = env.get_domain("py").get_objects()
    shown = {entry[0] for entry in found}
    for face in FACES:
        for name in list_exports(face):
            if f"{face}.{name}" not in shown and f"arena.{name}" not in shown:
                logging.getLogger(__name__).warning("%s.%s is not in the reference", face, name)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("autodoc-process-docstring", _insert_docs)
    app.connect("env-check-consistency", _warn_of_missing_names)
    return {"parallel_read_safe": True}
