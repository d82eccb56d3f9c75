"""Results for other programs: a row for each seat of each match."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import IO, Any

from arena.errors import Refusal
from arena.tournament.store import Store

COLUMNS = {
    "match": "string", "deal": "int64", "turn": "int64", "stage": "string",
    "outcome": "string", "rounds": "int64", "when": "string", "seat": "int64",
    "name": "string", "version": "string", "score": "float64", "place": "int64",
    "seconds": "float64", "verdict": "string",
}  # fmt: skip
"""The columns, with their types as Arrow calls them."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would compute
CHUNK = 10_000  # rows

Row = dict[str, Any]


def write(store: Store, form: str, out: Path | None) -> None:
    """Write all results as csv, jsonl or parquet; raise Refusal where that cannot be."""
    try:
        if form == "parquet":
            _parquet(rows(store), out)
            return
        with ExitStack() as stack:
            file: IO[str] = sys.stdout
            if out:
                file = stack.enter_context(out.open("w", encoding="utf-8", newline=""))
            (_csv if form == "csv" else _jsonl)(rows(store), file)
    except OSError as problem:
        if isinstance(problem, BrokenPipeError):
            raise
        where, why = out or "standard output", problem.strerror or problem
        raise Refusal(f"{where} cannot be written: {why}") from None


def rows(store: Store) -> Iterator[Row]:
    """Give a row for each seat, in the order of keys."""
    for match in store.matches():
        deal, _, turn = match["match"].partition(".")
        for seat in match["seats"]:
            known = {**match, **seat, "deal": int(deal), "turn": int(turn)}
            known["verdict"] = seat["verdict"] and seat["verdict"]["kind"]
            yield {name: known[name] for name in COLUMNS}


def _csv(found: Iterable[Row], file: IO[str]) -> None:
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in found:
        writer.writerow({name: harmless(value) for name, value in row.items()})


def harmless(value: Any) -> Any:
    """Give a cell that no spreadsheet takes for a formula.

    >>> harmless("=1+1")
    "'=1+1"
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _jsonl(found: Iterable[Row], file: IO[str]) -> None:
    for row in found:
        file.write(json.dumps(row) + "\n")


def _parquet(found: Iterator[Row], out: Path | None) -> None:
    if out is None:
        raise Refusal("parquet is no text: say where it goes, by --out FILE")
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError:
        advice = "pip install 'cardbot-arena[parquet]'"
        raise Refusal(f"parquet needs pyarrow: {advice}") from None
    schema = pa.schema([(name, getattr(pa, kind)()) for name, kind in COLUMNS.items()])
    with parquet.ParquetWriter(out, schema) as writer:
        while chunk := list(islice(found, CHUNK)):
            writer.write_table(pa.Table.from_pylist(chunk, schema))
