"""CSV for spreadsheets, in which no cell is a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.wires import to_printable


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
