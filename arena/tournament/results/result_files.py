"""Files of results, read and rated like a tournament, wherever their matches were played.

A file of CSV or JSON lines has a row for each seat of each match, as `arena export` writes it. A
line of JSON may also be a match with its `seats`, as `arena match --json` prints it. Columns that
are not needed here are ignored. Where seats have a `team`, those of one name, such as `counter` and
`counter.2`, are one entrant, and others of a team are partners.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import Factory, define, evolve

from arena.rules import (
    End,
    Sides,
    UserError,
    abbreviate,
    describe_number,
    get_player_name,
    has_teams,
    is_cooperative,
)
from arena.tournament.anchor import Anchor
from arena.tournament.entries import Entry
from arena.tournament.match_record import MatchRecord, SeatRecord, VerdictRecord
from arena.tournament.ratings.rating_input import Results
from arena.tournament.store import EntrantTotals
from arena.wires import describe_json_error, describe_unknown_format, to_printable

if TYPE_CHECKING:
    from arena.tournament.results.summary import Summary

CSV, JSON_LINES = ".csv", ".jsonl"
FORMAT = 1  # of lines that name one, as those of `arena match --json`
MAX_NAME_LENGTH = 80  # characters
MAX_PLACE = 10**6  # far above the seats of any match, and within the columns


class ResultFileError(UserError):
    """A file of results that cannot be read; the message names the line."""


@define
class MatchRows:
    """The rows of a match, as far as they have been read."""

    deal: str  # equal for matches of the same cards
    line: int  # of the first row
    seats: dict[str, SeatRecord] = Factory(dict)  # by number
    teams: dict[str, int] = Factory(dict)  # the number of each team

    def add(self, row: Mapping[str, Any]) -> None:
        """Add the row of a seat; raise ValueError if there is one already."""
        number, seat = str(row.get("seat", len(self.seats))), _read_seat(row)
        if number in self.seats:
            raise ValueError(f"seat {number} of the match is there twice")
        team = row.get("team")
        if team is not None and team != "":
            seat = evolve(seat, team=self.teams.setdefault(str(team), len(self.teams)))
        self.seats[number] = seat

    def build(self, deal: int) -> MatchRecord:
        """Return the match, an entrant's seats as one, sorted by team; raise ValueError."""
        seats = [*self.seats.values()]
        if self.teams:
            if any(seat.team is None for seat in seats):
                raise ValueError("the match has a team for some of its seats only")
            seats_by_side: dict[tuple[int | None, str], list[SeatRecord]] = {}
            for seat in seats:
                seats_by_side.setdefault((seat.team, get_player_name(seat.name)), []).append(seat)
            seats = sorted(
                map(_merge_seats, seats_by_side.values()), key=lambda seat: seat.team or 0
            )
        match = MatchRecord(deal, 0, End.FINISHED, 0, tuple(seats))
        places = match.rank()
        if places is None:
            return evolve(match, end=End.VOID)
        ranked_seats = [
            evolve(seat, place=place) for seat, place in zip(seats, places, strict=True)
        ]
        return evolve(match, seats=tuple(ranked_seats))


def is_result_file(path: str) -> bool:
    """Return whether a path is that of a file of results, by its suffix."""
    return path.endswith((CSV, JSON_LINES))


def load_summary(path: Path, anchor: Anchor | None = None) -> Summary:
    """Rate the results of a file.

    Raises:
        UserError: if the file cannot be read, or no entrant has the name of the anchor.
    """
    # slow, and not for an export
    from arena.tournament.results.stored_ratings import RatingBasis, build_usual_model
    from arena.tournament.results.summary import Summary

    by_line = _read_matches(path)
    matches = [*by_line.values()]
    entries = {
        seat.id: Entry(seat.name, seat.version, seat.name)
        for match in matches
        for seat in match.seats
    }
    results = evolve(_build_results(matches, [*entries]), teams=_find_teams(path, by_line))
    cooperative = all(is_cooperative(match.sides) for match in matches)
    model = build_usual_model(cooperative=cooperative)
    basis = RatingBasis([*entries.values()], results, model, anchor, has_opponents=not cooperative)
    return Summary.rate(path.name, basis, _count_totals(matches))


def _read_matches(path: Path) -> dict[int, MatchRecord]:
    """Return the matches of a file by their first lines."""
    rows_by_key: dict[str, MatchRows] = {}
    deals: dict[str, int] = {}
    matches: dict[int, MatchRecord] = {}
    line = 0
    try:
        for line, row in _read_rows(path):
            key = _read_text(row, "match")
            rows_by_key.setdefault(key, MatchRows(str(row.get("deal") or key), line)).add(row)
        for rows in rows_by_key.values():
            line = rows.line
            matches[line] = rows.build(deals.setdefault(rows.deal, len(deals)))
    except ValueError as problem:
        raise ResultFileError(f"{path}: line {line}: {problem}") from None
    if not matches:
        raise ResultFileError(f"{path} contains no results")
    return matches


