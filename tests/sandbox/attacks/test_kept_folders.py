"""A bot that spoils the folder that it keeps spoils nobody's match but its own."""

from __future__ import annotations

import pytest

from arena.sandbox import LANDLOCK, NAMESPACES
from tests.sandbox.attacks.programs.spoilers import play_spoilers


@pytest.mark.parametrize(
    "tier", [NAMESPACES, pytest.param(LANDLOCK, marks=pytest.mark.release)], indirect=True
)  # ordinary users play them in both
def test_a_spoilt_folder_is_its_bots_own_fault(
    tier: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """No match is void, nobody else has a verdict, and no sandbox complains."""
    assert play_spoilers(tier) == []
    assert capfd.readouterr().err == ""
