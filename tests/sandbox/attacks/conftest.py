"""What tests of attacks share: a host to attack, and the tiers that hold."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.sandbox import LANDLOCK, find_obstacle
from tests.sandbox.attacks.programs.attack import TIERS
from tests.sandbox.attacks.programs.scene import Scene, scene
from tests.support.requirements import require_sandbox
from tests.support.sandboxes.warm import WARM, warm_starts


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


@pytest.fixture(params=[*TIERS, WARM])
def tier(request: pytest.FixtureRequest, lacking: dict[str, str]) -> Iterator[str]:
    """Return each tier that holds; Landlock a second time, with warm starts."""
    found = LANDLOCK if request.param == WARM else str(request.param)
    if lacking[found]:
        pytest.skip(lacking[found])
    with warm_starts(on=request.param == WARM):
        yield found
