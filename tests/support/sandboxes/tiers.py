"""The tiers that hold on the machine that tests, and bots that are built and played in them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.sandbox import LANDLOCK, NAMESPACES
from arena.sandbox.installations import find_interpreters
from arena.sandbox.processes.program_keeper import _is_open_to_all
from tests.support.requirements import require_tier

SANDBOXES = (NAMESPACES, LANDLOCK)

PLAYS = """
import os, sys
print("made", open(os.path.join(sys.path[0], "made")).read(), "in", os.getcwd(), file=sys.stderr)
open("note", "w").write("mine")
for line in sys.stdin:
    if line.startswith("Competition"):
        print(line.split()[-1], flush=True)
"""
"""Bids the prize's own value, writes where it works, and says where that is."""


@pytest.fixture(params=SANDBOXES)
def tier(request: pytest.FixtureRequest) -> str:
    """Return each tier that holds; skip, with the reason, one that does not."""
    name: str = request.param
    require_tier(name)
    return name


def mainly(tier: str) -> pytest.MarkDecorator:
    """Mark a test of what is alike in each tier: others than this one are tried in a release."""
    return pytest.mark.parametrize(
        "tier",
        [pytest.param(name, marks=[pytest.mark.release] * (name != tier)) for name in SANDBOXES],
        indirect=True,
    )


def skip_where_hidden(tier: str, compiler: str) -> None:
    """Skip a build behind Landlock with a compiler in somebody's home.

    A program may open and start what is there, and access(2) still says that it may not.
    """
    for folder in find_interpreters([shutil.which(compiler) or ""])[:1]:
        if tier == LANDLOCK and not _is_open_to_all(folder):
            pytest.skip(f"{folder} is below a folder that not everybody may search")


def write_built_bot(folder: Path, name: str = "mine", **more: str) -> str:
    """Write a folder with a bot that has to be built; return what it is called."""
    home = folder / name
    home.mkdir()
    lines = {"name": name, "command": "python3 bot.py", "build": "sh -c 'echo $PWD > made'", **more}
    text = "".join(f'{key} = "{value}"\n' for key, value in lines.items())
    (home / "bot.toml").write_text(text)
    (home / "bot.py").write_text(PLAYS)
    return name
