"""Tests of tables, which need not wait for people to see one frame after the other."""

from __future__ import annotations

import pytest

from arena_web.pages import playouts


@pytest.fixture(autouse=True)
def _frames_come_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no pause between two frames of a stream."""
    monkeypatch.setattr("arena_web.http.sse.FRAME_SECONDS", 0.0)


@pytest.fixture(autouse=True)
def _positions_are_played_on_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have chances of winning be estimated by so few games that one sees that it is done."""
    monkeypatch.setattr(playouts, "PLAYOUTS", 10)
    monkeypatch.setattr(playouts, "MIN_PLAYOUTS", 3)
