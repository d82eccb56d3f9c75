"""The tests of pages have a browser."""

from __future__ import annotations

from tests.browser import chromium, pages

__all__ = ["chromium", "pages"]
