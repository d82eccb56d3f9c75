"""The pictures of terminals in the README and in the book, drawn from what commands print.

`REFRESH=1 pytest tests/docs/test_pictures.py` draws them anew.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from html import unescape
from io import StringIO
from pathlib import Path

from attrs import frozen
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tests.support.checkout import ROOT
from tests.support.command import leave_out_progress, run_arena

FOLDER = ROOT / "docs" / "_static"
PROMPT = "$ "
WIDTH = 100  # columns
CELL = 12.2  # the width of a column in Rich's drawings
LEFT_OUT = "  ..."
STILL_SECONDS = 6.0  # how long a moving picture shows all of its lines, at its beginning
BACKGROUND = (24, 26, 31)
THEME = TerminalTheme(
    BACKGROUND,
    (208, 212, 220),
    [
        (92, 99, 112), (240, 113, 120), (152, 195, 121), (229, 192, 123),
        (97, 175, 239), (209, 132, 235), (86, 182, 194), (208, 212, 220),
    ],
)  # fmt: skip
STYLES = {
    rf"^{re.escape(PROMPT)}": "bold green",
    rf"(?<=^{re.escape(PROMPT)}).+": "bold white",
    r"calls? BS": "bold red",
    r"a bluff": "yellow",
    r"the truth": "green",
    r"[─━]*●[─━]*": "bold cyan",
}
"""What stands out, besides the players, who have a colour each."""

COLOURS = ("cyan", "magenta", "yellow", "blue", "green")
DRAWING = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>TITLE</title><style>
.{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, \
"DejaVu Sans Mono", "Liberation Mono", monospace; font-size: {char_height}px; \
line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
MOTION</style><defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>{lines}</defs>
{chrome}<g transform="translate({terminal_x}, {terminal_y})" \
clip-path="url(#{unique_id}-clip-terminal)">{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g></g></svg>
"""
"""Rich's own format fetches a font from the web."""

MEASURED = re.compile(r"\b[\d.]+(?= a second)|\b\d+\.\d{3,}\b")
TEXT = re.compile(r'<text [^>]*\bx="([\d.]+)"[^>]*-line-(\d+)\)">(.*?)</text>')


@frozen
class Shot:
    """A command, and how much is shown of what it prints."""

    line: str
    head: int = 99  # lines from the beginning
    tail: int = 0  # lines from the end, if those are fewer than all

    def shown(self, folder: Path) -> list[str]:
        """Run it; return what was typed and the lines of it all, without those in the middle."""
        lines = [*wrap_lines(run_once(self.line, folder).rstrip("\n").split("\n"))]
        if len(lines) > self.head + self.tail:
            lines = [*lines[: self.head], LEFT_OUT, *lines[len(lines) - self.tail :]]
        return [PROMPT + self.line, *(line.rstrip() for line in lines)]


@cache
def run_once(line: str, folder: Path) -> str:
    """Run a command in a folder, or do not if it was run there before; return what it printed."""
    surroundings = {"PATH": "/usr/bin:/bin", "COLUMNS": str(WIDTH)}
    done = run_arena(shlex.split(line)[1:], folder, surroundings)
    assert done.returncode == 0, done.stderr
    return leave_out_progress(done.stderr) + done.stdout


@frozen
class Picture:
    """A picture of a terminal: what is typed there, and whose names have a colour."""

    name: str
    title: str
    shots: tuple[Shot, ...]
    players: tuple[str, ...]
    moves: bool = False

    @property
    def path(self) -> Path:
        """Return where it is kept."""
        return FOLDER / f"{self.name}.svg"

    def taken(self, folder: Path) -> list[str]:
        """Return the lines that it shows, from the commands run now in this folder."""
        (folder / "league.toml").write_text(LEAGUE)
        HAND.shown(folder)
        return [line for shot in self.shots for line in shot.shown(folder)]

    def drawn(self, lines: list[str]) -> str:
        """Return the picture of these lines as SVG."""
        console = Console(record=True, width=WIDTH, file=StringIO())
        for line in lines:
            console.print(self._coloured(line), soft_wrap=True)
        motion = "\n".join(build_animation(self.name, lines)) if self.moves else ""
        form = DRAWING.replace("TITLE", self.title)
        form = form.replace("MOTION", motion.replace("{", "{{").replace("}", "}}"))
        return console.export_svg(
            title=self.title, theme=THEME, code_format=form, unique_id=self.name
        )

    def _coloured(self, line: str) -> Text:
        text = Text(line)
        for pattern, style in STYLES.items():
            text.highlight_regex(pattern, style)
        if not line.startswith(PROMPT):
            for player, colour in zip(self.players, COLOURS, strict=False):
                text.highlight_regex(rf"\b{re.escape(player)}\b", colour)
        return text


