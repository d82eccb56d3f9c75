"""The store: one class that reads and writes a tournament's database.

While matches are played, the coordinator writes: deals when they are planned, results when they
come. Everybody reads. Long results are read in pages of deals, so that they take little memory,
hold no lock, and include matches that are stored meanwhile; the ratings get millions of results as
columns.

First come the queries for pages of matches: the filter, the rows of a page, and these as JSON.
Other statements are built once and stand above the method that runs them, since building them costs
more than running them.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from attrs import frozen
from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Table,
    Update,
    bindparam,
    case,
    cast,
    delete,
    exists,
    func,
    insert,
    select,
    tuple_,
    union,
    update,
)

from arena.records import to_json_number
from arena.rules import End, Sides, UnknownNameError, UserError, get_player_name, spread_over_seats
from arena.tournament.match_record import MatchRecord, SeatRecord, VerdictRecord
from arena.tournament.models import (
    Containment,
    CoordinatorCommand,
    Deal,
    Entry,
    Id,
    PastMatches,
    PlayedMatch,
    State,
    VoidCause,
    format_id,
    get_name,
)
from arena.tournament.store import schema
from arena.tournament.store.old_database import DatabaseAddress, DatabaseConnection, upgrade
from arena.tournament.store.schema import (
    CANCELLED,
    deals,
    entrants,
    facts,
    matches,
    replaced,
    seats,
    transcripts,
)
from arena.tournament.titles import Titles
from arena.wires import converter, dump, read

if TYPE_CHECKING:
    from arena.tournament.rating_input import Results
    from arena.tournament.seat_rows import ResultColumns, Rows, SeatSums

Key = tuple[int, int]  # a deal, and its rotation
WON, LOST = "won", "lost"  # what a match was for a bot


@frozen
class MatchFilter:
    """A filter and an order of matches; the newest are those of the latest deals."""

    bot: str | None = None  #: a name, for all its versions; or an id, for one
    verdict: str | None = None  #: of this kind: against that bot, or where none is named anybody
    end: str | None = None  #: cancelled ones are given only when they are asked for
    stage: str | None = None  #: of the tournament, such as `final`
    limit: int | None = None  #: at most so many
    newest: bool = False  #: these first?
    against: str | None = None  #: who sat there, too: a name or an id
    result: str | None = None  #: `won` (perhaps with others) or `lost` by that bot
    after: Key | None = None  #: only those that come behind this one, in that order

    def select_keys(
        self, numbers: Sequence[int], others: Sequence[int], after: Key | None, size: int
    ) -> Select[Any]:
        """Select the keys of the page after a key; `numbers` are those of the bot, if one is named.

        `others` are the numbers of whom it is against.

        Each number walks its own way along an index, so that a page costs the same however
        many matches there are.
        """
        if len(numbers) <= 1:
            number = numbers[0] if numbers else None
            return self._page(self._select(number, others), after, size)
        ways = [
            self._page(self._select(number, others), after, size).subquery() for number in numbers
        ]
        both = union(*(select(way.c.deal, way.c.rotation) for way in ways)).subquery()
        return self._limit(select(both.c.deal, both.c.rotation), size)

    def _select(self, number: int | None, others: Sequence[int]) -> Select[Any]:
        """Select the keys that pass the filter, from the most selective table."""
        by_seat = number is not None or self.verdict is not None
        table = seats if by_seat else matches
        joined: FromClause = table
        if by_seat and self.end is not None:
            joined = joined.join(matches)
        if self.stage is not None:
            joined = joined.join(deals, deals.c.number == table.c.deal)
        some = select(table.c.deal, table.c.rotation).distinct().select_from(joined)
        wanted = {
            seats.c.entrant: number,
            seats.c.kind: self.verdict,
            matches.c.end: self.end,
            deals.c.stage: self.stage,
        }
        some = some.where(
            *(column == value for column, value in wanted.items() if value is not None)
        )
        if number is not None and self.result is not None:
            some = some.where(seats.c.place == 1 if self.result == WON else seats.c.place > 1)
        if others:
            there = _THERE.c.deal == table.c.deal, _THERE.c.rotation == table.c.rotation
            some = some.where(exists().where(*there, _THERE.c.entrant.in_(others)))
        hidden = not by_seat and self.end is None
        return some.where(matches.c.end != CANCELLED) if hidden else some

    def _page(self, some: Select[Any], after: Key | None, size: int) -> Select[Any]:
        if after is not None:
            here = tuple_(*some.selected_columns)
            some = some.where(here < after if self.newest else here > after)
        return self._limit(some, size)

    def _limit(self, some: Select[Any], size: int) -> Select[Any]:
        columns = some.selected_columns
        order = [column.desc() for column in columns] if self.newest else columns
        return some.order_by(*order).limit(size)


_THERE = seats.alias("there")

MATCHES = (
    select(matches, deals.c.stage, transcripts.c.deal.is_not(None).label("transcript"))
    .join(deals)
    .outerjoin(transcripts)
    .where(matches.c.deal.in_(bindparam("these", expanding=True)))
)

SEATS = (
    select(
        *(seats.c[name] for name in ("deal", "rotation", "seat", "score", "place", "used")),
        *(seats.c[name] for name in ("sandbox", "verdict", "errors", "earlier")),
        *(entrants.c[name] for name in ("name", "version")),
    )
    .join(entrants)
    .where(seats.c.deal.in_(bindparam("these", expanding=True)))
    .order_by(seats.c.deal, seats.c.rotation, seats.c.seat)
)

REPLACED = (
    select(replaced)
    .where(replaced.c.deal.in_(bindparam("these", expanding=True)))
    .order_by(replaced.c.deal, replaced.c.rotation, replaced.c.number)
)


GONE = "{} no longer takes part"  # the reason for a cancelled match
LAST_PLAN = "last plan"  # the fact with the first deal of those that were planned last
CARRIED_OUT = "orders"  # the fact with the number of the last command
CHECKED = "checked"  # the fact with the entrants that have passed their check
TITLES = "titles"  # the fact with the titles that bots give themselves, by name
FILE_TITLES = "titles of the file"  # the fact with those that the tournament's file gives
HIDDEN = "hidden"  # the fact with the aliases of hidden names
PAGE_MATCHES = 500  # read at once
PAGE_DEALS = 2000  # of the plan, read at once
CHUNK_DEALS = 10_000  # of results, read at once
OPEN_DEALS = 20_000  # whose matches are counted together, to find those that are missing
Row = dict[str, Any]


@frozen
class MatchCounts:
    """The progress of a tournament, in matches."""

    planned: int
    stored: int  # finished, including void ones
    void: int  # of those that are stored
    cancelled: int  # planned but cancelled; not counted as stored

    @property
    def remaining(self) -> int:
        """The number of planned matches that are still to be played."""
        return self.planned - self.stored - self.cancelled


@frozen
class EntrantTotals:
    """The totals of an entrant, without void matches."""

    matches: int
    verdicts: Mapping[str, int]  # by kind
    seconds: float  # that it used in a match, on average
    slowest: float = 0.0  # seconds, in the match in which it used most
    many_games: bool = False  # whether a process of it plays match after match

    @property
    def fair_matches(self) -> int:
        """Return in how many matches it earned no verdict."""
        return self.matches - sum(self.verdicts.values())


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


class Store(DatabaseConnection):
    """A tournament's database: call `Store.open(address)` to read, then `claim()` to write.

    If it is `aliased`, its results do not contain names that the host has hidden.
    """

    def __init__(
        self, address: DatabaseAddress, *, write: bool, aliased: bool | Mapping[str, str] = False
    ) -> None:
        super().__init__(address, write=write)
        self.aliased = aliased

    @classmethod
    def exists(cls, address: str | Path) -> bool:
        """Return whether there is a tournament; raise UserError for another program's database."""
        where = DatabaseAddress.of(address)
        if where.path and not where.path.exists():
            return False
        with cls(where, write=False) as database:
            return database._read_revision() is not None

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
        database = cls(where, write=write, aliased=aliased)
        return database._close_on_error(database._bring_up_to_date)

    @classmethod
    def create(
        cls, address: str | Path, facts: Mapping[str, Any], entries: Iterable[Entry] = ()
    ) -> Self:
        """Create a tournament and claim it, completely or not at all; raise UserError."""
        where = DatabaseAddress.of(address)
        if where.path and not where.path.parent.is_dir():
            raise UserError(f"{where.shown}: its folder does not exist")
        database = cls(where, write=True)
        return database._close_on_error(lambda: database._create_tables(facts, entries))

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
        try:
            store.claim()
            check(store)
        except BaseException:
            store.close()
            raise
        return store

    def _read_revision(self) -> str | None:
        """Return the revision of the schema, or None for an empty database; raise UserError."""
        with self.begin_read() as connection:
            return schema.SCHEMA.find_revision(connection, self.address.shown)

    def _bring_up_to_date(self) -> None:
        with suppress(UserError), self.begin_read() as connection:  # the error is raised below
            if schema.SCHEMA.is_newest(connection):
                return
        shown, found = self.address.shown, self._read_revision()
        if found == schema.SCHEMA.newest:
            return
        if found is None:
            raise UserError(f"{shown}: the database contains no tournament")
        if not self._may_claim:
            raise UserError(
                f"{shown}: created by an older version of arena; run the tournament to upgrade it"
            )
        self.claim()
        with self.begin_write() as connection:
            upgrade(connection)

    def _create_tables(self, facts: Mapping[str, Any], entries: Iterable[Entry]) -> None:
        self._check_encoding()
        self._check_empty()  # before SQLite switches an unrelated file to WAL mode
        self.claim()
        self._check_empty()  # again, now that nobody else can write
        with self.begin_write() as connection:
            schema.SCHEMA.create_tables(connection)
            rows = [{"name": name, "value": dump(value)} for name, value in facts.items()]
            if rows:
                connection.execute(insert(schema.facts), rows)
            self._insert_entries(entries)

    def _check_encoding(self) -> None:
        """Raise UserError unless the database can store every text."""
        if not self.address.path:
            with self.begin_read() as connection:
                encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
            if encoding != "UTF8":
                raise UserError(
                    f"{self.address.shown}: the database uses the encoding {encoding}, not UTF8"
                )

    def _check_empty(self) -> None:
        if self._read_revision() is not None:
            raise UserError(f"{self.address.shown}: the database already contains a tournament")

    _FACT = select(facts.c.value).where(facts.c.name == bindparam("name"))

    def get_fact(self, name: str) -> Any:
        """Return the JSON value of a fact, or None if there is none of this name."""
        with self.begin_read() as connection:
            value = connection.scalar(self._FACT, {"name": name})
        return None if value is None else json.loads(value)

    def set_fact(self, name: str, value: Any) -> None:
        """Set the JSON value of a fact."""
        with self.begin_write():
            self._put_fact(name, value)

    def _put_fact(self, name: str, value: Any) -> None:
        """Set a fact, within a transaction."""
        self.connection.execute(delete(facts).where(facts.c.name == name))
        self.connection.execute(insert(facts).values(name=name, value=dump(value)))

    def list_entries(self) -> tuple[Entry, ...]:
        """Return all entrants in all versions, in the order of entry."""
        with self.begin_read() as connection:
            rows = connection.execute(select(entrants).order_by(entrants.c.id)).all()
        return tuple(map(self._read_entry, rows))

    def list_active(self) -> tuple[Entry, ...]:
        """Return the active entrants, in the order of entry."""
        return tuple(entry for entry in self.list_entries() if entry.state is State.ACTIVE)

    def _read_entry(self, row: Any) -> Entry:
        return Entry(
            self.mask_name(row.name),
            row.version,
            row.bot,
            row.keeps,
            _read_containment(row.containment),
            State(row.state),
            row.why,
            title="" if row.name in self.aliases else self._titles.get(row.name, ""),
        )

    def enter(self, entry: Entry) -> None:
        """Add an entrant; raise UserError if this version has entered before."""
        if entry.id in self.numbers:
            raise UserError(f"{entry.id} has already entered")
        with self.begin_write():
            self._insert_entries([entry])
        self._clear_cache()

    def load_own_titles(self) -> dict[str, str]:
        """Return the titles that bots give themselves, by the entrants' names."""
        return self.get_fact(TITLES) or {}

    def set_file_titles(self, titles: Mapping[str, str]) -> None:
        """Set the titles that the tournament's file gives, by the entrants' names."""
        self.set_fact(FILE_TITLES, titles)
        self._clear_cache()

    def _insert_entries(self, entries: Iterable[Entry]) -> None:
        last = self.connection.scalar(select(func.max(entrants.c.id))) or 0
        for number, entry in enumerate(entries, last + 1):
            for word in (entry.name, entry.bot):
                if clean_text(word) != word:
                    raise UserError(f"{word!a} cannot be stored: it is not UTF-8")
            row = {name: getattr(entry, name) for name in ("name", "version", "bot", "keeps")}
            row["containment"] = dump(converter.unstructure(entry.containment))
            row |= {"id": number, "state": str(entry.state), "why": clean_text(entry.why)}
            self.connection.execute(insert(entrants).values(**row))
            self._put_title(entry)

    def _put_title(self, entry: Entry) -> None:
        """Store the title of a new version, within a transaction."""
        value = self.connection.scalar(self._FACT, {"name": TITLES})
        before: dict[str, str] = {} if value is None else json.loads(value)
        titles = {**before, entry.name: entry.title}
        if entry.title != before.get(entry.name, ""):
            self._put_fact(TITLES, {name: title for name, title in titles.items() if title})

    def record_check(self, entrant: Id) -> None:
        """Record that an entrant passed its check, so that later runs do not repeat it.

        An entrant of a hill was checked on admission. A second check at each start would exclude it
        for good if the machine is slow at that moment.
        """
        self.set_fact(CHECKED, sorted({*self.list_checked(), entrant}))

    def list_checked(self) -> list[Id]:
        """Return the entrants that have passed their check."""
        return self.get_fact(CHECKED) or []

    def get_last_command(self) -> int:
        """Return the number of the last command that was carried out, or 0."""
        return self.get_fact(CARRIED_OUT) or 0

    def carry_out(self, order: CoordinatorCommand) -> list[Id]:
        """Execute a command and record that, in one transaction.

        Returns the entrants that it removed.
        """
        if order.alias:
            hidden = {**(self.get_fact(HIDDEN) or {}), order.name: order.alias}
            with self.begin_write():
                self._put_fact(HIDDEN, hidden)
                self._put_fact(CARRIED_OUT, order.number)
            return []
        new = order.entry
        named = [entry for entry in self.list_entries() if entry.name == order.name]
        gone = [entry.id for entry in named if entry.state.is_current]
        if new is not None:  # one that does not play leaves the other versions where they are
            plays = new.state is State.ACTIVE
            gone = [entrant for entrant in gone if (entrant != new.id) is plays]
        known = new is not None and new.id in self.numbers  # read before anything is written
        state, why = order.state, order.why
        if new is not None:
            state, why = State.REPLACED, f"by version {new.version}"
        changed = [self.build_state_update(entry, state, why) for entry in gone]
        if new is not None and known:
            changed.append(self.build_state_update(new.id, new.state, new.why))
        with self.begin_write() as connection:
            for statement in changed:
                connection.execute(statement)
            if new is not None and not known:
                self._insert_entries([new])
            self._put_fact(CARRIED_OUT, order.number)
        self._clear_cache()
        return gone

    def set_state(self, entrant: Id, state: State, why: str = "") -> None:
        """Set the state of an entrant."""
        changed = self.build_state_update(entrant, state, why)
        with self.begin_write() as connection:
            connection.execute(changed)

    def build_state_update(self, entrant: Id, state: State, why: str) -> Update:
        """Return the statement that sets the state of an entrant."""
        changed = update(entrants).where(entrants.c.id == self.find_number(entrant))
        return changed.values(state=str(state), why=clean_text(why))

    def find_number(self, entrant: Id) -> int:
        """Return the number of an entrant in the tables; raise UnknownNameError."""
        if entrant not in self.numbers:
            self._clear_cache()  # it may have entered meanwhile
        if entrant not in self.numbers:
            raise UnknownNameError("entrant", entrant, self.numbers)
        return self.numbers[entrant]

    def find_entrant(self, number: int) -> Id:
        """Return the entrant with a number."""
        if number > len(self.ids):
            self._clear_cache()
        return self.ids[number - 1]

    def list_teams(self) -> Sides | None:
        """Return the seats of each entrant of a match; None if each has one seat."""
        teams = (self.get_fact("tournament") or {}).get("teams")
        return teams and tuple(map(tuple, teams))

    @cached_property
    def _plays_alone(self) -> bool:
        """Whether a match has one entrant."""
        facts, teams = self.get_fact("tournament") or {}, self.list_teams()
        return (len(teams) if teams else facts.get("table")) == 1

    def list_partners(self) -> Sides | None:
        """Return the seats of each team, where partners are drawn; else None."""
        teams = (self.get_fact("tournament") or {}).get("partners")
        return teams and tuple(map(tuple, teams))

    @cached_property
    def _team_of(self) -> Mapping[int, int]:
        """The number of the team of each seat, where partners are drawn; else nothing."""
        teams = enumerate(self.list_partners() or ())
        return {seat: number for number, side in teams for seat in side}

    def mask_name(self, name: str) -> str:
        """Return the alias of a hidden name, or else the name; a seat's keeps its number."""
        player = get_player_name(name)
        return self.aliases.get(player, player) + name.removeprefix(player)

    def label_name(self, name: str) -> str:
        """Return what people see in place of a name: its alias if it is hidden, or its title."""
        player = get_player_name(name)
        shown = self.aliases.get(player) or self._titles.get(player, player)
        return shown + name.removeprefix(player)

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """The aliases of hidden names, where these are not to be shown; else none."""
        if isinstance(self.aliased, Mapping):
            return self.aliased
        return (self.get_fact(HIDDEN) or {}) if self.aliased else {}

    @cached_property
    def _titles(self) -> Mapping[str, str]:
        """The titles of entrants by name, without those that look like somebody else."""
        of_file, own = self.get_fact(FILE_TITLES) or {}, self.load_own_titles()
        if not (of_file or own):
            return {}
        with self.begin_read() as connection:
            names = connection.scalars(select(entrants.c.name)).all()
        aliases = (self.get_fact(HIDDEN) or {}).values()
        return Titles(of_file, own, [*names, *aliases]).shown

    @cached_property
    def numbers(self) -> dict[Id, int]:
        """Return the entrants' numbers, which begin with 1."""
        return {entrant: number for number, entrant in enumerate(self.ids, 1)}

    _IDS = select(entrants.c.name, entrants.c.version).order_by(entrants.c.id)

    @cached_property
    def ids(self) -> tuple[Id, ...]:
        """Return the entrants in the order of their numbers."""
        with self.begin_read() as connection:
            rows = connection.execute(self._IDS).all()
        return tuple(format_id(self.mask_name(name), version) for name, version in rows)

    def _clear_cache(self) -> None:
        for name in ("ids", "numbers", "_titles"):
            self.__dict__.pop(name, None)

    def plan(self, deals: Sequence[Deal]) -> None:
        """Store planned deals, in one transaction."""
        rows = [self._build_deal_row(deal) for deal in deals]
        if rows:
            with self.begin_write() as connection:
                connection.execute(insert(schema.deals), rows)
                self._put_fact(LAST_PLAN, deals[0].number)

    def _build_deal_row(self, deal: Deal) -> Row:
        return {
            "number": deal.number,
            "seats": dump([self.find_number(entrant) for entrant in deal.seats]),
            "rotations": deal.rotations,
            "stage": deal.stage,
            "state": dump(deal.state),
        }

    def begin(self, deal: int) -> int:
        """Record that a deal was started; return the number of earlier starts."""
        begun = deals.c.begun
        this = deals.c.number == deal
        with self.begin_write() as connection:
            before: int | None = connection.scalar(select(begun).where(this))
            connection.execute(update(deals).where(this).values(begun=begun + 1))
        assert before is not None, "the deal was not planned"
        return before

    def record(self, match: MatchRecord) -> bool:
        """Store a finished match; return whether it had no result before."""
        rows = self._build_rows(match)
        with self.begin_write() as connection:
            return self._put(connection, *rows)

    def record_deal(self, deal: Deal, records: Iterable[MatchRecord]) -> None:
        """Store a deal that was not planned before with all its results, in one transaction."""
        planned, played = self._build_deal_row(deal), [*map(self._build_rows, records)]
        with self.begin_write() as connection:
            connection.execute(insert(schema.deals), [planned])
            for rows in played:
                self._put(connection, *rows)

    def _build_rows(self, match: MatchRecord) -> tuple[Row, list[Row], Row | None]:
        """Return the rows of a match; look up the numbers of entrants before writing."""
        key = {"deal": match.deal, "rotation": match.rotation}
        row = _build_match_row(match.key, match.outcome, match.detail, match.rounds, match.seconds)
        row["cause"] = match.cause and str(match.cause)
        seats = [key | self._build_seat_row(at, seat) for at, seat in enumerate(match.seats)]
        transcript = match.transcript
        return row, seats, None if transcript is None else key | {"blob": transcript}

    def _build_seat_row(self, at: int, seat: SeatRecord) -> Row:
        failure = seat.failure
        return {
            "seat": at,
            "entrant": self.find_number(seat.id),
            "score": seat.score,
            "place": seat.place,
            "used": seat.seconds,
            "sandbox": seat.sandbox,
            "kind": failure and str(failure.kind),
            "verdict": failure and dump(failure.pack()),
            "errors": failure and clean_text(seat.stderr or ""),
            "earlier": seat.earlier_matches,
        }

    def _put(
        self, connection: Connection, match: Row, seats: list[Row], transcript: Row | None
    ) -> bool:
        """Store a match, within a transaction."""
        put = self._statements
        cursor = connection.connection.cursor()  # SQLAlchemy's method takes a fifth longer
        cursor.execute(put.match, match)
        if not cursor.rowcount:
            return False
        cursor.executemany(put.seat, seats)
        if transcript:
            cursor.execute(put.transcript, transcript)
        return True

    @cached_property
    def _statements(self) -> Statements:
        # only now: the dialect of PostgreSQL imports asyncio
        make = import_module(f"sqlalchemy.dialects.{self.connection.dialect.name}").insert

        def sql(table: Table, *, unless_there: bool = False) -> str:
            made = make(table)
            made = made.on_conflict_do_nothing() if unless_there else made
            names = [column.name for column in table.columns]
            return str(made.compile(self.connection, column_keys=names))

        return Statements(sql(matches, unless_there=True), sql(seats), sql(transcripts))

    def cancel(self, keys: Iterable[Key], why: str) -> None:
        """Cancel planned matches; finished ones stay as they are."""
        rows = [_build_match_row(key, CANCELLED, why) for key in keys]
        if rows:
            with self.begin_write() as connection:
                connection.exec_driver_sql(self._statements.match, rows)

    def find_keys(self, some: Iterable[Id]) -> tuple[list[Key], int, int]:
        """Return the keys of all matches of some entrants, in order, void ones too.

        Returns:
            The keys, the number of their transcripts and the size of these, compressed.
        """
        found: dict[Key, int | None] = {}
        with self.begin_read() as connection:
            for entrant in some:
                rows = connection.execute(self._SIZES, {"number": self.find_number(entrant)})
                found |= {(deal, rotation): size for deal, rotation, size in rows}
        sizes = [size for size in found.values() if size is not None]
        return sorted(found), len(sizes), sum(sizes)

    _SIZES = (
        select(seats.c.deal, seats.c.rotation, func.length(transcripts.c.blob))
        .select_from(
            seats.outerjoin(
                transcripts,
                (transcripts.c.deal == seats.c.deal) & (transcripts.c.rotation == seats.c.rotation),
            )
        )
        .where(seats.c.entrant == bindparam("number"))
    )

    def archive(self, some: Iterable[Id], keys: Sequence[Key], why: str) -> None:
        """Remove matches of entrants that have left, in one transaction.

        The matches stay settled, as cancelled ones, so that they are not played again.
        """
        states = [self.build_state_update(entrant, State.ARCHIVED, why) for entrant in some]
        here = [{"at_deal": deal, "at_rotation": rotation} for deal, rotation in keys]
        with self.begin_write() as connection:
            for table in (transcripts, seats, matches) if here else ():
                this = table.c.deal == bindparam("at_deal")
                this &= table.c.rotation == bindparam("at_rotation")
                statement = (
                    update(matches).where(this).values(end=CANCELLED, detail=clean_text(why))
                    if table is matches
                    else delete(table).where(this)
                )
                connection.execute(statement, here)
            for statement in states:
                connection.execute(statement)

    def shrink(self) -> None:
        """Give the space of what was removed back to the disk; a server does so by itself."""
        if self.address.path:
            self.check_files()
            with self.address.translate_errors():
                raw = self.connection.connection.driver_connection
                assert raw
                raw.execute("VACUUM")

    _HERE: ClassVar[dict[str, BindParameter[Any]]] = {
        name: bindparam(name) for name in ("deal", "rotation")
    }
    _REPLACED_COUNT = (
        select(func.count())
        .select_from(replaced)
        .where(*(replaced.c[name] == value for name, value in _HERE.items()))
    )
    _MATCH = select(
        matches.c.end.label("outcome"), matches.c.cause, matches.c.detail,
        matches.c.rounds, matches.c.seconds, matches.c.stored.label("when"),
    ).where(*(matches.c[name] == value for name, value in _HERE.items()))  # fmt: skip
    _SEATED = (
        select(
            seats.c.seat, entrants.c.name, entrants.c.version,
            seats.c.score, seats.c.place, seats.c.kind.label("verdict"),
        )
        .join(entrants)
        .where(*(seats.c[name] == value for name, value in _HERE.items()))
        .order_by(seats.c.seat)
    )  # fmt: skip

    def reopen(self, keys: Iterable[Key]) -> None:
        """Make matches that are over open again; their results are kept as replaced ones."""
        with self.begin_write() as connection:
            for deal, rotation in keys:
                here = {"deal": deal, "rotation": rotation}
                number = 1 + (connection.scalar(self._REPLACED_COUNT, here) or 0)
                match = connection.execute(self._MATCH, here).one()._asdict()
                match["seats"] = [row._asdict() for row in connection.execute(self._SEATED, here)]
                row = here | {"number": number, "result": dump(match)}
                connection.execute(insert(replaced), [row])
                for table in (transcripts, seats, matches):
                    this = (table.c.deal == deal) & (table.c.rotation == rotation)
                    connection.execute(delete(table).where(this))

    def count_replaced(self) -> int:
        """Return the number of results that were replaced by playing a match again."""
        with self.begin_read() as connection:
            return connection.scalar(select(func.count()).select_from(replaced)) or 0

    def find_matches(self, which: MatchFilter | None = None) -> Iterator[MatchRecord]:
        """Return the matches that pass a filter; raise UnknownNameError for a bot."""
        which = which or MatchFilter()
        numbers = [] if which.bot is None else self._find_numbers(which.bot)
        others = [] if which.against is None else self._find_numbers(which.against)
        return self._read_pages(which, numbers, others)

    def _read_pages(
        self, which: MatchFilter, numbers: Sequence[int], others: Sequence[int]
    ) -> Iterator[MatchRecord]:
        after, left = which.after, which.limit
        while left != 0:
            size = PAGE_MATCHES if left is None else min(PAGE_MATCHES, left)
            with self.begin_read() as connection:
                rows = connection.execute(which.select_keys(numbers, others, after, size)).all()
            if not rows:
                return
            keys = [(row.deal, row.rotation) for row in rows]
            yield from self.load_matches(keys)
            after, left = keys[-1], left and left - len(keys)

    def _find_numbers(self, bot: str) -> list[int]:
        """Return the numbers of all entrants with this name or id."""
        found = [
            number
            for number, entrant in enumerate(self.ids, 1)
            if bot in {entrant, get_name(entrant)}
        ]
        if not found:
            raise UnknownNameError("entrant", bot, sorted({*map(get_name, self.ids)}))
        return found

    def find_match(self, deal: int, rotation: int) -> MatchRecord:
        """Return one match; raise UserError."""
        found = self.load_matches([(deal, rotation)])
        if not found:
            raise UserError(f"match {deal}.{rotation} has not been played or does not exist")
        return found[0]

    def load_matches(self, keys: Sequence[Key]) -> list[MatchRecord]:
        """Return the matches of these keys, in this order."""
        these = {"these": sorted({deal for deal, _ in keys})}
        with self.begin_read() as connection:
            found = connection.execute(MATCHES, these).all()
            seated = connection.execute(SEATS, these).all()
            earlier = connection.execute(REPLACED, these).all()
        rows = {row[:2]: row for row in found}
        at = {
            key: tuple([self._read_seat(row) for row in group])
            for key, group in groupby(seated, itemgetter(0, 1))
        }
        history = {
            key: [json.loads(row.result) for row in group]
            for key, group in groupby(earlier, itemgetter(0, 1))
        }
        return [
            _read_match(rows[key], at.get(key, ()), history.get(key, ())).hide(self.aliases)
            for key in keys
            if key in rows
        ]

    def _read_seat(self, row: Sequence[Any]) -> SeatRecord:
        """Read a seat; rows are taken apart at once, since names take twice as long."""
        _, _, seat, score, place, used, sandbox, packed, errors, earlier, name, version = row
        return SeatRecord(
            name, version, place, None if score is None else to_json_number(score), round(used, 6),
            packed and VerdictRecord.parse(json.loads(packed)), errors, sandbox, earlier,
            self._team_of.get(seat),
        )  # fmt: skip

    _TRANSCRIPT = select(transcripts.c.blob).where(
        transcripts.c.deal == bindparam("deal"), transcripts.c.rotation == bindparam("rotation")
    )

    def load_transcript(self, deal: int, rotation: int) -> bytes | None:
        """Return a match's transcript, JSON lines; None if none was kept."""
        with self.begin_read() as connection:
            blob = connection.scalar(self._TRANSCRIPT, {"deal": deal, "rotation": rotation})
        return None if blob is None else zlib.decompress(blob)

    _TRANSCRIPT_BYTES = select(func.sum(func.length(transcripts.c.blob)))

    def measure_transcripts(self) -> int:
        """Return the compressed size of all transcripts in bytes; slow if there are many."""
        with self.begin_read() as connection:
            return connection.scalar(self._TRANSCRIPT_BYTES) or 0

    def load_past(self) -> PastMatches:
        """Return the counts of all deals so far, without results and cancelled matches."""
        past, cancelled = PastMatches(), self._find_cancelled()
        for page in self._read_deals():
            for deal in page:
                past.count_deal(deal, cancelled.get(deal.number, ()))
        return past

    def _find_cancelled(self) -> dict[int, list[int]]:
        """Return the cancelled rotations of each deal that has any."""
        some = select(matches.c.deal, matches.c.rotation).where(matches.c.end == CANCELLED)
        found: dict[int, list[int]] = {}
        with self.begin_read() as connection:
            for deal, rotation in connection.execute(some):
                found.setdefault(deal, []).append(rotation)
        return found

    def list_results(self, start: int = 0) -> tuple[PlayedMatch, ...]:
        """Return all settled matches in the order of keys, cancelled ones as void.

        Deals before `start` are left out.
        """
        return tuple(
            played for page in self._read_deals(start=start) for played in self._read_results(page)
        )

    def _read_results(self, page: list[Deal]) -> Iterator[PlayedMatch]:
        """Yield the results of consecutive deals, seat by seat, also where there are none."""
        some = select(matches.c.deal, matches.c.rotation, seats.c.place)
        some = some.select_from(matches.outerjoin(seats))
        some = some.where(matches.c.deal.between(page[0].number, page[-1].number))
        some = some.order_by(matches.c.deal, matches.c.rotation, seats.c.seat)
        with self.begin_read() as connection:
            found = connection.execute(some).all()
        for (number, rotation), group in groupby(found, itemgetter(0, 1)):
            places = tuple(place for _, _, place in group)
            deal = page[number - page[0].number]
            yield PlayedMatch(deal, rotation, None if None in places else places)

    _OVER = (
        select(func.count())
        .where(matches.c.deal == deals.c.number)
        .correlate(deals)
        .scalar_subquery()
    )
    _open_from = 0  # all deals before this one are settled

    def list_todo(self) -> Iterator[tuple[Deal, int]]:
        """Yield the planned matches without a result, in the order of keys."""
        start, first = self._count_deals(), self._find_open_part()
        for page in self._read_deals(deals.c.rotations > self._OVER, first):
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
        last, planned = self._count_deals(), select(func.sum(deals.c.rotations))
        over = select(func.count()).select_from(matches)
        for start in range(self._open_from, last, OPEN_DEALS):
            ends = start, start + OPEN_DEALS - 1
            with self.begin_read() as connection:
                wanted = connection.scalar(planned.where(deals.c.number.between(*ends)))
                if connection.scalar(over.where(matches.c.deal.between(*ends))) != wanted:
                    return start
        return last

    def _count_deals(self) -> int:
        with self.begin_read() as connection:
            return connection.scalar(select(func.count()).select_from(deals)) or 0

    def _find_over(self, page: list[Deal]) -> set[tuple[int, int]]:
        """Return the settled keys of these deals."""
        keys = select(matches.c.deal, matches.c.rotation)
        keys = keys.where(matches.c.deal.in_([deal.number for deal in page]))
        with self.begin_read() as connection:
            return {(deal, rotation) for deal, rotation in connection.execute(keys)}

    def find_deal(self, number: int) -> Deal | None:
        """Return a planned deal, or None."""
        with self.begin_read() as connection:
            row = connection.execute(select(deals).where(deals.c.number == number)).one_or_none()
        return None if row is None else self._parse_deal(row)

    def _read_deals(
        self, which: ColumnElement[bool] | None = None, start: int = 0
    ) -> Iterator[list[Deal]]:
        """Yield deals from this number on, page by page."""
        some = select(deals).order_by(deals.c.number).limit(PAGE_DEALS)
        some = some if which is None else some.where(which)
        while True:
            with self.begin_read() as connection:
                page = connection.execute(some.where(deals.c.number >= start)).all()
            if not page:
                return
            yield [self._parse_deal(row) for row in page]
            start = page[-1].number + 1

    def _parse_deal(self, row: Any) -> Deal:
        seated = tuple([self.find_entrant(number) for number in json.loads(row.seats)])
        state, alone = tuple(json.loads(row.state)), self._plays_alone
        return Deal(row.number, seated, row.rotations, row.stage, state, alone)

    def list_void(self, causes: Collection[VoidCause]) -> list[tuple[Deal, int]]:
        """Return the void matches with these causes, in the order of keys."""
        some = select(deals, matches.c.rotation).join(matches).where(matches.c.end == End.VOID)
        some = some.where(matches.c.cause.in_(map(str, causes)))
        some = some.order_by(matches.c.deal, matches.c.rotation)
        with self.begin_read() as connection:
            rows = connection.execute(some).all()
        return [(self._parse_deal(row), row.rotation) for row in rows]

    def count_matches(self) -> MatchCounts:
        """Return the counts of matches by their state."""
        with self.begin_read() as connection:
            planned = connection.scalar(select(func.sum(deals.c.rotations))) or 0
            by_end = select(matches.c.end, func.count()).group_by(matches.c.end)
            of: dict[str, int] = dict(connection.execute(by_end).all())
        cancelled = of.pop(CANCELLED, 0)
        return MatchCounts(planned, sum(of.values()), of.get(End.VOID, 0), cancelled)

    _TIME = select(matches.c.stored).where(matches.c.end != CANCELLED).limit(1)
    FIRST_TIME = _TIME.order_by(matches.c.stored)  # by an index, without a scan of all matches
    LAST_TIME = _TIME.order_by(matches.c.stored.desc())

    def find_first_and_last(self) -> tuple[str, str] | None:
        """Return the end times of the first and last match (ISO 8601, UTC); None before any."""
        with self.begin_read() as connection:
            first = connection.scalar(self.FIRST_TIME)
            return None if first is None else (first, str(connection.scalar(self.LAST_TIME)))

    _SETTLED = select(deals.c.rotations == _OVER).where(deals.c.number == bindparam("deal"))

    def is_deal_over(self, deal: int) -> bool:
        """Return whether every rotation of a planned deal is over or cancelled."""
        with self.begin_read() as connection:
            return bool(connection.scalar(self._SETTLED, {"deal": deal}))

    def count_rotations(self, deal: int) -> int:
        """Return the number of rotations of a deal; 0 if there is no such deal."""
        row = select(deals.c.rotations).where(deals.c.number == deal)
        with self.begin_read() as connection:
            return connection.scalar(row) or 0

    _NEWEST = (  # the latest time, and the number of matches stored then
        select(matches.c.stored, func.count())
        .group_by(matches.c.stored)
        .order_by(matches.c.stored.desc())
        .limit(1)
    )

    def get_stamp(self) -> tuple[object, ...]:
        """Return a stamp that differs after stored data has changed; it is cheap to read often.

        Compare stamps only of the same open store.
        """
        with self.begin_read() as connection:
            if self.address.path:
                return (connection.exec_driver_sql("PRAGMA data_version").scalar(),)
            over = connection.execute(self._NEWEST).one_or_none() or ()
            planned = connection.scalar(select(func.max(deals.c.number)))
            states = select(entrants.c.id, entrants.c.state).order_by(entrants.c.id)
            return (*over, planned, *map(tuple, connection.execute(states)))

    def load_results(self, chosen: Iterable[Id] | None = None) -> Results:
        """Return all matches with results, or only those between the given entrants.

        Takes the memory of the result twice, which is 28 bytes for each seat.
        """
        from arena.tournament.seat_rows import ResultColumns  # numpy is slow

        numbers = self._select_numbers(chosen)
        parts = [ResultColumns.of(rows, numbers) for rows in self._read_chunks()]
        return self._join_results(parts, numbers)

    def load_results_and_totals(self) -> tuple[Results, dict[Id, EntrantTotals]]:
        """Return what `load_results` and `count_totals` return, from one reading of all seats."""
        from arena.tournament.seat_rows import ResultColumns, SeatSums

        numbers, sums, parts = self._select_numbers(None), SeatSums.of(len(self.ids)), []
        for rows in self._read_chunks():
            sums.add(rows)
            parts.append(ResultColumns.of(rows, numbers))
        return self._join_results(parts, numbers), self._build_totals(sums)

    def _join_results(self, parts: Sequence[ResultColumns], numbers: Sequence[int]) -> Results:
        from arena.tournament.seat_rows import join_results

        entrants = tuple(self.find_entrant(number) for number in numbers)
        return join_results(parts, entrants, self.list_partners())

    def _select_numbers(self, chosen: Iterable[Id] | None) -> list[int]:
        """Return the numbers of the chosen entrants, in the order of entry."""
        if chosen is None:
            return [self.find_number(entrant) for entrant in self.ids]
        return sorted({self.find_number(entrant) for entrant in chosen})

    @cached_property
    def _seat_rows(self) -> Select[Any]:
        """The query for seats of matches with a result, packed as `seat_rows` unpacks them."""
        from arena.tournament.seat_rows import ENTRANT, PLACE

        return (
            select(
                seats.c.deal,
                # one number costs less than four: handing over the rows takes most of the time
                cast(seats.c.entrant, BigInteger) * (1 << ENTRANT) + seats.c.place * (1 << PLACE)
                + seats.c.seat * 2 + case((seats.c.earlier.is_not(None), 1), else_=0),
                seats.c.score, seats.c.used,
            )
            .where(
                seats.c.place.is_not(None),
                seats.c.deal.between(bindparam("start"), bindparam("end")),
            )
            .order_by(seats.c.deal, seats.c.rotation, seats.c.seat)
        )  # fmt: skip

    def _read_chunks(self) -> Iterator[Rows]:
        """Read the seats of all matches that have a result, in the order of keys."""
        from arena.tournament.seat_rows import read_rows

        with self.begin_read() as connection:
            last = connection.scalar(select(func.max(seats.c.deal)))
            for start in range(0, 0 if last is None else last + 1, CHUNK_DEALS):
                ends = {"start": start, "end": start + CHUNK_DEALS - 1}
                # SQLAlchemy's own rows are slower
                cursor: Any = connection.execute(self._seat_rows, ends).cursor
                yield read_rows(cursor)

    def count_totals(self) -> dict[Id, EntrantTotals]:
        """Return the totals of all entrants, even those without matches, in the order of entry."""
        from arena.tournament.seat_rows import SeatSums

        sums = SeatSums.of(len(self.ids))
        for rows in self._read_chunks():
            sums.add(rows)
        return self._build_totals(sums)

    def _build_totals(self, sums: SeatSums) -> dict[Id, EntrantTotals]:
        """Return the totals of all entrants, with their verdicts, which few matches have."""
        by_kind = select(seats.c.entrant, seats.c.kind, func.count())
        by_kind = by_kind.where(seats.c.place.is_not(None), seats.c.kind.is_not(None))
        by_kind = by_kind.group_by(seats.c.entrant, seats.c.kind).order_by(seats.c.kind)
        with self.begin_read() as connection:
            kinds = connection.execute(by_kind).all()
        verdicts: dict[int, dict[str, int]] = {}
        for number, kind, times in kinds:
            verdicts.setdefault(number, {})[kind] = times
        return {
            entrant: EntrantTotals(
                sums.count_matches(number),
                verdicts.get(number, {}),
                sums.compute_mean(number),
                float(sums.slowest[number]),
                bool(sums.lasting[number]),
            )
            for entrant, number in self.numbers.items()
        }

    _DEBUT = (
        select(matches.c.stored)
        .join(seats, (seats.c.deal == matches.c.deal) & (seats.c.rotation == matches.c.rotation))
        .where(seats.c.entrant == bindparam("number"))
        .order_by(seats.c.deal, seats.c.rotation)
        .limit(1)
    )

    def find_debut(self, entrant: Id) -> str | None:
        """Return the time of an entrant's first result (ISO 8601, UTC); None before that."""
        with self.begin_read() as connection:
            return connection.scalar(self._DEBUT, {"number": self.find_number(entrant)})

    _LAST = (
        select(matches.c.stored)
        .join(seats, (seats.c.deal == matches.c.deal) & (seats.c.rotation == matches.c.rotation))
        .where(seats.c.entrant == bindparam("number"))
        .order_by(seats.c.deal.desc(), seats.c.rotation.desc())
        .limit(1)
    )

    def find_last_time(self, entrant: Id) -> str | None:
        """Return the time of an entrant's last result (ISO 8601, UTC); None without any."""
        with self.begin_read() as connection:
            return connection.scalar(self._LAST, {"number": self.find_number(entrant)})

    _DEAL_TIME = select(func.min(matches.c.stored)).where(matches.c.deal == bindparam("deal"))

    def find_deal_time(self, deal: int) -> str | None:
        """Return the time of a deal's first result (ISO 8601, UTC); None before that."""
        with self.begin_read() as connection:
            found: str | None = connection.scalar(self._DEAL_TIME, {"deal": deal})
        return found

    _FINISHED = matches.c.end == str(End.FINISHED)
    _LENGTHS = select(func.min(matches.c.rounds), func.max(matches.c.rounds)).where(_FINISHED)
    _LONGEST = (
        select(matches.c.deal, matches.c.rotation)
        .where(_FINISHED, matches.c.rounds == bindparam("rounds"))
        .order_by(matches.c.deal, matches.c.rotation)
        .limit(1)
    )

    def find_longest(self) -> tuple[Key, int] | None:
        """Return the first of the longest matches and its rounds; None if all are as long."""
        with self.begin_read() as connection:
            shortest, longest = connection.execute(self._LENGTHS).one()
            if longest is None or longest == shortest:
                return None
            deal, rotation = connection.execute(self._LONGEST, {"rounds": longest}).one()
        return (deal, rotation), longest

    def find_rotation(self, deal: int, seated: Sequence[Id]) -> int:
        """Return the first rotation of a deal with these entrants in seat order, or 0."""
        wanted = [self.find_number(entrant) for entrant in seated]
        rows = select(seats.c.rotation, seats.c.entrant).where(seats.c.deal == deal)
        found: dict[int, list[int]] = {}
        with self.begin_read() as connection:
            for rotation, number in connection.execute(
                rows.order_by(seats.c.rotation, seats.c.seat)
            ):
                found.setdefault(rotation, []).append(number)
        return next((rotation for rotation, numbers in found.items() if numbers == wanted), 0)

    _SETTLED_DEALS = (
        select(matches.c.deal)
        .join(deals)
        .where(matches.c.deal >= bindparam("start"))
        .group_by(matches.c.deal, deals.c.rotations)
        .having(func.count() == deals.c.rotations)
        .order_by(matches.c.deal)
    )

    def list_settled_deals(self, start: int, without: Collection[int], limit: int) -> list[int]:
        """Return the first deals from this number on of which every rotation is settled."""
        some = self._SETTLED_DEALS.limit(limit + len(without))
        with self.begin_read() as connection:
            found = connection.scalars(some, {"start": start}).all()
        return [deal for deal in found if deal not in without][:limit]

    _TRANSCRIPTS = (
        select(seats.c.deal, seats.c.rotation, seats.c.entrant, transcripts.c.blob)
        .join(
            transcripts,
            (transcripts.c.deal == seats.c.deal) & (transcripts.c.rotation == seats.c.rotation),
        )
        .where(seats.c.deal.in_(bindparam("these", expanding=True)), seats.c.place.is_not(None))
        .order_by(seats.c.deal, seats.c.rotation, seats.c.seat)
    )

    def iterate_transcripts(self, some: Sequence[int]) -> Iterator[StoredTranscript]:
        """Return the stored transcripts of these deals, without those of void matches."""
        with self.begin_read() as connection:
            rows = connection.execute(self._TRANSCRIPTS, {"these": some}).all()
        teams = self.list_teams()
        for (deal, rotation), group in groupby(rows, itemgetter(0, 1)):
            seated = [*group]
            numbers = tuple([row.entrant for row in seated])
            yield StoredTranscript(
                (deal, rotation),
                spread_over_seats(teams, numbers) if teams else numbers,
                seated[0].blob,
            )


