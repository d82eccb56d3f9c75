"""As an ordinary user, where the tests run as root: the tiers hold there, too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import arena
from tests.attacks.attack import TIERS

USER = 20_001  # nobody in particular
PROBE = """
import json
from arena.sandbox import examine, why_not
tiers = {tiers!r}
print(json.dumps({{tier: why_not(tier) or [one.protection for one in examine(tier) if not one.held]
                  for tier in tiers}}))
"""
VERSION = "import sys, attrs, arena; print(sys.version_info[:2])"


@pytest.fixture
def python() -> Iterator[str]:
    """Return an interpreter of ours that every user may run, and that finds the arena."""
    if os.getuid() != 0:
        pytest.skip("the other tests run as an ordinary user already")
    system = "/usr/bin/python3"
    if not Path(system).exists():
        pytest.skip(f"there is no {system}, which every user may run")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        subprocess.run([system, "-m", "venv", "--without-pip", f"{folder}/venv"], check=True)
        (packages,) = Path(folder).glob("venv/lib/*/site-packages")
        found = [path for path in sys.path if path.endswith("site-packages")]
        ours = str(Path(arena.__file__).parents[1])
        (packages / "ours.pth").write_text("\n".join([*found, ours]))
        interpreter = f"{folder}/venv/bin/python"
        tried = run(interpreter, VERSION)
        if tried.stdout.strip() != str(sys.version_info[:2]):
            pytest.skip(
                f"{system} cannot import what runs here: {(tried.stderr or '?').splitlines()[-1]}"
            )
        yield interpreter


def run(interpreter: str, text: str) -> subprocess.CompletedProcess[str]:
    """Run some Python as that user."""
    return subprocess.run(
        [interpreter, "-B", "-I", "-c", text], user=USER, group=USER, extra_groups=[], cwd="/",
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def test_the_tiers_hold_for_an_ordinary_user(python: str) -> None:
    """Each that there is, and there is one."""
    done = run(python, PROBE.format(tiers=TIERS))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [] in found.values(), found
    assert all(isinstance(one, str) or one == [] for one in found.values()), found
