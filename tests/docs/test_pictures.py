"""The pictures in the README and the book show what commands print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.refresh import explain_refresh, is_refreshing
from tests.support.terminal_pictures import FOLDER, PICTURES, Picture, mask_measurements, read

pytestmark = pytest.mark.slow  # runs the commands of each picture

ROOT = FOLDER.parent.parent
SHOWN = re.compile(r"!\[[^]]*\]\((?:[\w./]*/)?_static/([\w-]+)\.svg\)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which the commands of all pictures are run, each of them once."""
    return tmp_path_factory.mktemp("pictures")


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_shows_what_its_commands_print(picture: Picture, folder: Path) -> None:
    """All that is drawn is what is printed now, except for what is measured."""
    lines = picture.taken(folder)
    if is_refreshing() and mask_measurements(read_file(picture)) != mask_measurements(lines):
        picture.path.write_text(picture.drawn(lines), "utf-8")
    expected = mask_measurements(read_file(picture))
    assert expected == mask_measurements(lines), explain_refresh(__file__)


def read_file(picture: Picture) -> list[str]:
    return read(picture.path.read_text("utf-8")) if picture.path.exists() else []


def test_what_is_drawn_can_be_read() -> None:
    """The reading gives the lines back: blanks, signs that XML escapes, and frames."""
    lines = [
        "$ arena x",
        "",
        "  a <b> & c   \u2502 d",
        "\u2514\u2500\u2500\u2518",
        "5\u2660 counter calls BS",
    ]
    assert read(PICTURES[0].drawn(lines)) == lines


def test_every_picture_is_shown() -> None:
    """Each has its place on a page, and each place a picture that a test draws."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    texts = (page.read_text("utf-8") for page in pages if "_build" not in page.parts)
    shown = {name for text in texts for name in SHOWN.findall(text)}
    elsewhere = {"heat", "hill", "house", "house-hill", "house-tournament", "house-web"}
    elsewhere |= {"gops-first-bids", "gops-leads"}
    """Drawn by examples (docs/conftest.py), docs/pictures/house.py and benchmarks/gops/results.py."""
    assert shown - elsewhere == {picture.name for picture in PICTURES}


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_is_small_and_fetches_nothing(picture: Picture) -> None:
    """It loads with the page, and asks nobody for a font."""
    drawn = picture.path.read_text("utf-8")
    assert len(drawn.encode()) < 100_000
    assert drawn.count("http") == drawn.count("http://www.w3.org/2000/svg")


def test_a_moving_picture_begins_with_all_lines() -> None:
    """Programs that show only the first frame show the whole picture."""
    (picture,) = [picture for picture in PICTURES if picture.moves]
    rules = re.findall(r"@keyframes \S+ (.*)", picture.path.read_text("utf-8"))
    assert len(rules) == len(read_file(picture))
    assert all(re.match(r"\{ 0%, \S+% \{ opacity: 1; \}", rule) for rule in rules)
