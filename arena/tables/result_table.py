"""Results that print as a table, and whose rows become records and data frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Generic, TypeVar, overload

from arena.rules import UserError
from arena.tables.data_table import DataTable

T = TypeVar("T")  # a row of a `ResultTable`


class PrintsAsTable:
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


class ResultTable(PrintsAsTable, Sequence[T], Generic[T]):
    """A sequence of rows: index it, iterate over it, or print it as a table.

    A subclass says what the table is for people (`to_table`) and what a row is for programs
    (`to_record`).
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
