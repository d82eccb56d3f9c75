"""A sheet of cells, and the forms in which it is shown: a table, Markdown, HTML, CSV.

Names come from strangers. So each form takes from a cell what would do something there: a
terminal's control characters, Markdown's and HTML's markup, a spreadsheet's formulas.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from attrs import frozen

from arena.wires.cleaning import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
    from rich.table import Table

WIDTH = 100  # characters of a table that is printed, wherever that is
NARROW = 8  # characters that words are left, before figures give way to them
FRAME = 3  # characters between two columns
MARKUP = re.compile(r"([\\`*_\[\]<>|~&#!$])")
"""What means something in Markdown, within a cell of a table."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would compute


@frozen
class Column:
    """A column: its heading, and how its cells stand."""

    heading: str
    words: bool = False  # which begin at the left; figures end at the right
    wraps: bool = False  # may a narrow terminal break them?


@frozen
class Sheet:
    """Cells in rows, for people."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    title: str = ""

    def without(self, *headings: str) -> Sheet:
        """Return it without these columns."""
        kept = [at for at, one in enumerate(self.columns) if one.heading not in headings]
        rows = [[row[at] for at in kept] for row in self.rows]
        return Sheet([self.columns[at] for at in kept], rows, self.title)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it; on a narrow terminal the last figures give way to the names."""
        shown = self
        while shown._least > options.max_width and (last := shown._dispensable):
            shown = shown.without(last)
        yield _table(shown)

    @property
    def _least(self) -> int:
        """Return the characters of a line that it takes not to break names or figures."""
        widths = (
            min(NARROW, widest) if column.wraps else widest
            for column, *cells in zip(self.columns, *self.rows, strict=True)
            for widest in [max(map(len, (column.heading, *cells)))]
        )
        return sum(widths) + FRAME * len(self.columns) + 1

    @property
    def _dispensable(self) -> str:
        """Return the heading of the last column of figures behind the names, if there is any."""
        names = next((at for at, one in enumerate(self.columns) if one.words), 0)
        figures = [one.heading for one in self.columns[names + 1 :] if not one.words]
        return figures[-1] if figures else ""

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(file=io.StringIO(), width=WIDTH, color_system=None)
        with console.capture() as said:
            console.print(self)
        return "\n".join(line.rstrip() for line in said.get().splitlines())

    def _repr_html_(self) -> str:
        """Return it for a notebook."""
        return self.html()

    def markdown(self) -> str:
        """Return it as a table of GitHub's Markdown, which many forums read, too."""
        lines = [f"**{marked(self.title)}**", ""] if self.title else []
        lines.append(_piped(column.heading for column in self.columns))
        rule = (" --- " if one.words else " ---: " for one in self.columns)
        lines.append("|" + "|".join(rule) + "|")
        lines += [_piped(row) for row in self.rows]
        return "\n".join(lines) + "\n"

    def html(self) -> str:
        """Return it as a table that can be put into a page."""
        caption = [f"<caption>{_escaped(self.title)}</caption>"] if self.title else []
        heads = [_cell("th", column, column.heading) for column in self.columns]
        body = [
            "".join(_cell("td", *pair) for pair in zip(self.columns, row, strict=True))
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


def _table(sheet: Sheet) -> Table:
    """Return a sheet as a terminal shows it."""
    from rich.table import Table
    from rich.text import Text

    shown = Table(title=sheet.title or None)
    for column in sheet.columns:
        justify: JustifyMethod = "left" if column.words else "right"
        fold = not column.wraps
        shown.add_column(column.heading, justify=justify, no_wrap=fold, overflow="fold")
    for row in sheet.rows:
        shown.add_row(*(Text(printable(cell)) for cell in row))
    return shown


def _piped(cells: Iterable[str]) -> str:
    return "| " + " | ".join(map(marked, cells)) + " |"


def marked(text: str) -> str:
    """Return a text that is nothing but text in Markdown."""
    return MARKUP.sub(r"\\\1", printable(text))


def _cell(tag: str, column: Column, text: str) -> str:
    align = "left" if column.words else "right"
    return f'<{tag} style="text-align: {align}">{_escaped(text)}</{tag}>'


def _escaped(text: str) -> str:
    return escape(printable(text))


def paragraph(text: str) -> str:
    """Return a text that can be put into a page."""
    return f"<p>{_escaped(text)}</p>"


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV with a heading; no cell of it is a formula."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _harmless(value) for name, value in row.items()})
    return text.getvalue()


def _harmless(value: Any) -> Any:
    return harmless(printable(value)) if isinstance(value, str) else value


def harmless(value: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula.

    >>> harmless("=1+1")
    "'=1+1"
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
