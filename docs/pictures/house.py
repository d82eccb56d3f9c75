"""Draw the architecture: the parts of a package from top to bottom, and what each of them imports.

    python -m docs.pictures.house        # writes docs/_static/house*.svg

The pictures are made from the imports as import-linter sees them, and from the first line of each
part's docstring. A test compares them with the tree.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Mapping
from functools import cached_property
from html import escape
from importlib.util import find_spec
from math import sqrt
from pathlib import Path

import grimp
from attrs import define

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "docs" / "_static"
ROW, NAMES, WORDS, LEFT, TOP = 30, 150, 600, 12, 138  # pixels
LARGEST = 11  # pixels, the radius of a dot
LEGEND = "The more of its modules do, the larger is the dot."
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


@define(slots=False)
class Architecture:
    """The parts of a package, and the imports between them."""

    package: str
    """Dotted name of the package."""
    contract: str
    """The contract of import-linter that lists its parts, top to bottom."""
    file: str
    """The picture's name in docs/_static."""

    @property
    def path(self) -> Path:
        """The picture."""
        return STATIC / self.file

    @property
    def caption(self) -> tuple[str, str]:
        """The two lines above the picture."""
        folder = self.package.replace(".", "/")
        return f"What is in {folder}/: each part imports only what is below it.", LEGEND

    @cached_property
    def parts(self) -> list[str]:
        """The parts from top to bottom, as the contract on imports lists them."""
        with (ROOT / "pyproject.toml").open("rb") as file:
            contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
        (layers,) = [found["layers"] for found in contracts if found["name"] == self.contract]
        return [part.strip() for layer in layers for part in layer.split(":")]

    @cached_property
    def imports(self) -> dict[tuple[str, str], int]:
        """How many modules of one part import something of another, by the pair of parts."""
        root = self.package.partition(".")[0]
        graph = grimp.build_graph(root, exclude_type_checking_imports=True, cache_dir=None)
        modules = {name for name in graph.modules if name.startswith(f"{self.package}.")}
        pairs = {
            (module, self._part_of(imported))
            for module in modules
            for imported in graph.find_modules_directly_imported_by(module) & modules
            if self._part_of(module) != self._part_of(imported)
        }
        counted = [(self._part_of(module), other) for module, other in sorted(pairs)]
        return {pair: counted.count(pair) for pair in sorted(set(counted))}

    def _part_of(self, module: str) -> str:
        return module.removeprefix(f"{self.package}.").partition(".")[0]

    def find_source(self, part: str) -> Path:
        """Return the file whose docstring says what a part is."""
        spec = find_spec(self.package)
        assert spec
        assert spec.origin
        path = Path(spec.origin).parent / part / "__init__.py"
        return path if path.exists() else path.parent.with_suffix(".py")

    def read_purpose(self, part: str) -> str:
        """Return the beginning of a part's docstring, up to a colon or a full stop."""
        words = ast.get_docstring(ast.parse(self.find_source(part).read_text("utf-8"))) or ""
        return re.split(r"[:.\n]", words)[0].replace("`", "")

    def draw(self) -> str:
        """Return the picture as SVG: a row for each part, a dot for each part that it imports."""
        order = self.parts
        width, height = LEFT * 2 + WORDS + ROW * len(order) + ROW, TOP + ROW * len(order) + LEFT
        size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        label = f'role="img" aria-label="{" ".join(self.caption)}"'
        lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {label}>']
        lines.append(f"<style>{STYLE}</style>")
        for number, words in enumerate(self.caption):
            down = TOP - ROW - 18 + 20 * number
            lines.append(f'<text class="words" x="{LEFT}" y="{down}">{words}</text>')
        for column, part in enumerate(order[1:], 1):  # nothing imports the first
            place = f"translate({_across(column) + 4} {TOP - 8}) rotate(-60)"
            lines.append(f'<text class="room" transform="{place}">{part}</text>')
        for row, part in enumerate(order):
            lines += _draw_head(row, part, self.read_purpose(part))
            lines += _draw_cells(row, order, self.imports)
        return "\n".join([*lines, "</svg>", ""])


ARENA = Architecture("arena", "In the core imports run one way", "house.svg")
WEB = Architecture("arena_web", "In the web pages imports run one way", "house-web.svg")
HILL = Architecture("arena_hill", "In the open hill imports run one way", "house-hill.svg")
TOURNAMENT = Architecture(
    "arena.tournament", "In tournaments imports run one way", "house-tournament.svg"
)
ARCHITECTURES = (ARENA, TOURNAMENT, WEB, HILL)


def _across(column: int) -> int:
    return LEFT + WORDS + ROW * column - ROW // 2


def _draw_head(row: int, part: str, purpose: str) -> list[str]:
    """Draw a part's name and purpose."""
    down = TOP + ROW * row
    text, size = f'y="{down + ROW // 2 + 4}"', f'width="{WORDS - 8}" height="{ROW - 4}"'
    return [
        f'<rect class="row" x="{LEFT}" y="{down + 2}" {size} rx="4"/>',
        f'<text class="room" x="{LEFT + 10}" {text}>{part}</text>',
        f'<text class="words" x="{LEFT + NAMES}" {text}>{escape(purpose)}</text>',
    ]


def _draw_cells(row: int, order: list[str], imports: Mapping[tuple[str, str], int]) -> list[str]:
    """Draw a square for each part below, and a dot in those that are imported."""
    lines, part, down = [], order[row], TOP + ROW * row
    for column, other in enumerate(order):
        across, count = _across(column), imports.get((part, other), 0)
        if column > row:
            left, top = across - ROW // 2, down
            lines.append(f'<rect class="cell" x="{left}" y="{top}" width="{ROW}" height="{ROW}"/>')
        if count:
            lines.append(
                f'<circle class="dot" cx="{across}" cy="{down + ROW // 2}" r="{_radius(count)}">'
                f"<title>{part} imports {other}: {count} modules</title></circle>"
            )
    return lines


def _radius(count: int) -> int:
    """Return the radius of a dot in pixels: its area grows with the number of modules."""
    return min(LARGEST, 3 + round(1.6 * sqrt(count - 1)))


if __name__ == "__main__":
    for architecture in ARCHITECTURES:
        architecture.path.write_text(architecture.draw(), "utf-8")
