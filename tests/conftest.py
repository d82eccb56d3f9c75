"""What all tests share: how Hypothesis searches, the checkout, and the `arena` command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from arena.testing import Contract
from tests.support.checkout import ROOT
from tests.support.command import cli, install, mark, quick
from tests.support.tournaments.inline_workers import inline_workers

__all__ = ["cli", "inline_workers", "install", "mark", "quick"]

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("arena", patient, derandomize=True, max_examples=25)  # alike in each run
settings.register_profile("quick", patient, derandomize=True, max_examples=5)
settings.register_profile("explore", patient, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "arena"))
QUICK_GAMES_PER_LAW = 1  # in the profile `quick`
SLOW_IN_CONTRACTS = {
    "test_demo_and_scenarios_are_playable",
    "test_law[bots_play_without_fault]",
    "test_law[the_order_of_sets_does_not_matter]",
}
"""Tests of a contract in which a game's own bots think, or other interpreters are started."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have the contracts of the games take little where the tier is `quick`."""
    for item in items:
        contract = isinstance(item, pytest.Function) and item.cls
        if contract and issubclass(contract, Contract):
            if item.name in SLOW_IN_CONTRACTS:
                item.add_marker(pytest.mark.slow)
            if settings.get_current_profile_name() == "quick":
                contract.max_examples = min(contract.max_examples, QUICK_GAMES_PER_LAW)


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the checkout's folder."""
    return ROOT
