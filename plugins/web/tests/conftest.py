"""The tests of pages have a browser, those of a hill the command line, and a hill that was played."""

from __future__ import annotations

from tests.browser import chromium, pages
from tests.conftest import cli, mark
from tests.hill_played import hill, own

__all__ = ["chromium", "cli", "hill", "mark", "own", "pages"]
