"""What the commands of `arena gops` share: options, and tables and signs for any terminal."""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena import UserError
from arena_gops_solver.bots import CARDS as SOLVABLE

if TYPE_CHECKING:
    from fractions import Fraction

    from rich.console import Console
    from rich.table import Column, Table

    from arena.tables import DataTable
    from arena_gops_solver import SolverPosition

OBJECTIVES = ("points", "win")
HOW_MANY = click.IntRange(SOLVABLE[0], SOLVABLE[-1])  # cards a hand
ROUNDING = 1e-7  # the error of a bid's value: strategies secure the value within 1e-9 of an entry

objective_option = click.option(
    "--objective",
    type=click.Choice(OBJECTIVES),
    default="points",
    show_default=True,
    help="What to maximise: the expected difference of points, or the chance to win.",
)
table_option = click.option(
    "--table",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of a solved game. Default: look it up in the cache.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")


SOME = re.compile(r"(\d{1,2})(?:-(\d{1,2}))?", re.ASCII)  # a card, or the first and the last


class CardListParamType(click.ParamType[tuple[int, ...]]):
    """Cards such as `1,3,5` or `1-5`, without duplicates."""

    name = "cards"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the cards in ascending order."""
        words = str(value).replace(",", " ").split()
        ranges = [range(int(some[1]), int(some[2] or some[1]) + 1)
                  for some in map(SOME.fullmatch, words) if some]  # fmt: skip
        if not ranges or len(ranges) < len(words) or not all(ranges):
            self.fail(f"{value!r} is not a list of cards such as 1,3,5 or 1-5", param, ctx)
        cards = tuple(sorted(chain.from_iterable(ranges)))
        if len(set(cards)) < len(cards) or cards[0] < 1:
            self.fail(f"{value!r}: name each card once; the lowest card is 1", param, ctx)
        return cards


CARDS = CardListParamType()
mine_option = click.option("--mine", type=CARDS, help="My hand, such as 1,3,5 or 1-5.")
theirs_option = click.option("--theirs", type=CARDS, help="The other player's hand.")
prizes_option = click.option("--prizes", type=CARDS, help="Prizes left, with the one turned up.")


def build_place(
    cards: int | None,
    mine: tuple[int, ...] | None,
    theirs: tuple[int, ...] | None,
    prizes: tuple[int, ...] | None,
    difference: int,
) -> SolverPosition:
    """Return a position of a game with so many cards; raise UserError if options are missing.

    A hand or the prizes are all cards by default.
    """
    from arena_gops_solver import SolverPosition

    given = {"--mine": mine, "--theirs": theirs, "--prizes": prizes}
    if cards is None and (missing := [name for name, some in given.items() if not some]):
        raise UserError(f"missing: {', '.join(missing)} (--cards N stands for 1-N in each)")
    suit = tuple(range(1, (cards or 0) + 1))
    return SolverPosition(mine or suit, theirs or suit, prizes or suit, difference)


def clean_zero(value: Fraction | float) -> float:
    """Return 0 for a value that is 0 except for rounding."""
    return 0.0 if abs(float(value)) < ROUNDING else float(value)


# Tables and signs for any terminal, including narrow ones and those without block characters.

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


def print_table(table: Table | DataTable) -> None:
    """Print a table; it may be wider than the terminal, but loses no names or numbers."""
    from rich.console import Console

    from arena.tables import DataTable, to_rich_table

    if isinstance(table, DataTable):
        table = to_rich_table(table)
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
