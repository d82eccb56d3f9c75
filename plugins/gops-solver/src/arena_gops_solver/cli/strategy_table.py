"""Strategies as people see them: a table with a bar for each bid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from arena_gops_solver.cli.options import clean_zero
from arena_gops_solver.cli.terminal_output import can_show

if TYPE_CHECKING:
    from rich.bar import Bar
    from rich.table import Table

    from arena_gops_solver.positions import SolverPosition


@frozen
class BidRow:
    """A card, the probability of its bid, and its value against the other player's strategy."""

    card: int
    chance: float
    worth: float


def build_bids(
    cards: Iterable[int], chances: Iterable[float], worth: Iterable[float]
) -> list[BidRow]:
    """Return the bids of a strategy, one for each card."""
    rows = zip(cards, chances, worth, strict=True)
    return [BidRow(card, float(chance), clean_zero(each)) for card, chance, each in rows]


def build_strategies_table(sides: Mapping[str, Sequence[BidRow]], width: int) -> Table:
    """Return a table of the strategies side by side, by the names of the cards.

    `width` is that of the bar of a certain bid, in characters. A narrow terminal has no bars.
    """
    table = _build_columns(sides, width)
    return table if can_show(table) else _build_columns(sides, 0)


def _build_columns(sides: Mapping[str, Sequence[BidRow]], width: int) -> Table:
    from rich.table import Table

    table = Table()
    for name in sides:
        for heading in (name, "chance", *([""] if width else []), "worth"):
            table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for row in zip(*sides.values(), strict=True):
        table.add_row(*[cell for bid in row for cell in _build_cells(bid, width)])
    return table


def format_value(value: float, place: SolverPosition, objective: str) -> str:
    """Format the value of a position: in points, also with the points won so far."""
    told = f"{clean_zero(value):+.4f}"
    if objective == "points" and place.difference:
        told += f" of the prizes left, {clean_zero(value + place.difference):+.4f} in all"
    return f"{told} ({objective})"


def _build_cells(bid: BidRow, width: int) -> list[str | Bar]:
    from rich.bar import Bar

    bars = [Bar(1, 0, round(bid.chance, 4), width=width)] if width else []
    return [str(bid.card), f"{bid.chance:.4f}", *bars, f"{bid.worth:+.4f}"]
