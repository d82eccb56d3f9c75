"""The environment of a program in a sandbox."""

from __future__ import annotations

import sys
from pathlib import Path

from arena.host import run_in_sandbox
from arena.sandbox import Sandbox
from tests.support.programs import TIMEOUT
from tests.support.sandboxes.tiers import tier

__all__ = ["tier"]

SHOW = "import os, sys; print(*sorted(os.environ), file=sys.stderr)"


def test_the_environment_is_what_the_book_says(tmp_path: Path, tier: str) -> None:
    """A program finds four variables, and none that the sandbox itself has set on the way."""
    words = [sys.executable, "-c", SHOW]
    ran = run_in_sandbox(words, tmp_path, Sandbox(tier), TIMEOUT)
    assert (ran.problem, ran.stderr) == ("", "HOME LANG PATH TMPDIR\n")
