"""The folder of the checkout that the tests read examples, pages and templates from."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
