"""Many matches at once: nobody is wronged, nobody escapes, nothing is left."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.sandboxes.crowd import GOOD, crowd, simple_cast, working_in
from tests.support.sandboxes.crowd_load import load
from tests.support.sandboxes.tiers import tier

__all__ = ["tier"]
SECONDS = 0.5
AT_ONCE = 6


@pytest.mark.each("crowded", "tier")
@pytest.mark.parametrize(
    "crowded", [False, pytest.param(True, marks=pytest.mark.release)], ids=["a few", "a full house"]
)
def test_a_crowd_is_contained(tier: str, crowded: bool) -> None:
    """Well- and ill-behaved programs get what they have earned, also on a machine that is full."""
    with TemporaryDirectory() as folder, working_in(Path(folder, "room")) as room:
        Path(folder).chmod(0o755)
        cast = simple_cast(tier, Path(folder))
        done = crowd(cast, room, SECONDS) if crowded else crowd(cast, room, 0.0, AT_ONCE)
    assert not done.wrong, done
    assert done.verdicts[GOOD, None] > 0


@pytest.mark.release
def test_innocents_and_attackers_play_at_once(tier: str) -> None:
    """A short load of everybody there is: no escape, no false verdict, nothing left."""
    found = load(tier, SECONDS, AT_ONCE)
    assert found["wrong"] == []
    assert found["matches"] >= AT_ONCE
