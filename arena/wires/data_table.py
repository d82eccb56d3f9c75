"""Tables of cells, and their formats: terminal, notebook, Markdown, HTML, CSV and data frame.

Names come from strangers. So each form takes from a cell what would do something there: a
terminal's control characters, Markdown's and HTML's markup, a spreadsheet's formulas.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from attrs import evolve, frozen

from arena.rules import UserError
from arena.wires.files import to_printable

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

T = TypeVar("T")  # a row of a `ResultTable`


@frozen
class Column:
    """A column: its heading and the alignment of its cells."""

    heading: str
    is_text: bool = False  # which begin at the left; figures end at the right
    may_wrap: bool = False  # may a narrow terminal break them?


@frozen
class DataTable:
    """A table of cells, for people."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    title: str = ""
    goes_on_below: bool = False  # do columns without room follow in a table below?

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
        shown = self._fit(options.max_width)
        yield to_rich_table(shown)
        kept = {column.heading for column in shown.columns}
        dropped = [column.heading for column in self.columns if column.heading not in kept]
        figures = [column.heading for column in shown.columns if not column.is_text]
        if dropped and self.goes_on_below and figures:
            yield self.drop_columns(*figures)
        elif dropped:
            yield to_printable(f"No room at {options.max_width} characters: {', '.join(dropped)}.")

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
            widest = max(map(len, (column.heading, *cells)))
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
        lines.append(_format_markdown_row(column.heading for column in self.columns))
        rule = (" --- " if column.is_text else " ---: " for column in self.columns)
        lines.append("|" + "|".join(rule) + "|")
        lines += [_format_markdown_row(row) for row in self.rows]
        return "\n".join(lines) + "\n"

    def to_html(self) -> str:
        """Return the table as HTML for a page."""
        caption = [f"<caption>{_escape_html(self.title)}</caption>"] if self.title else []
        heads = [_format_html_cell("th", column, column.heading) for column in self.columns]
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
        heading = Text(to_printable(column.heading))
        shown.add_column(heading, justify=justify, no_wrap=fold, overflow="fold")
    for row in sheet.rows:
        shown.add_row(*(Text(to_printable(cell)) for cell in row))
    return shown


def _format_markdown_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(map(escape_markdown, cells)) + " |"


MARKDOWN_SYNTAX = re.compile(r"([\\`*_\[\]<>|~&#!$])")
"""The characters with a meaning in Markdown, within a cell of a table."""


def escape_markdown(text: str) -> str:
    """Return a text with the special characters of Markdown escaped."""
    return MARKDOWN_SYNTAX.sub(r"\\\1", to_printable(text))


def _format_html_cell(tag: str, column: Column, text: str) -> str:
    align = "left" if column.is_text else "right"
    return f'<{tag} style="text-align: {align}">{_escape_html(text)}</{tag}>'


def _escape_html(text: str) -> str:
    return escape(to_printable(text))


class TableDisplay:
    """Base class for objects that print as a table, also in a terminal or a notebook.

    Who derives from it says what that table is.
    """

    __slots__ = ()

    def __str__(self) -> str:
        return str(self.to_table())

    def __rich__(self) -> DataTable:
        return self.to_table()

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        return self.to_table().to_html()

    def to_table(self) -> DataTable:
        """Return the table for people."""
        raise NotImplementedError


class ResultTable(TableDisplay, Sequence[T], Generic[T]):
    """A sequence of rows: index it, iterate over it, or print it as a table.

    Who derives from it says what a row is in a `sheet` for people and in `flat` for programs.
    """

    def __init__(self, rows: Sequence[T]) -> None:
        self._rows = tuple(rows)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[T, ...]: ...
    def __getitem__(self, at: int | slice) -> T | tuple[T, ...]:
        return self._rows[at]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[T]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._rows == other._rows

    def __hash__(self) -> int:
        return hash(self._rows)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({[*self._rows]!r})"

    def to_record(self, row: T) -> dict[str, Any]:
        """Return a row as a flat dictionary for programs."""
        raise NotImplementedError

    def to_records(self) -> list[dict[str, Any]]:
        """Return a list of dictionaries, one for each row, as data frames read them."""
        return [*map(self.to_record, self)]

    def to_pandas(self) -> Any:
        """Return the rows as a `pandas.DataFrame`.

        Raises:
            UserError: where pandas is not installed.
        """
        return _import_library("pandas").DataFrame(self.to_records())

    def to_polars(self) -> Any:
        """Return the rows as a `polars.DataFrame`.

        Raises:
            UserError: where polars is not installed.
        """
        frames = _import_library("polars")
        return frames.DataFrame(self.to_records(), infer_schema_length=None)


def _import_library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise UserError(f"to_{name} needs {name}: pip install {name}") from None


def to_html_paragraph(text: str) -> str:
    """Return a text as an HTML paragraph."""
    return f"<p>{_escape_html(text)}</p>"


def to_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV with a heading; no cell is a formula."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _clean_csv_cell(value) for name, value in row.items()})
    return text.getvalue()


def _clean_csv_cell(value: Any) -> Any:
    return escape_formula(to_printable(value)) if isinstance(value, str) else value


FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would compute


def escape_formula(value: Any) -> Any:
    """Return a cell that no spreadsheet reads as a formula.

    >>> escape_formula("=1+1")
    "'=1+1"
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_PREFIXES) else value
