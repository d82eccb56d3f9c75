"""Tests of pages, which need not be as sure of what answers are worth as pages are."""

from __future__ import annotations

import pytest

from arena_web.review import weighing


@pytest.fixture(autouse=True)
def _few_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have reviews play on a few times: it is enough to see that something is said."""
    monkeypatch.setattr(weighing, "ROUGH_PLAYOUTS", 8)
    monkeypatch.setattr(weighing, "PLAYOUTS", 60)
