"""Programs that harm nobody, and start children all the time, are never taken for attackers."""

from __future__ import annotations

import pytest

from tests.support.sandboxes.innocents import play

MATCHES = 4  # each plays one


def test_innocents_get_no_verdict(tier: str) -> None:
    """Programs in seven languages start children all the time, and none is refused one."""
    found = play(tier, MATCHES)
    assert (found.matches, found.wrong) == (MATCHES, {})
    if found.missing:
        pytest.skip(f"all but these were played: {', '.join(found.missing)}")
