"""Fixtures for the tests of plugins: one browser for all of them, and the command line."""

from __future__ import annotations

from tests.support.command import cli, install, mark, quick
from tests.support.tournaments.inline_workers import inline_workers
from tests.support.tournaments.quick_commits import quick_commits
from tests.support.web.browser import chromium, pages

__all__ = [
    "chromium", "cli", "inline_workers", "install", "mark", "pages", "quick", "quick_commits",
]  # fmt: skip
