"""The tests of pages have a browser, those of a hill the command line."""

from __future__ import annotations

from tests.browser import chromium, pages
from tests.conftest import cli, mark

__all__ = ["chromium", "cli", "mark", "pages"]
