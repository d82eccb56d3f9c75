"""Files of results: written for other programs, and read again, wherever they were played.

What is read is rated like a tournament.

A file of CSV or JSON lines has a row for each seat of each match, as `arena export` writes it. A
line of JSON may also be a match with its `seats`, as `arena match --json` prints it. Columns that
are not needed here are ignored. Where seats have a `team`, those of one name, such as `counter` and
`counter.2`, are one entrant, and others of a team are partners.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from attrs import Factory, define, evolve, frozen

from arena.rules import (
    Sides,
    UserError,
    abbreviate,
    describe_number,
    format_install_command,
    get_player_name,
    has_teams,
    rank_sides,
    seat_alone,
    spread_over_seats,
)
from arena.tournament.models import Anchor, Entry
from arena.tournament.rating_input import Results
from arena.tournament.store import EntrantTotals, Store
from arena.wires import describe_json_error, escape_formula, open_without_waiting, to_printable

if TYPE_CHECKING:
    from arena.tournament.standings import Summary

CSV, JSON_LINES = ".csv", ".jsonl"
MAX_NAME_LENGTH = 80  # characters


class ResultFileError(UserError):
    """A file of results that cannot be read; the message names the line."""


@frozen
class SeatResult:
    """What became of an entrant in a match."""

    entry: Entry
    place: int | None
    score: float | None
    verdict: str
    team: str | None = None


@define
class MatchRows:
    """The rows of a match."""

    deal: str  # equal for matches of the same cards
    line: int  # of the first row
    seats: list[SeatResult] = Factory(list)
    numbers: set[str] = Factory(set)  # of the seats

    def add(self, seat: SeatResult, number: str) -> None:
        """Add the row of a seat; raise ValueError if there is one already."""
        if number in self.numbers:
            raise ValueError(f"seat {number} of the match is there twice")
        self.numbers.add(number)
        self.seats.append(seat)

    def merge_teams(self) -> None:
        """Make one row of the seats of an entrant, and sort them by team; raise ValueError."""
        named = [seat.team for seat in self.seats if seat.team is not None]
        if not named:
            return
        if len(named) < len(self.seats):
            raise ValueError("the match has a team for some of its seats only")
        merged: dict[tuple[str | None, str], list[SeatResult]] = {}
        for seat in self.seats:
            merged.setdefault((seat.team, get_player_name(seat.entry.name)), []).append(seat)
        teams = [*dict.fromkeys(named)]
        order = sorted(merged.values(), key=lambda seats: teams.index(seats[0].team or ""))
        self.seats = [_merge_seats(seats) for seats in order]

    @property
    def sides(self) -> Sides:
        """The positions in `seats` of each team; of each seat where there are no teams."""
        teams = [seat.team for seat in self.seats]
        if None in teams:
            return seat_alone(len(teams))
        return tuple(
            tuple(at for at, own in enumerate(teams) if own == team)
            for team in dict.fromkeys(teams)
        )

    def rank(self) -> Sequence[int] | None:
        """Return the places by seat, or None for a void match; raise ValueError if some lack."""
        places = [seat.place for seat in self.seats if seat.place is not None]
        if len(places) == len(self.seats):
            return places
        scores = [seat.score for seat in self.seats if seat.score is not None]
        if not places and len(scores) == len(self.seats):
            return spread_over_seats(self.sides, rank_sides(self.sides, scores, {}))
        if not places and not scores:
            return None
        raise ValueError("the match has places or scores for some of its seats only")


def is_result_file(path: str) -> bool:
    """Return whether a path is that of a file of results, by its suffix."""
    return path.endswith((CSV, JSON_LINES))


def load_summary(path: Path, anchor: Anchor | None = None) -> Summary:
    """Rate the results of a file.

    Raises:
        UserError: if the file cannot be read, or no entrant has the name of the anchor.
    """
    from arena.tournament.standings import Summary, choose_model  # slow, and not for an export

    matches = _group_rows(path)
    teams = _find_teams(path, matches)
    entries: dict[str, Entry] = {}
    for match in matches:
        entries |= {seat.entry.id: seat.entry for seat in match.seats}
    results = evolve(_build_results(path, matches, [*entries]), teams=teams)
    cooperative = all(len(match.sides) == 1 for match in matches)
    return Summary.rate(
        path.name, [*entries.values()], _count_totals(matches), results,
        rated=results, model=choose_model({"table": 1} if cooperative else {}), anchor=anchor,
    )  # fmt: skip


def _find_teams(path: Path, matches: Sequence[MatchRows]) -> Sides | None:
    """Merge the seats of each entrant; return the teams of every match, None without partners."""
    found: Sides | None = None
    for match in matches:
        try:
            match.merge_teams()
        except ValueError as problem:
            raise ResultFileError(f"{path}: line {match.line}: {problem}") from None
    cooperative = all(len(match.sides) == 1 for match in matches)
    for match in matches:
        if len(match.sides) == 1 and not cooperative:
            raise ResultFileError(f"{path}: line {match.line}: the match has only one entrant")
        sides = match.sides
        if found is not None and sides != found and (has_teams(sides) or has_teams(found)):
            raise ResultFileError(
                f"{path}: line {match.line}: its teams are not those of the others"
            )
        found = sides
    return found if found and has_teams(found) else None


def _merge_seats(seats: Sequence[SeatResult]) -> SeatResult:
    """Return what became of an entrant with several seats: its mean score, its first verdict."""
    first = seats[0]
    scores = [seat.score for seat in seats if seat.score is not None]
    verdicts = [seat.verdict for seat in seats if seat.verdict]
    return evolve(
        first,
        entry=evolve(first.entry, name=get_player_name(first.entry.name)),
        score=sum(scores) / len(scores) if len(scores) == len(seats) else None,
        verdict=verdicts[0] if verdicts else "",
    )


def _build_results(path: Path, matches: Iterable[MatchRows], ids: Sequence[str]) -> Results:
    """Return the matches as columns, without void ones."""
    index = {id_: number for number, id_ in enumerate(ids)}
    deals: dict[str, int] = {}
    played = []
    for match in matches:
        try:
            places = match.rank()
        except ValueError as problem:
            raise ResultFileError(f"{path}: line {match.line}: {problem}") from None
        if places is not None:
            played.append((deals.setdefault(match.deal, len(deals)), match.seats, places))
    shape = len(played), max((len(places) for _, _, places in played), default=0)
    sat, ranked, scores = np.full(shape, -1), np.zeros(shape, np.int64), np.full(shape, np.nan)
    for row, (_, seats, places) in enumerate(played):
        sat[row, : len(seats)] = [index[seat.entry.id] for seat in seats]
        ranked[row, : len(seats)] = places
        scores[row, : len(seats)] = [np.nan if seat.score is None else seat.score for seat in seats]
    deal = np.array([number for number, _, _ in played], np.int64)
    return Results(tuple(ids), deal, sat, ranked, scores)


def _count_totals(matches: Iterable[MatchRows]) -> dict[str, EntrantTotals]:
    """Return the number of matches, without void ones, and of verdicts of each entrant."""
    count: Counter[str] = Counter()
    verdicts: dict[str, Counter[str]] = {}
    for match in matches:
        is_void = match.rank() is None
        for seat in match.seats:
            own = verdicts.setdefault(seat.entry.id, Counter())
            count[seat.entry.id] += not is_void
            own.update([seat.verdict] if seat.verdict else [])
    return {id_: EntrantTotals(count[id_], dict(own), 0.0) for id_, own in verdicts.items()}


def _group_rows(path: Path) -> list[MatchRows]:
    """Return the matches of a file, in the order of their first rows."""
    found: dict[str, MatchRows] = {}
    for line, row in _read_rows(path):
        try:
            key = _read_text(row, "match")
            match = found.setdefault(key, MatchRows(str(row.get("deal") or key), line))
            match.add(_read_seat(row), str(row.get("seat", len(match.seats))))
        except ValueError as problem:
            raise ResultFileError(f"{path}: line {line}: {problem}") from None
    if not found:
        raise ResultFileError(f"{path} contains no results")
    return [*found.values()]


def _read_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a file with the numbers of their lines."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from _read_csv(file) if path.suffix == CSV else _read_json_lines(path, file)
    except OSError as problem:
        raise ResultFileError(f"{path}: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise ResultFileError(f"{path}: not UTF-8") from None
    except csv.Error as problem:
        raise ResultFileError(f"{path}: invalid CSV: {problem}") from None


def _read_csv(file: Iterable[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(file)
    for row in reader:
        yield reader.line_num, {name: cell for name, cell in row.items() if cell}


def _read_json_lines(path: Path, file: Iterable[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as problem:
            reason = describe_json_error(problem)
            raise ResultFileError(f"{path}: line {number}: not JSON: {reason}") from None
        seats = found.get("seats") if isinstance(found, dict) else None
        rows = [found] if seats is None else seats
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ResultFileError(f"{path}: line {number}: not an object with the results")
        for row in rows:
            if seats is None:
                yield number, row
            else:  # rotations of a deal have its seed
                yield number, {"deal": found.get("seed"), **row, "match": str(number)}


def _read_seat(row: Mapping[str, Any]) -> SeatResult:
    name = _read_text(row, "name")
    if to_printable(name) != name or len(name) > MAX_NAME_LENGTH:
        raise ValueError(
            f"name: {abbreviate(name)} is not one line of at most {MAX_NAME_LENGTH} characters"
            " without control characters"
        )
    version, verdict = row.get("version") or "", row.get("verdict") or ""
    kind = verdict.get("kind", "") if isinstance(verdict, Mapping) else verdict
    place, score = _read_number(row, "place"), _read_number(row, "score")
    if place is not None and not (place >= 1 and place.is_integer()):
        raise ValueError(f"place: {place:g} is not {describe_number('a whole number', 1)}")
    entry = Entry(name, to_printable(str(version)), name)
    team = row.get("team")
    return SeatResult(
        entry, None if place is None else int(place), score, to_printable(str(kind)),
        None if team is None or team == "" else str(team),
    )  # fmt: skip


def _read_text(row: Mapping[str, Any], key: str) -> str:
    """Return the text or number of a required column; raise ValueError."""
    value = row.get(key)
    if value is None or value == "":
        needed = f"{key} is missing (needed: match, name, and place or score)"
        raise ValueError(needed)
    return str(value)


def _read_number(row: Mapping[str, Any], key: str) -> float | None:
    """Return the number of a column, or None if it is empty; raise ValueError."""
    value = row.get(key)
    if value is None or value == "":
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not isfinite(number):
        raise ValueError(f"{key}: {abbreviate(value)} is not a number")
    return number


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
    return build_rows(store.find_matches())


def build_rows(matches: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    """Yield a row for each seat of these matches, given as the store returns them."""
    for match in matches:
        deal, _, rotation = match["match"].partition(".")
        for seat in match["seats"]:
            known = {"team": None, **match, **seat, "deal": int(deal), "rotation": int(rotation)}
            known["score"] = None if seat["score"] is None else float(seat["score"])
            known["verdict"] = seat["verdict"] and seat["verdict"]["kind"]
            yield {name: known[name] for name in COLUMNS}


def _write_csv(found: Iterable[Row], file: IO[str]) -> None:
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in found:
        writer.writerow({name: escape_formula(value) for name, value in row.items()})


def _write_jsonl(found: Iterable[Row], file: IO[str]) -> None:
    for row in found:
        file.write(json.dumps(row) + "\n")


def _write_parquet(found: Iterator[Row], out: Path | None) -> None:
    if out is None:
        raise UserError("parquet is a binary format: use --out FILE")
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise UserError(f"parquet needs pyarrow: {format_install_command('parquet')}") from None
    schema = pa.schema([(name, getattr(pa, kind)()) for name, kind in COLUMNS.items()])
    with parquet.ParquetWriter(out, schema) as writer:
        while chunk := list(islice(found, CHUNK_ROWS)):
            writer.write_table(pa.Table.from_pylist(chunk, schema))
