"""The pictures of the page on rankings are what its commands draw.

`REFRESH_BOOK=1 pytest docs` draws them anew, as it writes what commands print into the pages.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

BOOK = Path(__file__).parent
ARENA = str(Path(sys.executable).parent / "arena")
PICTURES = {"hill.svg": (), "heat.svg": ("--head-to-head",)}


@pytest.fixture(scope="module")
def tournament(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the tournament that the page begins with; return its file."""
    page = (BOOK / "how-to" / "rank-entrants.md").read_text("utf-8")
    found = re.search(r"^:caption: hill\.toml\n\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert found
    file = tmp_path_factory.mktemp("hill") / "hill.toml"
    file.write_text(found[1])
    subprocess.run([ARENA, "tournament", "run", file], capture_output=True, check=True)
    return file


@pytest.mark.parametrize("name", PICTURES)
def test_the_commands_of_the_page_draw_its_pictures(tournament: Path, name: str) -> None:
    """The commands draw the same bytes, since the tournament has a seed."""
    words = [ARENA, "standings", str(tournament), "--format", "svg", *PICTURES[name]]
    drawn = subprocess.run(words, capture_output=True, check=True).stdout
    picture = BOOK / "_static" / name
    if os.environ.get("REFRESH_BOOK"):
        picture.write_bytes(drawn)
    assert picture.read_bytes() == drawn
