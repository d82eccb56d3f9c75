"""Programs that harm nobody, and start children all the time, are never taken for attackers."""

from __future__ import annotations

import pytest

from tests.support.sandboxes.innocents import play

MATCHES = 4  # in which each plays once


@pytest.mark.each("match", "tier")
@pytest.mark.parametrize("match", range(MATCHES))
def test_innocents_get_no_verdict(tier: str, match: int) -> None:
    """Programs in seven languages start children all the time, and none is refused one."""
    found = play(tier, 1, concurrent=1, first=match)
    assert (found.matches, found.wrong) == (1, {})
    if found.missing:
        pytest.skip(f"all but these were played: {', '.join(found.missing)}")
