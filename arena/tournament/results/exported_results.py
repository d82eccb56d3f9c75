"""Exported results: a row for each seat of each match, in files for other programs."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import IO, Any

from arena.distribution import format_install_command
from arena.files import open_without_waiting
from arena.rules import UserError, join_words
from arena.tables import escape_formula
from arena.tournament.match_record import StoredMatch
from arena.tournament.results.export_formats import EXPORT_FORMATS
from arena.tournament.store import Store

COLUMNS = {
    "match": "string", "deal": "int64", "rotation": "int64", "stage": "string",
    "outcome": "string", "rounds": "int64", "when": "string", "seat": "int64",
    "team": "int64", "name": "string", "version": "string", "score": "float64", "place": "int64",
    "seconds": "float64", "verdict": "string",
}  # fmt: skip
"""The columns that are written, with the names of their Arrow types."""

CHUNK_ROWS = 10_000  # rows

Row = dict[str, Any]


def write_results(store: Store, form: str, out: Path | None) -> None:
    """Write all results as csv, jsonl or parquet; raise UserError if that fails."""
    if form not in EXPORT_FORMATS:
        allowed = join_words(EXPORT_FORMATS, "or")
        raise UserError(f"{form!r} is no format of results: use {allowed}")
    try:
        if form == "parquet":
            _write_parquet(iterate_rows(store), out)
            return
        with _open(out) if out else nullcontext(sys.stdout) as file:
            (_write_csv if form == "csv" else _write_jsonl)(iterate_rows(store), file)
    except OSError as problem:
        if isinstance(problem, BrokenPipeError):
            raise
        where, why = out or "standard output", problem.strerror or problem
        raise UserError(f"{where} cannot be written: {why}") from None


def _open(out: Path) -> IO[str]:
    return open(out, "w", encoding="utf-8", newline="", opener=open_without_waiting)


def iterate_rows(store: Store) -> Iterator[Row]:
    """Return a row for each seat, in the order of match keys."""
    return build_rows(store.matches.find_matches())


def build_rows(matches: Iterable[StoredMatch]) -> Iterator[Row]:
    """Yield a row for each seat of these matches."""
    for match in matches:
        for number, seat in enumerate(match.seats):
            score = None if seat.score is None else float(seat.score)
            values = (
                match.match, match.deal, match.rotation, match.stage, str(match.end), match.rounds,
                match.when, number, seat.team, seat.name, seat.version, score, seat.place,
                seat.seconds, seat.verdict,
            )  # fmt: skip
            yield dict(zip(COLUMNS, values, strict=True))


def _write_csv(rows: Iterable[Row], file: IO[str]) -> None:
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: escape_formula(value) for name, value in row.items()})


def _write_jsonl(rows: Iterable[Row], file: IO[str]) -> None:
    for row in rows:
        file.write(json.dumps(row) + "\n")


def _write_parquet(rows: Iterator[Row], out: Path | None) -> None:
    if out is None:
        raise UserError("parquet is a binary format: use --out FILE")
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise UserError(f"parquet needs pyarrow: {format_install_command('parquet')}") from None
    schema = pa.schema([(name, getattr(pa, kind)()) for name, kind in COLUMNS.items()])
    with parquet.ParquetWriter(out, schema) as writer:
        while chunk := list(islice(rows, CHUNK_ROWS)):
            writer.write_table(pa.Table.from_pylist(chunk, schema))
