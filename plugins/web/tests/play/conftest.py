"""Tests of tables, which need not wait for people to see one frame after the other."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _frames_come_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no pause between two frames of a stream."""
    monkeypatch.setattr("arena_web.http.sse.FRAME_SECONDS", 0.0)
