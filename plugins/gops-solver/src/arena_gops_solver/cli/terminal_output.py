"""Tables and signs for any terminal, including narrow ones and those without block characters."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Column, Table

UNBROKEN = 16  # the shortest part of a wrapped word
NO_END = 10**9  # columns of a terminal
PLAIN = "plain"  # the name of the error handler for unencodable characters
BARS = dict.fromkeys("▌▋▊▉█", "#") | dict.fromkeys("▏▎▍", " ")


def replace_unencodable() -> None:
    """Replace characters that the output's encoding lacks, rather than fail."""
    codecs.register_error(PLAIN, _replace_characters)
    if isinstance(sys.stdout, TextIOWrapper) and not _can_encode("".join(BARS)):
        sys.stdout.reconfigure(errors=PLAIN)


def choose_sign(symbol: str, plainly: str) -> str:
    """Return a sign, or its replacement if the output cannot encode it."""
    return symbol if _can_encode(symbol) else plainly


def _can_encode(text: str) -> bool:
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _replace_characters(problem: UnicodeError) -> tuple[str, int]:
    """Return one replacement for each character that cannot be encoded, to keep tables aligned."""
    assert isinstance(problem, UnicodeEncodeError)
    lacking = problem.object[problem.start : problem.end]
    return "".join(BARS.get(character, "?") for character in lacking), problem.end


@contextmanager
def show_progress(what: str) -> Iterator[Callable[[float], None]]:
    """Show a progress bar on a terminal; yield its callback, which takes the share done."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)


def print_table(table: Table) -> None:
    """Print a table; it may be wider than the terminal, but loses no names or numbers."""
    from rich.console import Console

    console = Console(highlight=False)
    console.width = max(console.width, _compute_min_width(table))
    console.print(table)


def can_show(table: Table) -> bool:
    """Whether the terminal is wide enough for a table."""
    from rich.console import Console

    return _compute_min_width(table) <= Console().width


def _compute_min_width(table: Table) -> int:
    """Return the least width of a table, in characters: words may be folded, figures not."""
    from rich.console import Console

    console = Console(width=NO_END)
    return console.measure(table).maximum - sum(
        _compute_spare_width(console, column) for column in table.columns
    )


def _compute_spare_width(console: Console, column: Column) -> int:
    """Return the number of characters by which a column can be narrowed."""
    if column.no_wrap:
        return 0
    cells = [console.measure(cell) for cell in (column.header, *column.cells)]
    longest = max(cell.minimum for cell in cells)  # of its words
    return max(cell.maximum for cell in cells) - min(longest, UNBROKEN)
