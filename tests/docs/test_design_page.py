"""The page on the design shows the house as it is: its picture, its rooms, and the walks through them."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from docs.pictures.house import ARCHITECTURES, ARENA, STATIC, Architecture
from tests.support.refresh import explain_refresh, is_refreshing

pytestmark = pytest.mark.slow  # parses each module of the house

BOTTOM = "rules"
FILES = {"__main__", "pytest_plugin"}  # beside the rooms, and named with one of them


@pytest.fixture(scope="module")
def page() -> str:
    return (STATIC.parent / "explanation" / "design.md").read_text("utf-8")


def section(page: str, heading: str) -> str:
    _, found, rest = page.partition(f"{heading}\n")
    assert found, heading
    return rest.split("\n#")[0]


def walk(page: str, heading: str) -> list[str]:
    return re.findall(r"\*\*`(\w+)`\*\*", section(page, heading))


def floors(walked: list[str]) -> list[int]:
    """Return on which floor each room of a walk is, counted from the top."""
    order = ARENA.parts
    return [order.index(room) for room in walked]


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda found: found.package)
def test_the_picture_is_the_trees(architecture: Architecture, page: str) -> None:
    """The page shows each package's parts, what the first line of each says, and each import."""
    drawn = architecture.draw()
    if is_refreshing():
        architecture.path.write_text(drawn, "utf-8")
    assert architecture.path.read_text("utf-8") == drawn, explain_refresh(__file__)
    assert f"(../_static/{architecture.file})" in page


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda found: found.package)
def test_imports_are_seen_and_run_down(architecture: Architecture) -> None:
    """No dot is above the diagonal, and the picture has dots."""
    order = architecture.parts
    assert len(architecture.imports) >= len(order)
    assert all(order.index(part) < order.index(other) for part, other in architecture.imports)


def test_the_table_says_what_stands_in_each_room(page: str) -> None:
    """In a row of its own, except for the two files that belong to a room."""
    named = re.findall(r"^\| `(\w+)/?` \|", section(page, "## The house"), re.MULTILINE)
    assert sorted(named) == sorted({*ARENA.parts} - FILES)


def test_what_the_table_says_is_there(page: str, root: Path) -> None:
    """Each module stands in the room in whose row it is named."""
    rows = re.findall(r"^\| `(\w+)/` \| (.*) \|$", section(page, "## The house"), re.MULTILINE)
    for room, words in rows:
        for name in {*re.findall(r"`(\w+)/?`", words)} - FILES:
            place = root / "arena" / room / name
            assert place.is_dir() or place.with_suffix(".py").exists(), place


def test_the_walk_of_a_bid_goes_down_to_the_rules_and_up(page: str) -> None:
    """Each room is named once, and each step follows the imports."""
    walked = walk(page, "### The walk of a bid")
    lowest = walked.index(BOTTOM)
    down, up = floors(walked[: lowest + 1]), floors(walked[lowest:])
    assert all(level < other for level, other in pairwise(down))
    assert all(level > other for level, other in pairwise(up))
    assert len({*walked}) == len(walked) >= 5


def test_the_walk_of_a_tournaments_file_goes_down(page: str) -> None:
    """Each room is named once, from the command line to the rules."""
    walked = walk(page, "### The walk of a tournament's file")
    assert walked[0] == "cli"
    assert walked[-1] == BOTTOM
    assert all(level < other for level, other in pairwise(floors(walked)))


@pytest.mark.parametrize(
    "heading", ["### The walk of a bid", "### The walk of a tournament's file"]
)
def test_the_files_of_a_walk_are_there(page: str, heading: str, root: Path) -> None:
    """In the room whose line names them, and each once in that line."""
    for line in re.split(r"\n(?=\d|\|)", section(page, heading)):
        for room in re.findall(r"\*\*`(\w+)`\*\*", line):
            for file in re.findall(r"`([\w/]+(?:\.py|/))`", line):
                assert (root / "arena" / room / file).exists(), f"{room}: {file}"
