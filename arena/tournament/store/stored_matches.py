"""The matches as they are stored: their records, written once, read by filters and keys."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter

from attrs import frozen

from arena.records import to_json_number
from arena.rules import UserError
from arena.tournament.deals import Deal, Key, format_match_key
from arena.tournament.entries import Id, State
from arena.tournament.match_record import (
    CANCELLED,
    MatchRecord,
    RecordedEnd,
    ReplacedResult,
    SeatRecord,
    VerdictRecord,
    VoidCause,
    parse_end,
)
from arena.tournament.store.connection import Connection, Row, clean_text, format_marks
from arena.tournament.store.database import Database
from arena.tournament.store.entrant_directory import EntrantDirectory
from arena.tournament.store.facts import Facts
from arena.tournament.store.match_filter import MatchFilter
from arena.tournament.store.schema import OF_MATCH
from arena.tournament.store.stored_deals import PUT_DEAL, build_deal_row
from arena.tournament.store.stored_entries import SET_STATE, build_state_row
from arena.wires import dump

MATCHES = """
SELECT matches.deal, matches.rotation, matches."end", rounds, detail, seconds, stored, cause,
    deals.stage, transcripts.deal IS NOT NULL
FROM matches JOIN deals ON deals.number = matches.deal
LEFT JOIN transcripts
    ON transcripts.deal = matches.deal AND transcripts.rotation = matches.rotation
