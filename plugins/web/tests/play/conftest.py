"""Tests of tables, which need not wait for people to see one frame after the other."""

from __future__ import annotations

import pytest

from arena_web import hints
from arena_web.play import presence
from arena_web.review import weighing


@pytest.fixture(autouse=True)
def _frames_come_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no pause between two frames of a stream."""
    monkeypatch.setattr("arena_web.http.sse.FRAME_SECONDS", 0.0)


@pytest.fixture(autouse=True)
def _presence_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no pause before the others are told who has come or gone."""
    monkeypatch.setattr(presence, "PRESENCE_SECONDS", 0.0)


@pytest.fixture(autouse=True)
def _positions_are_played_on_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have chances be estimated by few playouts, and taken for what they seem to be."""
    monkeypatch.setattr(hints, "HINT_PLAYOUTS", 20)
    monkeypatch.setattr(weighing, "ROUGH_PLAYOUTS", 4)
    monkeypatch.setattr(weighing, "PLAYOUTS", 40)
    monkeypatch.setattr(weighing, "CONFIDENCE", 0)
