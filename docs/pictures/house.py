"""Draws the house: the rooms of `arena/` from top to bottom, and which of them each one imports.

    python -m docs.pictures.house        # writes docs/_static/house.svg

The picture is made from the imports as import-linter sees them, and from the first line of each
room's docstring. A test compares it with the tree.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Mapping
from html import escape
from math import sqrt
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "_static" / "house.svg"
LAYERS = "In the core imports run one way"  # the contract that lists the rooms, top to bottom
ROW, NAMES, WORDS, LEFT, TOP = 30, 130, 530, 12, 118  # pixels
LARGEST = 11  # pixels, the radius of a dot
CAPTION = ("What is in arena/: each imports only what is below it.",
           "The more of its modules do, the larger is the dot.")  # fmt: skip
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.room { font: bold 13px ui-monospace, monospace }
.words { fill: #57606a }
.row { fill: #f6f8fa; stroke: #d0d7de }
.dot { fill: #0969da }
.cell { fill: none; stroke: #d0d7de }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .words { fill: #9da7b3 } .row { fill: #161b22; stroke: #30363d }
  .dot { fill: #58a6ff } .cell { stroke: #30363d }
}"""


def rooms() -> list[str]:
    """Return the rooms from top to bottom, as the contract on imports lists them."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (layers,) = [one["layers"] for one in contracts if one["name"] == LAYERS]
    return [room.strip() for layer in layers for room in layer.split(":")]


def arrows() -> dict[tuple[str, str], int]:
    """Return how many modules of one room import something of another."""
    graph = grimp.build_graph("arena", exclude_type_checking_imports=True, cache_dir=None)
    pairs = {
        (module, _room(found))
        for module in graph.modules
        for found in graph.find_modules_directly_imported_by(module)
        if _room(module) != _room(found)
    }
    counted = [(_room(module), other) for module, other in sorted(pairs)]
    return {pair: counted.count(pair) for pair in sorted(set(counted))}


def purpose(room: str) -> str:
    """Return what the first line of a room's docstring begins with, up to a colon or a stop."""
    path = ROOT / "arena" / room / "__init__.py"
    source = path if path.exists() else path.parent.with_suffix(".py")
    words = ast.get_docstring(ast.parse(source.read_text("utf-8"))) or ""
    return re.split(r"[:.\n]", words)[0].replace("`", "")


def drawn(order: list[str], imports: Mapping[tuple[str, str], int]) -> str:
    """Return the picture as SVG: a row for each room, a dot for each room that it imports."""
    width, height = LEFT * 2 + WORDS + ROW * len(order) + ROW, TOP + ROW * len(order) + LEFT
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    label = f'role="img" aria-label="{" ".join(CAPTION)}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {label}>', f"<style>{STYLE}</style>"]
    for line, words in enumerate(CAPTION):
        down = TOP - ROW - 18 + 20 * line
        parts.append(f'<text class="words" x="{LEFT}" y="{down}">{words}</text>')
    for column, room in enumerate(order[1:], 1):  # nothing imports the first
        place = f"translate({_across(column) + 4} {TOP - 8}) rotate(-60)"
        parts.append(f'<text class="room" transform="{place}">{room}</text>')
    for row, room in enumerate(order):
        parts += [*_head(row, room), *_cells(row, order, imports)]
    return "\n".join([*parts, "</svg>", ""])


def _across(column: int) -> int:
    return LEFT + WORDS + ROW * column - ROW // 2


def _head(row: int, room: str) -> list[str]:
    down = TOP + ROW * row
    text, size = f'y="{down + ROW // 2 + 4}"', f'width="{WORDS - 8}" height="{ROW - 4}"'
    return [
        f'<rect class="row" x="{LEFT}" y="{down + 2}" {size} rx="4"/>',
        f'<text class="room" x="{LEFT + 10}" {text}>{room}</text>',
        f'<text class="words" x="{LEFT + NAMES}" {text}>{escape(purpose(room))}</text>',
    ]


def _cells(row: int, order: list[str], imports: Mapping[tuple[str, str], int]) -> list[str]:
    """Draw a square for each room below, and a dot in those that are imported."""
    parts, room, down = [], order[row], TOP + ROW * row
    for column, other in enumerate(order):
        across, count = _across(column), imports.get((room, other), 0)
        if column > row:
            left, top = across - ROW // 2, down
            parts.append(f'<rect class="cell" x="{left}" y="{top}" width="{ROW}" height="{ROW}"/>')
        if count:
            parts.append(
                f'<circle class="dot" cx="{across}" cy="{down + ROW // 2}" r="{_radius(count)}">'
                f"<title>{room} imports {other}: {count} modules</title></circle>"
            )
    return parts


def _radius(count: int) -> int:
    """Return a dot's radius in pixels: its area grows with the modules, up to the largest."""
    return min(LARGEST, 3 + round(1.6 * sqrt(count - 1)))


def _room(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def picture() -> str:
    """Return the picture of the house as it stands."""
    return drawn(rooms(), arrows())


if __name__ == "__main__":
    FILE.write_text(picture(), "utf-8")
