"""A bounded time of atheris for all that reads strangers' bytes; longer by hand."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.programs import TIMEOUT

RUNS = {"lines": 2_000, "answers": 150, "transcripts": 40}
needs_atheris = pytest.mark.skipif(
    find_spec("atheris") is None, reason="atheris has no wheel for this machine or this Python"
)


@needs_atheris
@pytest.mark.parametrize("target", RUNS)
def test_garbage_is_an_error_of_ours(root: Path, tmp_path: Path, target: str) -> None:
    """Never another exception."""
    words = [f"-runs={RUNS[target]}", "-seed=1", "-max_len=2000", f"-artifact_prefix={tmp_path}/"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.fuzzers", target, *words],
        cwd=root, capture_output=True, text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    assert f"Done {RUNS[target]} runs" in done.stderr
