"""Programs that harm nobody are never taken for attackers, and do what they do outside of a sandbox."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.sandbox import NAMESPACES
from tests.sandbox.attacks.programs.idioms import IDIOMS, Idioms, find_expected
from tests.sandbox.attacks.programs.spoilers import play_spoilers
from tests.support.sandboxes.innocents import play
from tests.support.sandboxes.tiers import mainly, skip_where_hidden

MATCHES = 4  # in which each plays once


@pytest.mark.each("match", "tier")
@pytest.mark.parametrize("match", range(MATCHES))
def test_innocents_get_no_verdict(tier: str, match: int) -> None:
    """Programs in seven languages start children all the time, and none is refused one."""
    found = play(tier, 1, concurrent=1, first=match)
    assert (found.matches, found.wrong) == (1, {})
    if found.missing:
        pytest.skip(f"all but these were played: {', '.join(found.missing)}")


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


@mainly(NAMESPACES)  # an ordinary user plays them behind Landlock
def test_a_spoilt_folder_is_its_bots_own_fault(
    tier: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """No match is void, nobody else has a verdict, and no sandbox complains."""
    assert play_spoilers(tier) == []
    assert capfd.readouterr().err == ""
