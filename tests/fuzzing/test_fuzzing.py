"""A bounded time of atheris for all that reads strangers' bytes; longer by hand."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.programs import TIMEOUT

RUNS = {"lines": 1_000, "answers": 75, "transcripts": 20}


@pytest.mark.skipif(
    find_spec("atheris") is None, reason="atheris has no wheel for this machine or this Python"
)
def test_garbage_is_an_error_of_ours(root: Path, tmp_path: Path) -> None:
    """Never another exception."""
    words = [*(f"{target}={runs}" for target, runs in RUNS.items()), "-seed=1", "-max_len=2000"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.fuzzers", *words, f"-artifact_prefix={tmp_path}/"],
        cwd=root, capture_output=True, text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    assert all(f"Done {runs} runs" in done.stderr for runs in RUNS.values())