@frozen
class Statements:
    """Prebuilt SQL statements, since building them costs more than running them."""

    match: str  # leaves an existing row unchanged
    seat: str
    transcript: str


def clean_text(text: str) -> str:
    r"""Return a text that every database accepts: without NUL and lone surrogates.

    >>> clean_text("a\0b")
    'a\ufffdb'
    """
    return text.encode(errors="replace").decode().replace("\0", "\ufffd")


def _read_match(
    row: Sequence[Any], seated: tuple[SeatRecord, ...], earlier: Sequence[Mapping[str, Any]]
) -> MatchRecord:
    deal, rotation, end, rounds, detail, seconds, stored, cause, stage, transcript = row
    return MatchRecord(
        deal, rotation, end, rounds, seated, round(seconds, 6), detail,
        VoidCause(cause) if cause else None, stage=stage, when=stored, recorded=transcript,
        replaced=earlier,
    )  # fmt: skip


@lru_cache(maxsize=1000)
def _read_containment(text: str) -> Containment:
    """Return how far an entrant is trusted, which is the same for most of thousands."""
    return read(json.loads(text), Containment)


def _build_match_row(
    key: Key, end: End | str, detail: str, rounds: int = 0, seconds: float = 0.0
) -> Row:
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {
        "deal": key[0],
        "rotation": key[1],
        "end": str(end),
        "rounds": rounds,
        "detail": clean_text(detail),
        "seconds": seconds,
        "stored": now,
        "cause": None,
    }
