"""What tests expect in files: pages, pictures, prompts, playthroughs; they write it, if asked."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.checkout import ROOT

VARIABLE = "REFRESH"
"""The environment variable with which tests write down what they find now."""


def is_refreshing() -> bool:
    """Whether tests write down what they find, instead of comparing it with what they expect."""
    return VARIABLE in os.environ


def explain_refresh(test: str | Path) -> str:
    """Say how a test, named by its file or by its path, writes down what it finds."""
    path = Path(test)
    shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    return (
        f"if you meant this change, write it down with {VARIABLE}=1 .venv/bin/pytest {shown}, and"
        " look at the difference"
    )
