"""What all tests share: how Hypothesis searches, the checkout, and the `arena` command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.checkout import ROOT
from tests.support.command import cli, install, mark, quick

__all__ = ["cli", "install", "mark", "quick"]

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("arena", patient, derandomize=True)  # a run is as the run before
settings.register_profile("quick", patient, derandomize=True, max_examples=10)
settings.register_profile("explore", patient, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "arena"))


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the checkout's folder."""
    return ROOT
