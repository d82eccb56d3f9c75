"""The matches as they are stored: their records, written once, read by filters and keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, starmap
from operator import itemgetter

from attrs import frozen

from arena.rules import UserError
from arena.tournament.deals import Deal, Key, format_match_key
from arena.tournament.entries import Id, State
from arena.tournament.match_record import (
    CANCELLED,
    ReportedMatch,
    StoredMatch,
)
from arena.tournament.store.connection import clean_text, format_marks
from arena.tournament.store.match_filter import MatchFilter
from arena.tournament.store.schema import OF_MATCH
from arena.tournament.store.stored_entries import SET_STATE, build_state_row
from arena.tournament.store.table_rows import (
    PUT_DEAL,
    PUT_MATCH,
    PUT_REPLACED,
    DealRow,
    MatchRow,
    ReplacedRow,
    RowsOfMatch,
    SeatRow,
    format_columns,
)
from arena.tournament.store.tournament_database import StorePart

MATCHES = f"""
SELECT {format_columns("matches", MatchRow._fields)}, deals.stage, transcripts.deal IS NOT NULL
FROM matches JOIN deals ON deals.number = matches.deal
LEFT JOIN transcripts
    ON transcripts.deal = matches.deal AND transcripts.rotation = matches.rotation
WHERE matches.deal IN ({{deals}})
"""
SEATS = f"""
SELECT {format_columns("seats", SeatRow._fields)} FROM seats
WHERE deal IN ({{deals}}) ORDER BY deal, rotation, seat
"""
REPLACED = f"""
SELECT {format_columns("replaced", ReplacedRow._fields)} FROM replaced
WHERE deal IN ({{deals}}) ORDER BY deal, rotation, number
"""
PAGE_MATCHES = 500  # read at once


@frozen(eq=False)
class StoredMatches(StorePart):
    """The matches of a tournament that are over, or cancelled."""

    def record(self, match: ReportedMatch) -> bool:
        """Store a finished match; return whether it had no result before."""
        rows = RowsOfMatch.of(match, self._directory)  # whose numbers are read before writing
        with self._database.begin_write() as connection:
            return rows.insert(connection)

    def record_deal(self, deal: Deal, matches: Iterable[ReportedMatch]) -> None:
        """Store a deal that was not planned before with all its results, in one transaction."""
        deal_row = DealRow.of(deal, self._directory)
        rows_of_matches = [RowsOfMatch.of(match, self._directory) for match in matches]
        with self._database.begin_write() as connection:
            connection.execute(PUT_DEAL, deal_row)
            for rows in rows_of_matches:
                rows.insert(connection)

    def cancel(self, keys: Iterable[Key], why: str) -> None:
        """Cancel planned matches; finished ones stay as they are."""
        rows = [MatchRow.of(key, CANCELLED, why) for key in keys]
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
                rows = connection.read_rows(query, (self._directory.find_number(entrant),))
                by_key |= {(deal, rotation): size for deal, rotation, size in rows}
        sizes = [size for size in by_key.values() if size is not None]
        return sorted(by_key), len(sizes), sum(sizes)

    def archive(self, some: Iterable[Id], keys: Sequence[Key], why: str) -> None:
        """Remove matches of entrants that have left, in one transaction.

        The matches stay settled, as cancelled ones, so that they are not played again.
        """
        states = [
            build_state_row(self._directory, entrant, State.ARCHIVED, why) for entrant in some
        ]
        rows = [(CANCELLED, clean_text(why), *key) for key in keys]
        with self._database.begin_write() as connection:
            connection.execute_many(f"DELETE FROM transcripts {OF_MATCH}", keys)
            connection.execute_many(f"DELETE FROM seats {OF_MATCH}", keys)
            connection.execute_many(f'UPDATE matches SET "end" = ?, detail = ? {OF_MATCH}', rows)
            connection.execute_many(SET_STATE, states)

    def reopen(self, keys: Iterable[Key]) -> None:
        """Make matches that are over open again; their results are kept as replaced ones."""
        with self._database.begin_write() as connection:
            for match in starmap(self.find_match, keys):
                connection.execute(PUT_REPLACED, ReplacedRow.of(match))
                for table in ("transcripts", "seats", "matches"):
                    connection.execute(f"DELETE FROM {table} {OF_MATCH}", match.key)

    def find_matches(self, which: MatchFilter | None = None) -> Iterator[StoredMatch]:
        """Return the matches that pass a filter; raise UnknownNameError for a bot."""
        which = which or MatchFilter()
        numbers = [] if which.bot is None else self._directory.find_numbers(which.bot)
        others = [] if which.against is None else self._directory.find_numbers(which.against)
        return self._read_pages(which, numbers, others)

    def _read_pages(
        self, which: MatchFilter, numbers: Sequence[int], others: Sequence[int]
    ) -> Iterator[StoredMatch]:
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

    def find_match(self, deal: int, rotation: int) -> StoredMatch:
        """Return one match; raise UserError."""
        key = deal, rotation
        matches = self.load_matches([key])
        if not matches:
            raise UserError(f"match {format_match_key(key)} has not been played or does not exist")
        return matches[0]

    def load_matches(self, keys: Sequence[Key]) -> list[StoredMatch]:
        """Return the matches of these keys, in this order."""
        deals = sorted({deal for deal, _ in keys})
        marks = format_marks(deals)
        with self._database.begin_read() as connection:
            rows = connection.execute(MATCHES.format(deals=marks), deals)
            rows_by_key = {row[:2]: row for row in rows}
            seat_rows = connection.read_rows(SEATS.format(deals=marks), deals)
            replaced_rows = connection.read_rows(REPLACED.format(deals=marks), deals)
        match_rows = {key: rows_by_key[key] for key in keys if key in rows_by_key}
        directory, teams = self._directory, self._database.settings.team_numbers
        seats = {
            key: tuple([SeatRow._make(row).parse(directory, teams) for row in group])
            for key, group in groupby(seat_rows, itemgetter(0, 1))
        }
        replaced = {
            key: tuple([ReplacedRow._make(row).parse(directory) for row in group])
            for key, group in groupby(replaced_rows, itemgetter(0, 1))
        }
        return [
            MatchRow._make(columns).parse(
                directory, seats.get(key, ()), replaced.get(key, ()), stage, bool(has_transcript)
            )
            for key, (*columns, stage, has_transcript) in match_rows.items()
        ]

    def find_rotation(self, deal: int, seated: Sequence[Id]) -> int:
        """Return the first rotation of a deal with these entrants in seat order, or 0."""
        order = [self._directory.find_number(entrant) for entrant in seated]
        query = "SELECT rotation, entrant FROM seats WHERE deal = ? ORDER BY rotation, seat"
        with self._database.begin_read() as connection:
            rows = connection.read_rows(query, (deal,))
        for rotation, group in groupby(rows, itemgetter(0)):
            if [number for _, number in group] == order:
                return int(rotation)
        return 0
