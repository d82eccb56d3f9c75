"""A hundred matches at once: nobody is wronged, nobody escapes, nothing is left."""

from __future__ import annotations

from tests.crowd import GOOD, crowd
from tests.sandboxed import tier

__all__ = ["tier"]
SECONDS = 1.0


def test_a_crowd_is_contained(tier: str) -> None:
    """Well- and ill-behaved programs get what they have earned, on a machine that is full."""
    done = crowd(tier, SECONDS)
    assert done.void == {}
    assert done.unearned == {}
    assert done.verdicts[GOOD, None] > 0
    assert not any(done.left.values()), done.left
