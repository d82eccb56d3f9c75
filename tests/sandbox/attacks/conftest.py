"""What tests of attacks share: a host to attack, and the tiers that hold."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.sandbox import find_obstacle
from tests.sandbox.attacks.programs.attack import TIERS
from tests.sandbox.attacks.programs.scene import Scene, scene
from tests.support.requirements import require_sandbox


@pytest.fixture
def place() -> Iterator[Scene]:
    """Return a host to attack."""
    with scene() as made:
        yield made


@pytest.fixture(scope="session")
def lacking() -> dict[str, str]:
    """Return why a tier does not hold here; "" for each that does."""
    require_sandbox()
    return {tier: find_obstacle(tier) for tier in TIERS}


@pytest.fixture(params=TIERS)
def tier(request: pytest.FixtureRequest, lacking: dict[str, str]) -> str:
    """Return each tier that holds."""
    found = str(request.param)
    if lacking[found]:
        pytest.skip(lacking[found])
    return found
