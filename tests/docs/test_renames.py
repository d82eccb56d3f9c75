"""The renames that the CHANGELOG lists are those that an old name is answered with."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from arena.renames import RENAMED

CHANGELOG = (Path(__file__).parents[2] / "CHANGELOG.md").read_text("utf-8")
ROW = re.compile(r"^\| ([^|]*)\| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
NAME = re.compile(r"`(\w+)`")


def _is_package_with(module: str, name: str) -> bool:
    """Whether a module has another one of this name, which is what is imported then."""
    return hasattr(import_module(module), "__path__") and bool(find_spec(f"{module}.{name}"))


def read_changelog() -> dict[str, dict[str, str]]:
    """Return the names of Python's faces in the table of the CHANGELOG, old to new."""
    renames: dict[str, dict[str, str]] = {}
    module = ""
    for where, before, now in ROW.findall(CHANGELOG.split("### Renamed")[1]):
        module = where.strip("` ") or module
        if module in RENAMED:
            for old, new in zip(NAME.findall(before), NAME.findall(now), strict=False):
                if not _is_package_with(module, old):
                    renames.setdefault(module, {})[old] = new
    return renames


def test_the_changelog_lists_the_renames() -> None:
    """What an old name is answered with stands in the table, and nothing else does."""
    assert read_changelog() == RENAMED


@pytest.mark.parametrize("module", RENAMED)
def test_an_old_name_is_answered_with_the_new_one(module: str) -> None:
    """The new name exists; other names are as unknown as before."""
    face = import_module(module)
    for old, new in RENAMED[module].items():
        assert hasattr(face, new)
        with pytest.raises(ImportError, match=f"^{module}.{old} is now called {new}$"):
            exec(f"from {module} import {old}")  # noqa: S102
    assert not hasattr(face, "no_such_name")
