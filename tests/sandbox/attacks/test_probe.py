"""`probe_tier` finds what holds, by attacking: nothing is believed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.sandbox import TRUSTED, probe_tier
from arena.sandbox.attacker import ATTEMPTS
from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT

YAMA = Path("/proc/sys/kernel/yama/ptrace_scope")
BY_THE_SYSTEM = {
    "tracing",
    "descriptors of other processes",
}  # where it forbids that to ordinary users


def test_nothing_holds_without_a_sandbox() -> None:
    """So the attacker can be believed where it says that it got nowhere."""
    found = probe_tier(TRUSTED)
    strict = os.getuid() and YAMA.exists() and YAMA.read_text().strip() != "0"
    assert {finding.protection for finding in found if finding.held} <= (
        BY_THE_SYSTEM if strict else {*()}
    )
    assert all(finding.detail for finding in found)


def test_all_holds_in_a_tier_and_nothing_is_left(
    tier: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each protection is tried, the attacker gets nowhere; no file or descriptor stays behind."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    SUPERVISOR_CLIENT.find_shortcomings()  # starts the supervisor, which stays
    before = {path.name for path in Path("/proc/self/fd").iterdir()}
    found = probe_tier(tier)
    assert [finding for finding in found if not finding.held] == []
    assert {finding.protection for finding in found} > {*ATTEMPTS}
    assert {path.name for path in Path("/proc/self/fd").iterdir()} <= before
    assert [*tmp_path.iterdir()] == []