def build_animation(name: str, lines: list[str]) -> Iterator[str]:
    """Yield the style sheet that shows all lines, and then one after the other, again and again.

    The first frame is the whole picture, for programs that show nothing else. Readers who prefer
    reduced motion see the whole picture, too.
    """
    times = [STILL_SECONDS + at for at in compute_appearance_times(lines)]
    whole = times[-1] + 1.0
    still = 100 * STILL_SECONDS / whole
    yield "@media (prefers-reduced-motion: no-preference) {"
    for number, at in enumerate(times):
        rule = f"{name}-at-{number}"
        share = 100 * at / whole
        yield (
            f"@keyframes {rule} {{ 0%, {still:.2f}% {{ opacity: 1; }}"
            f" {still + 0.01:.2f}%, {share:.2f}% {{ opacity: 0; }}"
            f" {share + 0.01:.2f}%, 100% {{ opacity: 1; }} }}"
        )
        where = f'text[clip-path="url(#{name}-line-{number})"]'
        yield f"{where} {{ animation: {rule} {whole:.1f}s infinite; }}"
    yield "}"


def wrap_lines(lines: list[str]) -> Iterator[str]:
    """Yield the lines as a terminal breaks them: at its edge."""
    for line in lines:
        for start in range(0, max(len(line), 1), WIDTH):
            yield line[start : start + WIDTH]


def mask_measurements(lines: list[str]) -> list[str]:
    """Return the lines with the same in place of all that is measured (seconds, rates)."""
    return [MEASURED.sub("#", line) for line in lines]


def compute_appearance_times(lines: list[str]) -> Iterator[float]:
    """Yield when each line is there, in seconds: somebody types, and then something happens."""
    now = 0.0
    for at, line in enumerate(lines):
        typed = line.startswith(PROMPT)
        now += (1.2 if at else 0.2) if typed else 0.7 if lines[at - 1].startswith(PROMPT) else 0.12
        yield now


def read(drawn: str) -> list[str]:
    """Return the lines of text that a picture shows."""
    rows: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for x, row, text in TEXT.findall(drawn):
        rows[int(row)].append((round(float(x) / CELL), unescape(text).replace("\xa0", " ")))
    return ["".join(_filled(rows[row])).rstrip() for row in range(max(rows, default=-1) + 1)]


def _filled(parts: list[tuple[int, str]]) -> Iterator[str]:
    """Yield the parts of a line, with the blanks between them."""
    end = 0
    for start, text in sorted(parts):
        yield " " * (start - end) + text
        end = start + len(text)


LEAGUE = """\
game = "gops"
matches = 120
seed = "42"
entrant = [{bot = "planner"}, {bot = "match"}, {bot = "hard"}, {bot = "easy"}, {bot = "random"}]
"""
HAND = Shot("arena match bs counter liar honest --seed 8 --transcript hand.jsonl")
LIARS = ("counter", "liar", "honest")
PICTURES = (
    Picture(
        "arena",
        "Bots play cards, and the arena says who is better",
        (Shot("arena replay hand.jsonl", head=0, tail=9), Shot("arena tournament run league.toml")),
        (*LIARS, "planner", "match"),
        moves=True,
    ),
    Picture(
        "match",
        "A match, round by round",
        (
            Shot("arena match gops planner hard -o cards=5 --seed 1 --transcript short.jsonl"),
            Shot("arena replay short.jsonl"),
        ),
        ("planner", "hard"),
    ),
    Picture(
        "tournament",
        "A tournament's ranking",
        (
            Shot("arena tournament run league.toml"),
            Shot("arena standings league.toml --head-to-head", head=0, tail=11),
        ),
        ("planner", "match", "hard", "easy", "random"),
    ),
    Picture(
        "replay",
        "A match of BS, through the eyes of one seat",
        (Shot("arena replay hand.jsonl --as 0", head=0, tail=16),),
        ("Counter", "Liar", "Honest"),
    ),
)
"""All pictures there are."""