WHERE matches.deal IN ({deals})
"""
SEATS = """
SELECT deal, rotation, seat, score, place, used, sandbox, verdict, errors, earlier, name, version
FROM seats JOIN entrants ON entrants.id = seats.entrant
WHERE deal IN ({deals}) ORDER BY deal, rotation, seat
"""
RESULT = f'SELECT "end", cause, detail, rounds, seconds, stored FROM matches {OF_MATCH}'
SEATS_OF_RESULT = (
    "SELECT name, version, score, place, kind FROM seats"
    f" JOIN entrants ON entrants.id = seats.entrant {OF_MATCH} ORDER BY seat"
)
REPLACED = """
SELECT deal, rotation, result FROM replaced
WHERE deal IN ({deals}) ORDER BY deal, rotation, number
"""
PUT_MATCH = """
INSERT INTO matches (deal, rotation, "end", rounds, detail, seconds, stored, cause)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
PUT_SEAT = """
INSERT INTO seats (
    deal, rotation, seat, entrant, score, place, used, sandbox, kind, verdict, errors, earlier
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
PUT_TRANSCRIPT = "INSERT INTO transcripts (deal, rotation, blob) VALUES (?, ?, ?)"
PUT_REPLACED = "INSERT INTO replaced (deal, rotation, number, result) VALUES (?, ?, ?, ?)"
PAGE_MATCHES = 500  # read at once


@frozen(eq=False)
class StoredMatches:
    """The matches of a tournament that are over, or cancelled."""

    _database: Database
    _entrants: EntrantDirectory
    _facts: Facts

    def record(self, match: MatchRecord) -> bool:
        """Store a finished match; return whether it had no result before."""
        rows = self._build_rows(match)
        with self._database.begin_write() as connection:
            return self._put(connection, *rows)

    def record_deal(self, deal: Deal, records: Iterable[MatchRecord]) -> None:
        """Store a deal that was not planned before with all its results, in one transaction."""
        deal_row = build_deal_row(self._entrants, deal)
        rows_of_matches = [*map(self._build_rows, records)]
        with self._database.begin_write() as connection:
            connection.execute(PUT_DEAL, deal_row)
            for rows in rows_of_matches:
                self._put(connection, *rows)

    def _build_rows(self, match: MatchRecord) -> tuple[Row, list[Row], Row | None]:
        """Return the rows of a match; look up the numbers of entrants before writing."""
        seats = [self._build_seat_row(match.key, at, seat) for at, seat in enumerate(match.seats)]
        row = _build_match_row(
            match.key, match.end, match.detail, match.rounds, match.seconds, cause=match.cause
        )
        blob = match.transcript
        return row, seats, None if blob is None else (*match.key, blob)

    def _build_seat_row(self, key: Key, at: int, seat: SeatRecord) -> Row:
        failure = seat.failure
        return (
            *key, at, self._entrants.find_number(seat.id), seat.score, seat.place, seat.seconds,
            seat.sandbox,
            failure and str(failure.kind),
            failure and dump(failure.pack()),
            failure and clean_text(seat.stderr or ""),
            seat.earlier_matches,
        )  # fmt: skip

    @staticmethod
    def _put(connection: Connection, match: Row, seats: list[Row], transcript: Row | None) -> bool:
        """Store a match, within a transaction."""
        if not connection.execute(PUT_MATCH, match).rowcount:
            return False
        connection.execute_many(PUT_SEAT, seats)
        if transcript:
            connection.execute(PUT_TRANSCRIPT, transcript)
        return True

    def cancel(self, keys: Iterable[Key], why: str) -> None:
        """Cancel planned matches; finished ones stay as they are."""
        rows = [_build_match_row(key, CANCELLED, why) for key in keys]
        if rows:
            with self._database.begin_write() as connection:
                connection.execute_many(PUT_MATCH, rows)

    def find_keys(self, some: Iterable[Id]) -> tuple[list[Key], int, int]:
        """Return the keys of all matches of some entrants, in order, void ones too.

        Returns:
            The keys, the number of their transcripts and the size of these, compressed.
        """
        query = (
            "SELECT seats.deal, seats.rotation, LENGTH(blob) FROM seats LEFT JOIN transcripts"
            " ON transcripts.deal = seats.deal AND transcripts.rotation = seats.rotation"
            " WHERE entrant = ?"
        )
        by_key: dict[Key, int | None] = {}
        with self._database.begin_read() as connection:
            for entrant in some:
                rows = connection.read_rows(query, (self._entrants.find_number(entrant),))
                by_key |= {(deal, rotation): size for deal, rotation, size in rows}
        sizes = [size for size in by_key.values() if size is not None]
        return sorted(by_key), len(sizes), sum(sizes)

    def archive(self, some: Iterable[Id], keys: Sequence[Key], why: str) -> None:
        """Remove matches of entrants that have left, in one transaction.

        The matches stay settled, as cancelled ones, so that they are not played again.
        """
        states = [build_state_row(self._entrants, entrant, State.ARCHIVED, why) for entrant in some]
        rows = [(CANCELLED, clean_text(why), *key) for key in keys]
        with self._database.begin_write() as connection:
            connection.execute_many(f"DELETE FROM transcripts {OF_MATCH}", keys)
            connection.execute_many(f"DELETE FROM seats {OF_MATCH}", keys)
            connection.execute_many(f'UPDATE matches SET "end" = ?, detail = ? {OF_MATCH}', rows)
            connection.execute_many(SET_STATE, states)

    def reopen(self, keys: Iterable[Key]) -> None:
        """Make matches that are over open again; their results are kept as replaced ones."""
        with self._database.begin_write() as connection:
            for key in keys:
                number = 1 + connection.read_value(f"SELECT COUNT(*) FROM replaced {OF_MATCH}", key)
                result = _read_result(connection, key)
                connection.execute(PUT_REPLACED, (*key, number, dump(result.pack())))
                for table in ("transcripts", "seats", "matches"):
                    connection.execute(f"DELETE FROM {table} {OF_MATCH}", key)

    def find_matches(self, which: MatchFilter | None = None) -> Iterator[MatchRecord]:
        """Return the matches that pass a filter; raise UnknownNameError for a bot."""
        which = which or MatchFilter()
        numbers = [] if which.bot is None else self._entrants.find_numbers(which.bot)
        others = [] if which.against is None else self._entrants.find_numbers(which.against)
        return self._read_pages(which, numbers, others)

    def _read_pages(
        self, which: MatchFilter, numbers: Sequence[int], others: Sequence[int]
    ) -> Iterator[MatchRecord]:
        after, remainder = which.after, which.limit
        while remainder != 0:
            size = PAGE_MATCHES if remainder is None else min(PAGE_MATCHES, remainder)
            with self._database.begin_read() as connection:
                rows = connection.read_rows(*which.build_query(numbers, others, after, size))
            if not rows:
                return
            keys = [(deal, rotation) for deal, rotation in rows]
            yield from self.load_matches(keys)
            after, remainder = keys[-1], remainder and remainder - len(keys)

    def find_match(self, deal: int, rotation: int) -> MatchRecord:
        """Return one match; raise UserError."""
        key = deal, rotation
        matches = self.load_matches([key])
        if not matches:
            raise UserError(f"match {format_match_key(key)} has not been played or does not exist")
        return matches[0]

    def load_matches(self, keys: Sequence[Key]) -> list[MatchRecord]:
        """Return the matches of these keys, in this order."""
        deals = sorted({deal for deal, _ in keys})
        matches, seats, replaced = (
            query.format(deals=format_marks(deals)) for query in (MATCHES, SEATS, REPLACED)
        )
        with self._database.begin_read() as connection:
            rows = {row[:2]: row for row in connection.execute(matches, deals)}
            seat_rows = connection.read_rows(seats, deals)
            earlier = connection.read_rows(replaced, deals)
        at = {key: [*group] for key, group in groupby(seat_rows, itemgetter(0, 1))}
        history = {
            key: [ReplacedResult.parse(json.loads(result)) for _, _, result in group]
            for key, group in groupby(earlier, itemgetter(0, 1))
        }
        return [
            _read_match(
                rows[key], map(self._read_seat, at.get(key, ())), history.get(key, ())
            ).hide(self._entrants.aliases)
            for key in keys
            if key in rows
        ]

    def _read_seat(self, row: Row) -> SeatRecord:
        _, _, seat, score, place, seconds, sandbox, verdict, errors, earlier, name, version = row
        return SeatRecord(
            name, version, place, None if score is None else to_json_number(score),
            round(seconds, 6),
            verdict and VerdictRecord.parse(json.loads(verdict)), errors, sandbox, earlier,
            self._facts.settings.team_numbers.get(seat),
        )  # fmt: skip

    def find_rotation(self, deal: int, seated: Sequence[Id]) -> int:
        """Return the first rotation of a deal with these entrants in seat order, or 0."""
        order = [self._entrants.find_number(entrant) for entrant in seated]
        query = "SELECT rotation, entrant FROM seats WHERE deal = ? ORDER BY rotation, seat"
        with self._database.begin_read() as connection:
            rows = connection.read_rows(query, (deal,))
        for rotation, group in groupby(rows, itemgetter(0)):
            if [number for _, number in group] == order:
                return int(rotation)
        return 0


def _read_result(connection: Connection, key: Key) -> ReplacedResult:
    """Read the result of a match that is about to be replaced, within a transaction."""
    (row,) = connection.read_rows(RESULT, key)
    end, cause, detail, rounds, seconds, when = row
    seats = tuple([
        SeatRecord(
            name, version, place, score, failure=VerdictRecord(verdict) if verdict else None
        )
        for name, version, score, place, verdict in connection.read_rows(SEATS_OF_RESULT, key)
    ])  # fmt: skip
    return ReplacedResult(
        parse_end(end), VoidCause(cause) if cause else None, detail, rounds, seconds, when, seats
    )


def _read_match(
    row: Row, seats: Iterable[SeatRecord], earlier: Sequence[ReplacedResult]
) -> MatchRecord:
    deal, rotation, end, rounds, detail, seconds, when, cause, stage, transcript = row
    return MatchRecord(
        deal, rotation, parse_end(end), rounds, tuple(seats), round(seconds, 6), detail,
        VoidCause(cause) if cause else None, stage=stage, when=when, recorded=bool(transcript),
        replaced=earlier,
    )  # fmt: skip


def _build_match_row(
    key: Key, end: RecordedEnd, detail: str, rounds: int = 0, seconds: float = 0.0,
    *, cause: VoidCause | None = None,
) -> Row:  # fmt: skip
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return (*key, str(end), rounds, clean_text(detail), seconds, now, cause and str(cause))
