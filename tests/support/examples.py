"""The examples, copied to where they may be built and played without leaving anything behind."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.support.checkout import ROOT

EXAMPLES = ROOT / "examples"


def copy_examples(folder: Path, matches: int) -> Path:
    """Copy them into a folder, with so many matches for each tournament; return the copy."""
    copy = folder / "examples"
    shutil.copytree(EXAMPLES, copy, ignore=shutil.ignore_patterns("*.db*", "*.arena"))
    for path in (copy / "tournaments").glob("*.toml"):
        path.write_text(
            re.sub(r"^matches = \d+", f"matches = {matches}", path.read_text(), flags=re.MULTILINE)
        )
    return copy
