"""Tables of cells for people: in a terminal, a notebook, Markdown and HTML."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from attrs import evolve, frozen

from arena.tables.markup import escape_html, escape_markdown
from arena.wires import to_printable

if TYPE_CHECKING:
    from rich.console import (
        Console,
        ConsoleOptions,
        JustifyMethod,
        RenderResult,
    )
    from rich.table import Table

PRINT_WIDTH = 100  # characters of a table that is printed, wherever that is
MIN_TEXT_WIDTH = 8  # characters that words are left, before figures give way to them
BORDER_WIDTH = 3  # characters between two columns

T = TypeVar("T")  # what a row is made of


@frozen
class Column:
    """A column: its heading and the alignment of its cells."""

    heading: str  # of several lines where one would be too wide
    is_text: bool = False  # which begin at the left; figures end at the right
    may_wrap: bool = False  # may a narrow terminal break them?

    @property
    def lines(self) -> Sequence[str]:
        """The lines of the heading."""
        return self.heading.split("\n")

    @property
    def label(self) -> str:
        """The heading in one line."""
        return " ".join(self.lines)


RowFormat: TypeAlias = Sequence[tuple[Column, Callable[[T], str]]]
"""The columns of a table, each with what its cells show of a row."""


@frozen
class DataTable:
    """A table of cells, for people."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    title: str = ""
    goes_on_below: bool = False  # do columns without room follow in a table below?

    @classmethod
    def of(
        cls,
        rows: Iterable[T],
        columns: RowFormat[T],
        title: str = "",
        *,
        goes_on_below: bool = False,
    ) -> DataTable:
        """Return the table of these objects, a row for each."""
        cells = [[format_cell(row) for _, format_cell in columns] for row in rows]
        return cls([column for column, _ in columns], cells, title, goes_on_below)

    def drop_columns(self, *headings: str) -> DataTable:
        """Return the table without these columns."""
        return self._take_columns(
            [at for at, column in enumerate(self.columns) if column.heading not in headings]
        )

    def _take_columns(self, kept: Sequence[int]) -> DataTable:
        rows = [[row[at] for at in kept] for row in self.rows]
        return evolve(self, columns=[self.columns[at] for at in kept], rows=rows)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the table; a narrow terminal has the last figures below it, or their headings."""
        from rich.text import Text

        shown = self._fit(options.max_width)
        yield to_rich_table(shown)
        kept = {column.heading for column in shown.columns}
        dropped = [column for column in self.columns if column.heading not in kept]
        figures = [column.heading for column in shown.columns if not column.is_text]
        if dropped and self.goes_on_below and figures:
            yield self.drop_columns(*figures)
        elif dropped:
            labels = ", ".join(column.label for column in dropped)
            yield Text(to_printable(f"No room at {options.max_width} characters: {labels}."))

    def _fit(self, width: int) -> DataTable:
        """Return the table without the last columns of figures that make it too wide."""
        widths = [*self._list_widths()]
        names = next((at for at, column in enumerate(self.columns) if column.is_text), 0)
        figures = [
            at for at, column in enumerate(self.columns) if at > names and not column.is_text
        ]
        kept = {*range(len(self.columns))}
        while sum(widths[at] for at in kept) + 1 > width and figures:
            kept.discard(figures.pop())
        return self._take_columns(sorted(kept))

    def _list_widths(self) -> Iterator[int]:
        """Yield the width of each column at which neither names nor figures are broken."""
        for column, *cells in zip(self.columns, *self.rows, strict=True):
            widest = max(map(len, (*column.lines, *cells)))
            yield BORDER_WIDTH + (min(MIN_TEXT_WIDTH, widest) if column.may_wrap else widest)

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(file=io.StringIO(), width=PRINT_WIDTH, color_system=None)
        with console.capture() as said:
            console.print(self)
        return "\n".join(line.rstrip() for line in said.get().splitlines())

    def _repr_html_(self) -> str:
        """Return the table as HTML for a notebook."""
        return self.to_html()

    def to_markdown(self) -> str:
        """Return the table as GitHub Markdown, which many forums read, too."""
        lines = [f"**{escape_markdown(self.title)}**", ""] if self.title else []
        lines.append(_format_markdown_row(column.label for column in self.columns))
        rule = (" --- " if column.is_text else " ---: " for column in self.columns)
        lines.append("|" + "|".join(rule) + "|")
        lines += [_format_markdown_row(row) for row in self.rows]
        return "\n".join(lines) + "\n"

    def to_html(self) -> str:
        """Return the table as HTML for a page."""
        caption = [f"<caption>{escape_html(self.title)}</caption>"] if self.title else []
        heads = [_format_html_cell("th", column, column.label) for column in self.columns]
        body = [
            "".join(_format_html_cell("td", *pair) for pair in zip(self.columns, row, strict=True))
            for row in self.rows
        ]
        lines = [
            "<table>",
            *caption,
            f"<thead><tr>{''.join(heads)}</tr></thead>",
            "<tbody>",
            *(f"<tr>{row}</tr>" for row in body),
            "</tbody>",
            "</table>",
        ]
        return "\n".join(lines) + "\n"


def to_rich_table(sheet: DataTable) -> Table:
    """Return the Rich table that a terminal shows, in plain text: names come from strangers."""
    from rich.table import Table
    from rich.text import Text

    title = Text(to_printable(sheet.title), "table.title", justify="center")
    shown = Table(title=title if sheet.title else None)
    for column in sheet.columns:
        justify: JustifyMethod = "left" if column.is_text else "right"
        fold = not column.may_wrap
        heading = Text("\n".join(map(to_printable, column.lines)))
        shown.add_column(heading, justify=justify, no_wrap=fold, overflow="fold")
    for row in sheet.rows:
        shown.add_row(*(Text(to_printable(cell)) for cell in row))
    return shown


def _format_markdown_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(map(escape_markdown, cells)) + " |"


def _format_html_cell(tag: str, column: Column, text: str) -> str:
    align = "left" if column.is_text else "right"
    return f'<{tag} style="text-align: {align}">{escape_html(text)}</{tag}>'
