"""The store: one class that reads and writes a tournament's database.

While matches are played, the coordinator writes: deals when they are planned, results when they
come. Everybody reads. Long results are read in pages of deals, so that they take little memory,
hold no lock, and include matches that are stored meanwhile; the ratings get millions of results as
columns.

First come the statements of several methods; the others stand where they run.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from attrs import frozen

from arena.records import to_json_number
from arena.rules import End, UserError, spread_over_seats
from arena.tournament.commands import (
    AliasCommand,
    CoordinatorCommand,
    EntryCommand,
    WithdrawalCommand,
)
from arena.tournament.deals import Deal, Key, PastMatches, PlayedMatch, format_match_key
from arena.tournament.entries import Containment, Entry, Id, State
from arena.tournament.match_record import MatchRecord, SeatRecord, VerdictRecord, VoidCause
from arena.tournament.store.connection import Connection, DatabaseAddress, format_marks
from arena.tournament.store.counts import EntrantTotals, MatchCounts
from arena.tournament.store.database import Database
from arena.tournament.store.entrant_directory import EntrantDirectory
from arena.tournament.store.facts import Facts
from arena.tournament.store.match_filter import MatchFilter
from arena.tournament.store.schema import CANCELLED, SCHEMA
from arena.tournament.store.settings import StoredSettings
from arena.wires import converter, dump, read

if TYPE_CHECKING:
    from arena.tournament.ratings.rating_input import Results
    from arena.tournament.store.seat_reader import SeatReader


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

REPLACED = """
SELECT deal, rotation, result FROM replaced
WHERE deal IN ({deals}) ORDER BY deal, rotation, number
"""
TRANSCRIPTS = """
SELECT seats.deal, seats.rotation, entrant, blob FROM seats JOIN transcripts
    ON transcripts.deal = seats.deal AND transcripts.rotation = seats.rotation
WHERE seats.deal IN ({deals}) AND place IS NOT NULL
ORDER BY seats.deal, seats.rotation, seat
"""

GET_ENTRANTS = """
SELECT name, version, bot, keeps, containment, state, why FROM entrants ORDER BY id
"""
PUT_ENTRANT = """
INSERT INTO entrants (id, name, version, bot, keeps, containment, state, why)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
SET_STATE = "UPDATE entrants SET state = ?, why = ? WHERE id = ?"
GET_DEALS = "SELECT number, seats, rotations, stage, state FROM deals"
PUT_DEAL = "INSERT INTO deals (number, seats, rotations, stage, state) VALUES (?, ?, ?, ?, ?)"
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
HERE = "WHERE deal = ? AND rotation = ?"
FIRST_TIME = 'SELECT stored FROM matches WHERE "end" <> ? ORDER BY stored LIMIT 1'
LAST_TIME = 'SELECT stored FROM matches WHERE "end" <> ? ORDER BY stored DESC LIMIT 1'
"""The times of the first and the last result, by an index, without a scan of all matches."""
OF_ENTRANT = """
SELECT stored FROM matches JOIN seats
    ON seats.deal = matches.deal AND seats.rotation = matches.rotation
WHERE entrant = ?
"""


PAGE_MATCHES = 500  # read at once
PAGE_DEALS = 2000  # of the plan, read at once
OPEN_DEALS = 20_000  # whose matches are counted together, to find those that are missing
Row = tuple[Any, ...]


@frozen
class StoredTranscript:
    """A transcript as it is stored, with the players of its match."""

    key: Key  #: of the match
    entrants: tuple[int, ...]  #: the numbers of who sat there, in seat order
    blob: bytes  #: JSON lines, compressed

    def parse(self) -> list[dict[str, Any]]:
        """Return all lines as JSON, the header first."""
        text = zlib.decompress(self.blob).decode().removesuffix("\n")
        lines: list[dict[str, Any]] = json.loads(f"[{text.replace(chr(10), ',')}]")
        return lines


