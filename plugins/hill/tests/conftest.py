"""Fixtures for the tests of a hill: a hill that was played."""

from __future__ import annotations

from tests.support.hill.played_hill import hill, own

__all__ = ["hill", "own"]
