"""A day of an open hill, shortened: who means well comes in, who does not is refused or contained."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.hill.day import day
from tests.support.hill.day_host import FAULTS
from tests.support.requirements import require
from tests.support.sandboxes.memory_disks import mount_disk

SUBMISSIONS = 3  # `python -m tests.support.hill.day 40 3600` has forty in an hour


@pytest.mark.release
def test_a_day_of_an_open_hill(tmp_path: Path) -> None:
    """A third of what is sent is hostile, somebody floods, and nobody sees what is not theirs."""
    require("cc")
    with mount_disk(tmp_path / "disk") as disk:
        seen = day(disk, SUBMISSIONS, 0.0)
    assert seen.submissions == SUBMISSIONS
    assert len(seen.waits) == 2 * SUBMISSIONS / 3
    assert (seen.left_out, seen.let_in, seen.unexplained) == ([], [], [])
    assert (seen.found, seen.problems) == ([], [])
    assert {*seen.health} == {*FAULTS}
    assert seen.refused
    assert seen.answered  # how much of a flood is refused depends on how quick it can be
    assert seen.busy
    assert seen.matches
