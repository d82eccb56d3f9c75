"""Tables on terminals that are too narrow for them."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from arena.wires import Column, DataTable

HEADS = (Column("bid", is_text=True), *(Column(f"prize {number}") for number in range(1, 14)))
ROWS = [[f"card {card}", *(f"{card * prize}" for prize in range(1, 14))] for card in range(1, 4)]


def print_table(table: DataTable, width: int) -> list[list[str]]:
    """Return the cells of each printed line."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    with console.capture() as said:
        console.print(table)
    assert all(len(line) <= width for line in said.get().splitlines())
    lines = said.get().replace("┃", "│").splitlines()
    return [[cell.strip() for cell in line.strip(" │").split("│")] for line in lines]


@pytest.mark.parametrize("width", [30, 80, 400])
def test_a_table_that_goes_on_below_shows_each_cell_once(width: int) -> None:
    """Each part begins with the names, and the parts together are the whole."""
    found: dict[str, list[str]] = {}
    for cells in print_table(DataTable(HEADS, ROWS, goes_on_below=True), width):
        if len(cells) > 1 and cells[0]:
            found.setdefault(cells[0], []).extend(cells[1:])
    assert found == {
        "bid": [column.heading for column in HEADS[1:]],
        **{name: cells for name, *cells in ROWS},
    }


@pytest.mark.parametrize(("width", "dropped"), [(40, 10), (80, 6), (400, 0)])
def test_figures_without_room_are_named(width: int, dropped: int) -> None:
    """Nothing is left out in silence."""
    lines = print_table(DataTable(HEADS, ROWS), width)
    left_out = [column.heading for column in HEADS[len(HEADS) - dropped :]] if dropped else []
    text = " ".join(" ".join(cells) for cells in lines)
    note = f"No room at {width} characters: {', '.join(left_out)}."
    assert (note in text) == bool(dropped)
    assert len(lines[1]) == len(HEADS) - dropped