class Store(Database):
    """A tournament's database: call `Store.open(address)` to read, then `claim()` to write.

    If it is `aliased`, its results do not contain names that the host has hidden.
    """

    schema = SCHEMA

    def __init__(
        self, address: DatabaseAddress, *, write: bool, aliased: bool | Mapping[str, str] = False
    ) -> None:
        super().__init__(address, write=write)
        self.facts = Facts(self)
        self.entrants = EntrantDirectory(self.facts, aliased=aliased)

    @classmethod
    def exists(cls, address: str | Path) -> bool:
        """Return whether there is a tournament; raise UserError for another program's database."""
        where = DatabaseAddress.of(address)
        if where.path and not where.path.exists():
            return False
        with cls(where, write=False) as database:
            return database.read_revision() is not None

    @classmethod
    def open(
        cls,
        address: str | Path,
        *,
        write: bool = True,
        aliased: bool | Mapping[str, str] = False,
    ) -> Self:
        """Open an existing tournament; raise UserError.

        Read-only commands pass `write=False`, which works during a run; public output is `aliased`:
        by the aliases that are stored, or by these.
        A database of an older version of arena is claimed and upgraded.
        """
        where = DatabaseAddress.of(address)
        if where.path and not where.path.exists():
            raise UserError(f"{where.shown}: no such file; the tournament's first run creates it")
        store = cls(where, write=write, aliased=aliased)
        store.bring_up_to_date()
        return store

    @classmethod
    def create(
        cls,
        address: str | Path,
        settings: Mapping[str, Any],
        secret: str,
        entries: Iterable[Entry] = (),
    ) -> Self:
        """Create a tournament and claim it, completely or not at all; raise UserError.

        Args:
            address: of its database.
            settings: those that must not change, as JSON.
            secret: the source of all its seeds.
            entries: its first entrants.
        """
        where = DatabaseAddress.of(address)
        if where.path and not where.path.parent.is_dir():
            raise UserError(f"{where.shown}: its folder does not exist")
        store = cls(where, write=True)
        with store.close_on_error():
            store._create_tables(StoredSettings.parse(settings), secret, entries)
        return store

    @classmethod
    def claim_or_create(
        cls,
        address: str | Path,
        check: Callable[[Self], None],
        create: Callable[[], Self],
    ) -> Self:
        """Open a tournament, claim it and check it; create one that does not exist."""
        if not cls.exists(address):
            return create()
        store = cls.open(address)
        with store.close_on_error():
            store.claim()
            check(store)
        return store

    def _create_tables(
        self, settings: StoredSettings, secret: str, entries: Iterable[Entry]
    ) -> None:
        self._check_encoding()
        self._check_empty()  # before SQLite switches an unrelated file to WAL mode
        self.claim()
        self._check_empty()  # again, now that nobody else can write
        with self.begin_write() as connection:
            self.schema.upgrade(connection, None)
            Facts.settings.put(connection, settings)
            Facts.secret.put(connection, secret)
            self._insert_entries(connection, entries)

    def _check_encoding(self) -> None:
        """Raise UserError unless the database can store every text."""
        if self.address.url:
            with self.begin_read() as connection:
                encoding = connection.read_value("SHOW server_encoding")
            if encoding != "UTF8":
                raise UserError(
                    f"{self.address.shown}: the database uses the encoding {encoding}, not UTF8"
                )

    def _check_empty(self) -> None:
        if self.read_revision() is not None:
            raise UserError(f"{self.address.shown}: the database already contains a tournament")

    @cached_property
    def settings(self) -> StoredSettings:
        """The settings with which the tournament was created."""
        return self.facts.settings

    def list_entries(self) -> tuple[Entry, ...]:
        """Return all entrants in all versions, in the order of entry."""
        with self.begin_read() as connection:
            rows = connection.read_rows(GET_ENTRANTS)
        return tuple(map(self._read_entry, rows))

    def list_active(self) -> tuple[Entry, ...]:
        """Return the active entrants, in the order of entry."""
        return tuple(entry for entry in self.list_entries() if entry.state is State.ACTIVE)

    def _read_entry(self, row: Row) -> Entry:
        name, version, bot, keeps, containment, state, why = row
        return Entry(
            self.entrants.mask_name(name),
            version,
            bot,
            bool(keeps),
            _read_containment(containment),
            State(state),
            why,
            title="" if name in self.entrants.aliases else self.entrants.titles.get(name, ""),
        )

    def enter(self, entry: Entry) -> None:
        """Add an entrant; raise UserError if this version has entered before."""
        if entry.id in self.entrants.numbers:
            raise UserError(f"{entry.id} has already entered")
        with self.begin_write() as connection:
            self._insert_entries(connection, [entry])
        self.entrants.reload()

    def set_file_titles(self, titles: Mapping[str, str]) -> None:
        """Set the titles that the tournament's file gives, by the entrants' names."""
        self.facts.file_titles = titles
        self.entrants.reload()

    def _insert_entries(self, connection: Connection, entries: Iterable[Entry]) -> None:
        last = connection.read_value("SELECT MAX(id) FROM entrants") or 0
        for number, entry in enumerate(entries, last + 1):
            for word in (entry.name, entry.bot):
                if clean_text(word) != word:
                    raise UserError(f"{word!a} cannot be stored: it is not UTF-8")
            containment = dump(converter.unstructure(entry.containment))
            row = (
                number, entry.name, entry.version, entry.bot, entry.keeps, containment,
                str(entry.state), clean_text(entry.why),
            )  # fmt: skip
            connection.execute(PUT_ENTRANT, row)
            self._put_title(connection, entry)

    def _put_title(self, connection: Connection, entry: Entry) -> None:
        """Store the title of a new version, within a transaction."""
        before = self.facts.own_titles
        titles = {**before, entry.name: entry.title}
        if entry.title != before.get(entry.name, ""):
            titles = {name: title for name, title in titles.items() if title}
            Facts.own_titles.put(connection, titles)

    def record_check(self, entrant: Id) -> None:
        """Record that an entrant passed its check, so that later runs do not repeat it.

        An entrant of a hill was checked on admission. A second check at each start would exclude it
        for good if the machine is slow at that moment.
        """
        self.facts.checked = sorted({*self.facts.checked, entrant})

    def get_last_command(self) -> int:
        """Return the number of the last command that was carried out, or 0."""
        return self.facts.last_command

    def carry_out(self, command: CoordinatorCommand) -> list[Id]:
        """Carry out a command and record that, in one transaction.

        Returns the entrants that it removed.
        """
        match command:
            case EntryCommand():
                return self._let_in(command)
            case WithdrawalCommand():
                return self._withdraw(command)
            case AliasCommand():
                self._hide_name(command)
                return []

    def _let_in(self, command: EntryCommand) -> list[Id]:
        new = command.entry
        plays = new.state is State.ACTIVE  # one that does not leaves the other versions in place
        leavers = [id_ for id_ in self._list_current(new.name) if (id_ != new.id) is plays]
        why = f"by version {new.version}"
        changes = [self._build_state_row(entrant, State.REPLACED, why) for entrant in leavers]
        is_known = new.id in self.entrants.numbers  # read before anything is written
        if is_known:
            changes.append(self._build_state_row(new.id, new.state, new.why))
        with self.begin_write() as connection:
            connection.execute_many(SET_STATE, changes)
            if not is_known:
                self._insert_entries(connection, [new])
            Facts.last_command.put(connection, command.number)
        self.entrants.reload()
        return leavers

    def _withdraw(self, command: WithdrawalCommand) -> list[Id]:
        leavers = self._list_current(command.name)
        changes = [self._build_state_row(id_, command.state, command.why) for id_ in leavers]
        with self.begin_write() as connection:
            connection.execute_many(SET_STATE, changes)
            Facts.last_command.put(connection, command.number)
        return leavers

    def _hide_name(self, command: AliasCommand) -> None:
        aliases = {**self.facts.aliases, command.name: command.alias}
        with self.begin_write() as connection:
            Facts.aliases.put(connection, aliases)
            Facts.last_command.put(connection, command.number)

    def _list_current(self, name: str) -> list[Id]:
        """Return the versions of this name that play, or wait for a place."""
        entries = self.list_entries()
        return [entry.id for entry in entries if entry.name == name and entry.state.is_current]

    def set_state(self, entrant: Id, state: State, why: str = "") -> None:
        """Set the state of an entrant."""
        row = self._build_state_row(entrant, state, why)
        with self.begin_write() as connection:
            connection.execute(SET_STATE, row)

    def _build_state_row(self, entrant: Id, state: State, why: str) -> Row:
        return str(state), clean_text(why), self.entrants.find_number(entrant)

    def plan(self, deals: Sequence[Deal]) -> None:
        """Store planned deals, in one transaction."""
        rows = [self._build_deal_row(deal) for deal in deals]
        if rows:
            with self.begin_write() as connection:
                connection.execute_many(PUT_DEAL, rows)
                Facts.last_plan.put(connection, deals[0].number)

    def _build_deal_row(self, deal: Deal) -> Row:
        seats = dump([self.entrants.find_number(entrant) for entrant in deal.seats])
        return deal.number, seats, deal.rotations, deal.stage, dump(deal.state)

    def begin(self, deal: int) -> int:
        """Record that a deal was started; return the number of earlier starts."""
        with self.begin_write() as connection:
            before = connection.read_value("SELECT begun FROM deals WHERE number = ?", (deal,))
            assert before is not None, "the deal was not planned"
            connection.execute("UPDATE deals SET begun = begun + 1 WHERE number = ?", (deal,))
        return int(before)

    def record(self, match: MatchRecord) -> bool:
        """Store a finished match; return whether it had no result before."""
        rows = self._build_rows(match)
        with self.begin_write() as connection:
            return self._put(connection, *rows)

    def record_deal(self, deal: Deal, records: Iterable[MatchRecord]) -> None:
        """Store a deal that was not planned before with all its results, in one transaction."""
        deal_row, rows_of_matches = self._build_deal_row(deal), [*map(self._build_rows, records)]
        with self.begin_write() as connection:
            connection.execute(PUT_DEAL, deal_row)
            for rows in rows_of_matches:
                self._put(connection, *rows)

    def _build_rows(self, match: MatchRecord) -> tuple[Row, list[Row], Row | None]:
        """Return the rows of a match; look up the numbers of entrants before writing."""
        seats = [self._build_seat_row(match.key, at, seat) for at, seat in enumerate(match.seats)]
        row = _build_match_row(
            match.key, match.outcome, match.detail, match.rounds, match.seconds, cause=match.cause
        )
        blob = match.transcript
        return row, seats, None if blob is None else (*match.key, blob)

    def _build_seat_row(self, key: Key, at: int, seat: SeatRecord) -> Row:
        failure = seat.failure
        return (
            *key, at, self.entrants.find_number(seat.id), seat.score, seat.place, seat.seconds,
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
            with self.begin_write() as connection:
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
        with self.begin_read() as connection:
            for entrant in some:
                rows = connection.read_rows(query, (self.entrants.find_number(entrant),))
                by_key |= {(deal, rotation): size for deal, rotation, size in rows}
        sizes = [size for size in by_key.values() if size is not None]
        return sorted(by_key), len(sizes), sum(sizes)

    def archive(self, some: Iterable[Id], keys: Sequence[Key], why: str) -> None:
        """Remove matches of entrants that have left, in one transaction.

        The matches stay settled, as cancelled ones, so that they are not played again.
        """
        states = [self._build_state_row(entrant, State.ARCHIVED, why) for entrant in some]
        rows = [(CANCELLED, clean_text(why), *key) for key in keys]
        with self.begin_write() as connection:
            connection.execute_many(f"DELETE FROM transcripts {HERE}", keys)
            connection.execute_many(f"DELETE FROM seats {HERE}", keys)
            connection.execute_many(f'UPDATE matches SET "end" = ?, detail = ? {HERE}', rows)
            connection.execute_many(SET_STATE, states)

    def shrink(self) -> None:
        """Give the space of what was removed back to the disk; a server does so by itself."""
        if self.address.path:
            self.check_files()
            with self.address.translate_errors():
                self.connection.execute("VACUUM")

    def reopen(self, keys: Iterable[Key]) -> None:
        """Make matches that are over open again; their results are kept as replaced ones."""
        match = f'SELECT "end", cause, detail, rounds, seconds, stored FROM matches {HERE}'
        of_match = ("outcome", "cause", "detail", "rounds", "seconds", "when")
        seats = (
            "SELECT seat, name, version, score, place, kind FROM seats"
            f" JOIN entrants ON entrants.id = seats.entrant {HERE} ORDER BY seat"
        )
        of_seat = ("seat", "name", "version", "score", "place", "verdict")
        with self.begin_write() as connection:
            for key in keys:
                number = 1 + connection.read_value(f"SELECT COUNT(*) FROM replaced {HERE}", key)
                (row,) = connection.read_rows(match, key)
                result: dict[str, Any] = dict(zip(of_match, row, strict=True))
                rows = connection.read_rows(seats, key)
                result["seats"] = [dict(zip(of_seat, row, strict=True)) for row in rows]
                row = (*key, number, dump(result))
                connection.execute(PUT_REPLACED, row)
                for table in ("transcripts", "seats", "matches"):
                    connection.execute(f"DELETE FROM {table} {HERE}", key)

    def count_replaced(self) -> int:
        """Return the number of results that were replaced by playing a match again."""
        with self.begin_read() as connection:
            return int(connection.read_value("SELECT COUNT(*) FROM replaced"))

    def find_matches(self, which: MatchFilter | None = None) -> Iterator[MatchRecord]:
        """Return the matches that pass a filter; raise UnknownNameError for a bot."""
        which = which or MatchFilter()
        numbers = [] if which.bot is None else self.entrants.find_numbers(which.bot)
        others = [] if which.against is None else self.entrants.find_numbers(which.against)
        return self._read_pages(which, numbers, others)

    def _read_pages(
        self, which: MatchFilter, numbers: Sequence[int], others: Sequence[int]
    ) -> Iterator[MatchRecord]:
        after, remainder = which.after, which.limit
        while remainder != 0:
            size = PAGE_MATCHES if remainder is None else min(PAGE_MATCHES, remainder)
            with self.begin_read() as connection:
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
        with self.begin_read() as connection:
            rows = {row[:2]: row for row in connection.execute(matches, deals)}
            seat_rows = connection.read_rows(seats, deals)
            earlier = connection.read_rows(replaced, deals)
        at = {key: [*group] for key, group in groupby(seat_rows, itemgetter(0, 1))}
        history = {
            key: [json.loads(result) for _, _, result in group]
            for key, group in groupby(earlier, itemgetter(0, 1))
        }
        return [
            _read_match(
                rows[key], map(self._read_seat, at.get(key, ())), history.get(key, ())
            ).hide(self.entrants.aliases)
            for key in keys
            if key in rows
        ]

    def _read_seat(self, row: Row) -> SeatRecord:
        _, _, seat, score, place, seconds, sandbox, verdict, errors, earlier, name, version = row
        return SeatRecord(
            name, version, place, None if score is None else to_json_number(score),
            round(seconds, 6),
            verdict and VerdictRecord.parse(json.loads(verdict)), errors, sandbox, earlier,
            self.settings.team_numbers.get(seat),
        )  # fmt: skip

    def load_transcript(self, deal: int, rotation: int) -> bytes | None:
        """Return a match's transcript, JSON lines; None if none was kept."""
        with self.begin_read() as connection:
            blob = connection.read_value(f"SELECT blob FROM transcripts {HERE}", (deal, rotation))
        return None if blob is None else zlib.decompress(blob)

    def measure_transcripts(self) -> int:
        """Return the compressed size of all transcripts in bytes; slow if there are many."""
        with self.begin_read() as connection:
            return int(connection.read_value("SELECT SUM(LENGTH(blob)) FROM transcripts") or 0)

    def load_past(self) -> PastMatches:
        """Return the counts of all deals so far, without results and cancelled matches."""
        past, cancelled = PastMatches(), self._find_cancelled()
        for page in self._read_deals():
            for deal in page:
                past.count_deal(deal, cancelled.get(deal.number, ()))
        return past

    def _find_cancelled(self) -> dict[int, list[int]]:
        """Return the cancelled rotations of each deal that has any."""
        query = 'SELECT deal, rotation FROM matches WHERE "end" = ?'
        by_deal: dict[int, list[int]] = {}
        with self.begin_read() as connection:
            for deal, rotation in connection.execute(query, (CANCELLED,)):
                by_deal.setdefault(deal, []).append(rotation)
        return by_deal

    def list_results(self, start: int = 0) -> tuple[PlayedMatch, ...]:
        """Return all settled matches in the order of keys, cancelled ones as void.

        Deals before `start` are left out.
        """
        return tuple(
            match for page in self._read_deals(start=start) for match in self._read_results(page)
        )

    def _read_results(self, page: list[Deal]) -> Iterator[PlayedMatch]:
        """Yield the results of consecutive deals, seat by seat, also where there are none."""
        query = (
            "SELECT matches.deal, matches.rotation, place FROM matches LEFT JOIN seats"
            " ON seats.deal = matches.deal AND seats.rotation = matches.rotation"
            " WHERE matches.deal BETWEEN ? AND ? ORDER BY matches.deal, matches.rotation, seat"
        )
        with self.begin_read() as connection:
            rows = connection.read_rows(query, (page[0].number, page[-1].number))
        for (number, rotation), group in groupby(rows, itemgetter(0, 1)):
            places = tuple(place for _, _, place in group)
            deal = page[number - page[0].number]
            yield PlayedMatch(deal, rotation, None if None in places else places)

    _open_from = 0  # all deals before this one are settled

    def list_todo(self) -> Iterator[tuple[Deal, int]]:
        """Yield the planned matches without a result, in the order of keys."""
        start, first = self._count_deals(), self._find_open_part()
        for page in self._read_deals(first, only_open=True):
            start = min(start, page[0].number)
            self._open_from = start
            over = self._find_over(page)
            for deal in page:
                keys = ((deal.number, rotation) for rotation in range(deal.rotations))
                yield from (
                    (deal, rotation) for number, rotation in keys if (number, rotation) not in over
                )
        self._open_from = start

    def _find_open_part(self) -> int:
        """Return the number of a deal before which all are settled; after it soon one is not.

        To count the matches of many deals takes a tenth of the time of counting those of each.
        """
        last = self._count_deals()
        total = "SELECT SUM(rotations) FROM deals WHERE number BETWEEN ? AND ?"
        over = "SELECT COUNT(*) FROM matches WHERE deal BETWEEN ? AND ?"
        for start in range(self._open_from, last, OPEN_DEALS):
            ends = start, start + OPEN_DEALS - 1
            with self.begin_read() as connection:
                if connection.read_value(over, ends) != connection.read_value(total, ends):
                    return start
        return last

    def _count_deals(self) -> int:
        with self.begin_read() as connection:
            return int(connection.read_value("SELECT COUNT(*) FROM deals"))

    def _find_over(self, page: list[Deal]) -> set[Key]:
        """Return the settled keys of these deals."""
        numbers = [deal.number for deal in page]
        query = f"SELECT deal, rotation FROM matches WHERE deal IN ({format_marks(numbers)})"
        with self.begin_read() as connection:
            return {(deal, rotation) for deal, rotation in connection.execute(query, numbers)}

    def find_deal(self, number: int) -> Deal | None:
        """Return a planned deal, or None."""
        with self.begin_read() as connection:
            row = connection.read_row(f"{GET_DEALS} WHERE number = ?", (number,))
        return None if row is None else self._parse_deal(row)

    def _read_deals(self, start: int = 0, *, only_open: bool = False) -> Iterator[list[Deal]]:
        """Yield deals from this number on, page by page, or only those that are not settled."""
        query = f"{GET_DEALS} WHERE number >= ?"
        if only_open:
            query += " AND rotations > (SELECT COUNT(*) FROM matches WHERE deal = number)"
        query += f" ORDER BY number LIMIT {PAGE_DEALS}"
        while True:
            with self.begin_read() as connection:
                rows = connection.read_rows(query, (start,))
            if not rows:
                return
            page = [*map(self._parse_deal, rows)]
            yield page
            start = page[-1].number + 1

    def _parse_deal(self, row: Sequence[Any]) -> Deal:
        number, seats, rotations, stage, state = row
        entrants = tuple([self.entrants.find_entrant(number) for number in json.loads(seats)])
        return Deal(
            number, entrants, rotations, stage, tuple(json.loads(state)), self.settings.plays_alone
        )

    def list_void(self, causes: Collection[VoidCause]) -> list[tuple[Deal, int]]:
        """Return the void matches with these causes, in the order of keys."""
        names = [*map(str, causes)]
        query = (
            "SELECT number, seats, rotations, stage, state, rotation FROM matches"
            f' JOIN deals ON number = deal WHERE "end" = ? AND cause IN ({format_marks(names)})'
            " ORDER BY deal, rotation"
        )
        with self.begin_read() as connection:
            rows = connection.read_rows(query, (str(End.VOID), *names))
        return [(self._parse_deal(deal), rotation) for *deal, rotation in rows]

    def count_matches(self) -> MatchCounts:
        """Return the counts of matches by their state."""
        with self.begin_read() as connection:
            total = connection.read_value("SELECT SUM(rotations) FROM deals") or 0
            by_end = 'SELECT "end", COUNT(*) FROM matches GROUP BY "end"'
            counts: dict[str, int] = dict(connection.read_rows(by_end))
        cancelled = counts.pop(CANCELLED, 0)
        return MatchCounts(total, sum(counts.values()), counts.get(End.VOID, 0), cancelled)

    def find_first_and_last(self) -> tuple[str, str] | None:
        """Return the end times of the first and last match (ISO 8601, UTC); None before any."""
        with self.begin_read() as connection:
            first = connection.read_value(FIRST_TIME, (CANCELLED,))
            last = connection.read_value(LAST_TIME, (CANCELLED,))
        return None if first is None else (first, last)

    def is_deal_over(self, deal: int) -> bool:
        """Return whether every rotation of a planned deal is over or cancelled."""
        over = "SELECT COUNT(*) FROM matches WHERE deal = number"
        query = f"SELECT rotations = ({over}) FROM deals WHERE number = ?"
        with self.begin_read() as connection:
            return bool(connection.read_value(query, (deal,)))

    def count_rotations(self, deal: int) -> int:
        """Return the number of rotations of a deal; 0 if there is no such deal."""
        query = "SELECT rotations FROM deals WHERE number = ?"
        with self.begin_read() as connection:
            return connection.read_value(query, (deal,)) or 0

    def get_stamp(self) -> tuple[object, ...]:
        """Return a stamp that differs after stored data has changed; it is cheap to read often.

        Compare stamps only of the same open store.
        """
        with self.begin_read() as connection:
            if self.address.path:
                return (connection.read_value("PRAGMA data_version"),)
            newest = connection.read_row(  # the latest time, and the number of matches stored then
                "SELECT stored, COUNT(*) FROM matches GROUP BY stored ORDER BY stored DESC LIMIT 1"
            )
            last_deal = connection.read_value("SELECT MAX(number) FROM deals")
            states = connection.read_rows("SELECT id, state FROM entrants ORDER BY id")
            return newest, last_deal, *states

    def load_results(self, chosen: Iterable[Id] | None = None) -> Results:
        """Return all matches with results, or only those between the given entrants.

        Takes the memory of the result twice, which is 28 bytes for each seat.
        """
        return self._seat_reader.load_results(chosen)

    def load_results_and_totals(self) -> tuple[Results, dict[Id, EntrantTotals]]:
        """Return all results and the totals of all entrants, from one reading of all seats."""
        return self._seat_reader.load_results_and_totals()

    def count_totals(self) -> dict[Id, EntrantTotals]:
        """Return the totals of all entrants, even those without matches, in the order of entry."""
        return self._seat_reader.count_totals()

    @property
    def _seat_reader(self) -> SeatReader:
        from arena.tournament.store.seat_reader import SeatReader  # numpy is slow

        return SeatReader(self, self.entrants, self.settings.partners)

    def find_debut(self, entrant: Id) -> str | None:
        """Return the time of an entrant's first result (ISO 8601, UTC); None before that."""
        query = f"{OF_ENTRANT} ORDER BY seats.deal, seats.rotation LIMIT 1"
        with self.begin_read() as connection:
            time: str | None = connection.read_value(query, (self.entrants.find_number(entrant),))
        return time

    def find_last_time(self, entrant: Id) -> str | None:
        """Return the time of an entrant's last result (ISO 8601, UTC); None without any."""
        query = f"{OF_ENTRANT} ORDER BY seats.deal DESC, seats.rotation DESC LIMIT 1"
        with self.begin_read() as connection:
            time: str | None = connection.read_value(query, (self.entrants.find_number(entrant),))
        return time

    def find_deal_time(self, deal: int) -> str | None:
        """Return the time of a deal's first result (ISO 8601, UTC); None before that."""
        query = "SELECT MIN(stored) FROM matches WHERE deal = ?"
        with self.begin_read() as connection:
            time: str | None = connection.read_value(query, (deal,))
        return time

    def find_longest(self) -> tuple[Key, int] | None:
        """Return the first of the longest matches and its rounds; None if all are as long."""
        lengths = 'SELECT MIN(rounds), MAX(rounds) FROM matches WHERE "end" = ?'
        first = (
            'SELECT deal, rotation FROM matches WHERE "end" = ? AND rounds = ?'
            " ORDER BY deal, rotation LIMIT 1"
        )
        end = str(End.FINISHED)
        with self.begin_read() as connection:
            ((shortest, longest),) = connection.read_rows(lengths, (end,))
            if longest == shortest:
                return None
            ((deal, rotation),) = connection.read_rows(first, (end, longest))
        return (deal, rotation), longest

    def find_rotation(self, deal: int, seated: Sequence[Id]) -> int:
        """Return the first rotation of a deal with these entrants in seat order, or 0."""
        order = [self.entrants.find_number(entrant) for entrant in seated]
        query = "SELECT rotation, entrant FROM seats WHERE deal = ? ORDER BY rotation, seat"
        with self.begin_read() as connection:
            rows = connection.read_rows(query, (deal,))
        for rotation, group in groupby(rows, itemgetter(0)):
            if [number for _, number in group] == order:
                return int(rotation)
        return 0

    def list_settled_deals(self, start: int, without: Collection[int], limit: int) -> list[int]:
        """Return the first deals from this number on of which every rotation is settled."""
        query = (
            "SELECT deal FROM matches JOIN deals ON number = deal WHERE deal >= ?"
            " GROUP BY deal, rotations HAVING COUNT(*) = rotations ORDER BY deal LIMIT ?"
        )
        with self.begin_read() as connection:
            deals = connection.read_column(query, (start, limit + len(without)))
        return [deal for deal in deals if deal not in without][:limit]

    def iterate_transcripts(self, some: Sequence[int]) -> Iterator[StoredTranscript]:
        """Yield the stored transcripts of these deals, without those of void matches."""
        with self.begin_read() as connection:
            rows = connection.read_rows(TRANSCRIPTS.format(deals=format_marks(some)), some)
        teams = self.settings.teams
        for key, group in groupby(rows, itemgetter(0, 1)):
            rows_of_match = [*group]
            numbers = tuple([entrant for _, _, entrant, _ in rows_of_match])
            entrants = spread_over_seats(teams, numbers) if teams else numbers
            yield StoredTranscript(key, entrants, rows_of_match[0][-1])


def clean_text(text: str) -> str:
    r"""Return a text that every database accepts: without NUL and lone surrogates.

    >>> clean_text("a\0b")
    'a\ufffdb'
    """
    return text.encode(errors="replace").decode().replace("\0", "\ufffd")


def _read_match(
    row: Row, seats: Iterable[SeatRecord], earlier: Sequence[Mapping[str, Any]]
) -> MatchRecord:
    deal, rotation, end, rounds, detail, seconds, when, cause, stage, transcript = row
    return MatchRecord(
        deal, rotation, end, rounds, tuple(seats), round(seconds, 6), detail,
        VoidCause(cause) if cause else None, stage=stage, when=when, recorded=bool(transcript),
        replaced=earlier,
    )  # fmt: skip


@lru_cache(maxsize=1000)
def _read_containment(text: str) -> Containment:
    """Return the containment of an entrant, which is the same for most of thousands."""
    return read(json.loads(text), Containment)


def _build_match_row(
    key: Key, end: End | str, detail: str, rounds: int = 0, seconds: float = 0.0,
    *, cause: VoidCause | None = None,
) -> Row:  # fmt: skip
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return (*key, str(end), rounds, clean_text(detail), seconds, now, cause and str(cause))
