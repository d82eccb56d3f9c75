"""Draw the picture of the README from what `arena demo` prints: `python docs/picture.py`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

TARGET = Path(__file__).parent / "_static" / "demo.svg"
HEAD, TAIL = 22, 6  # lines shown of each game
PLAIN = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" \
xmlns="http://www.w3.org/2000/svg"><style>
.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px; \
line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}</style><defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>{lines}</defs>
{chrome}<g transform="translate({terminal_x}, {terminal_y})" \
clip-path="url(#{unique_id}-clip-terminal)">{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g></g></svg>
"""
"""Rich's own format fetches a font from the web."""


def shortened(lines: list[str]) -> list[str]:
    """Leave out the middle of each game."""
    starts = [at for at, line in enumerate(lines) if line and not line.startswith(" ")]
    shown: list[str] = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        game = lines[start:end]
        long = len(game) > HEAD + TAIL
        shown += [*game[:HEAD], "  ...", *game[-TAIL:]] if long else game
    return shown


def main() -> None:
    """Run the demo, and draw it."""
    words = [sys.executable, "-c", "from arena.cli import main; main(['demo'])"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    with Path("/dev/null").open("w") as nowhere:
        console = Console(record=True, width=88, file=nowhere)
        for line in ["$ arena demo", *shortened(said.splitlines())]:
            bold = line.startswith("$") or (line and not line.startswith(" "))
            console.print(Text(line, style="bold" if bold else ""))
        TARGET.parent.mkdir(exist_ok=True)
        drawn = console.export_svg(title="arena demo", code_format=PLAIN, unique_id="demo")
    TARGET.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
