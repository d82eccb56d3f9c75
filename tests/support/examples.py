"""The examples, copied to where they may be built and played without leaving anything behind."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.support.checkout import ROOT

EXAMPLES = ROOT / "examples"


def copy_examples(folder: Path, matches: int) -> Path:
    """Copy them into a folder, with so many matches and one worker for each; return the copy."""
    copy, few = folder / "examples", f"matches = {matches}\nworkers = 1"
    shutil.copytree(EXAMPLES, copy, ignore=shutil.ignore_patterns("*.db*", "*.arena"))
    for path in (copy / "tournaments").glob("*.toml"):
        path.write_text(re.sub(r"^matches = \d+", few, path.read_text(), flags=re.MULTILINE))
    return copy
