"""Tables on terminals: how they are drawn, and what one that is too narrow leaves out."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from arena.tables import Column, DataTable, RowFormat

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


def test_a_heading_without_room_is_named_as_it_is() -> None:
    """It may be the name of a bot, in which nothing is markup."""
    table = DataTable((Column("bid", is_text=True), Column("[/b] ahead")), [["card 1", "0.50"]])
    text = " ".join(" ".join(cells) for cells in print_table(table, 14))
    assert "No room at 14 characters: [/b] ahead." in text


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize(
    "title", ["", "Zoë's [red] bot", "a title that is wider than its table is"]
)
def test_a_table_shows_its_texts_as_they_are(*, terminal: bool, title: str) -> None:
    """Wide letters and names with markup are shown, and so is the title."""
    columns = (Column("#"), Column("entrant [b]", is_text=True, may_wrap=True), Column("matches"))
    rows = [["1", "日本 [red]", "1,000"], ["22", "b\x1b[31m\u202e", ""]]
    table = DataTable(columns, rows, title)
    drawn = draw(table, terminal=terminal)
    assert "日本 [red]" in drawn
    assert title.partition(" ")[0] in drawn


def test_a_table_of_objects_has_a_row_for_each() -> None:
    """A cell is what its column shows of the object."""
    columns: RowFormat[int] = (
        (Column("number"), str),
        (Column("its square"), lambda number: f"{number**2}"),
    )
    table = DataTable.of([3, 12], columns, "squares")
    assert table == DataTable([Column("number"), Column("its square")],
                              [["3", "9"], ["12", "144"]], "squares")  # fmt: skip


def test_a_heading_of_two_lines_makes_its_column_narrow() -> None:
    """A terminal shows both lines; Markdown, HTML and notes have them in one."""
    columns = (Column("bid", is_text=True), Column("corrected\nfor [luck]"))
    table = DataTable(columns, [["card 1", "0.50"]])
    header = print_table(table, 24)
    assert [cells[-1] for cells in header[1:3]] == ["corrected", "for [luck]"]
    assert "corrected for [luck]" in " ".join(" ".join(row) for row in print_table(table, 14))
    assert "| bid | corrected for \\[luck\\] |" in table.to_markdown()
    assert ">corrected for [luck]</th>" in table.to_html()


def draw(what: object, *, terminal: bool) -> str:
    """Return how a terminal or a file shows it, without colours and the like."""
    file = io.StringIO()
    Console(file=file, width=60, highlight=False, force_terminal=terminal).print(what)
    return re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())
