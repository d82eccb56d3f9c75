"""Innocent programs in many languages do in a sandbox what they do outside of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.sandbox.attacks.programs.idioms import IDIOMS, Idioms, find_expected
from tests.support.sandboxes.tiers import skip_where_hidden


@pytest.mark.each("idioms", "tier")
@pytest.mark.parametrize("idioms", IDIOMS, ids=lambda idioms: idioms.language)
def test_what_people_use_works(tmp_path: Path, idioms: Idioms, tier: str) -> None:
    """But for what the page on security says, which would be news if it worked."""
    if shutil.which(idioms.needs) is None:
        pytest.skip(f"{idioms.needs} is not on this machine: {idioms.language} was not tried")
    if idioms.build:
        skip_where_hidden(tier, idioms.needs)
    failed = idioms.try_all(tmp_path, tier)
    expected = {name for name in find_expected(tier) if name.startswith(f"{idioms.language}:")}
    assert failed.keys() == expected, failed