def _find_teams(path: Path, matches: Mapping[int, MatchRecord]) -> Sides | None:
    """Return the teams of every match, given by its line; None without partners."""
    teams: Sides | None = None
    cooperative = all(is_cooperative(match.sides) for match in matches.values())
    for line, match in matches.items():
        sides = match.sides
        if is_cooperative(sides) and not cooperative:
            raise ResultFileError(f"{path}: line {line}: the match has only one entrant")
        if teams is not None and sides != teams and (has_teams(sides) or has_teams(teams)):
            raise ResultFileError(f"{path}: line {line}: its teams are not those of the others")
        teams = sides
    return teams if teams and has_teams(teams) else None


def _merge_seats(seats: Sequence[SeatRecord]) -> SeatRecord:
    """Return the record of an entrant with several seats: its mean score, its first verdict."""
    scores = [seat.score for seat in seats if seat.score is not None]
    return evolve(
        seats[0],
        name=get_player_name(seats[0].name),
        score=sum(scores) / len(scores) if len(scores) == len(seats) else None,
        failure=next((seat.failure for seat in seats if seat.failure), None),
    )


def _build_results(matches: Iterable[MatchRecord], ids: Sequence[str]) -> Results:
    """Return the matches as columns, without void ones."""
    index = {id_: number for number, id_ in enumerate(ids)}
    rated_matches = [match for match in matches if not match.is_void]
    shape = len(rated_matches), max((len(match.seats) for match in rated_matches), default=0)
    seats, places, scores = np.full(shape, -1), np.zeros(shape, np.int64), np.full(shape, np.nan)
    for row, match in enumerate(rated_matches):
        for at, seat in enumerate(match.seats):
            seats[row, at], places[row, at] = index[seat.id], seat.place or 0
            scores[row, at] = np.nan if seat.score is None else seat.score
    deal = np.array([match.deal for match in rated_matches], np.int64)
    return Results(tuple(ids), deal, seats, places, scores)


def _count_totals(matches: Iterable[MatchRecord]) -> dict[str, EntrantTotals]:
    """Return the number of matches and of verdicts of each entrant, without void matches."""
    count: Counter[str] = Counter()
    verdicts: dict[str, Counter[str]] = {}
    for match in matches:
        for seat in match.seats:
            own = verdicts.setdefault(seat.id, Counter())
            if not match.is_void:
                count[seat.id] += 1
                own.update([seat.verdict] if seat.verdict else [])
    return {id_: EntrantTotals(count[id_], dict(own), 0.0) for id_, own in verdicts.items()}


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
            value = json.loads(line)
        except (ValueError, RecursionError) as problem:
            reason = describe_json_error(problem)
            raise ResultFileError(f"{path}: line {number}: not JSON: {reason}") from None
        seats = value.get("seats") if isinstance(value, dict) else None
        version = value.get("format", FORMAT) if isinstance(value, dict) else FORMAT
        if version != FORMAT:
            reason = describe_unknown_format(version, FORMAT)
            raise ResultFileError(f"{path}: line {number}: {reason}")
        rows = [value] if seats is None else seats
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ResultFileError(f"{path}: line {number}: not an object with the results")
        for row in rows:
            if seats is None:
                yield number, row
            else:  # rotations of a deal have its seed
                yield number, {"deal": value.get("seed"), **row, "match": str(number)}


def _read_seat(row: Mapping[str, Any]) -> SeatRecord:
    name = _read_text(row, "name")
    if to_printable(name) != name or len(name) > MAX_NAME_LENGTH:
        raise ValueError(
            f"name: {abbreviate(name)} is not one line of at most {MAX_NAME_LENGTH} characters"
            " without control characters"
        )
    version, verdict = row.get("version") or "", row.get("verdict") or ""
    kind = verdict.get("kind", "") if isinstance(verdict, Mapping) else verdict
    place, score = _read_number(row, "place"), _read_number(row, "score")
    if place is not None and not (1 <= place <= MAX_PLACE and place.is_integer()):
        allowed = describe_number("a whole number", 1, MAX_PLACE)
        raise ValueError(f"place: {place:g} is not {allowed}")
    return SeatRecord(
        name,
        to_printable(str(version)),
        None if place is None else int(place),
        score,
        failure=VerdictRecord(to_printable(str(kind))) if kind else None,
    )


def _read_text(row: Mapping[str, Any], key: str) -> str:
    """Return the text or number of a required column; raise ValueError."""
    value = row.get(key)
    if value is None or value == "":
        reason = f"{key} is missing (needed: match, name, and place or score)"
        raise ValueError(reason)
    return str(value)


def _read_number(row: Mapping[str, Any], key: str) -> float | None:
    """Return the number of a column, or None if it is empty; raise ValueError."""
    value = row.get(key)
    if value is None or value == "":
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not isfinite(number):
        raise ValueError(f"{key}: {abbreviate(value)} is not a number")
    return number
