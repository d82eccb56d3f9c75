"""The pages import only names that the reference lists, from the module that it lists them in."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
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
