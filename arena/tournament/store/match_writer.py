"""Storage of deals and results, by the coordinator while matches are played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from attrs import frozen
from sqlalchemy import (
    BindParameter,
    Connection,
    Table,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert as insert_there
from sqlalchemy.dialects.sqlite import insert as insert_here

from arena.rules import End
from arena.tournament.models.records import MatchResult
from arena.tournament.models.schedule import Deal
from arena.tournament.store import schema
from arena.tournament.store.entrants import EntrantStore, clean_text
from arena.wires import dump

GONE = "{} no longer takes part"  # the reason for a cancelled match
LAST_PLAN = "last plan"  # the fact with the first deal of those that were planned last
Row = dict[str, Any]
Key = tuple[int, int]  # a deal, and its rotation


@frozen
class Statements:
    """Prebuilt SQL statements, since building them costs more than running them."""

    match: str  # leaves an existing row unchanged
    seat: str
    transcript: str


class MatchWriter(EntrantStore):
    """Stores deals when they are planned, and matches when they end."""

    def plan(self, deals: Sequence[Deal]) -> None:
        """Store planned deals, in one transaction."""
        rows = [
            {
                "number": deal.number,
                "seats": dump([self.find_number(entrant) for entrant in deal.seats]),
                "rotations": deal.rotations,
                "stage": deal.stage,
            }
            for deal in deals
        ]
        if rows:
            with self.begin_write() as connection:
                connection.execute(insert(schema.deals), rows)
                self._put_fact(LAST_PLAN, deals[0].number)

    def begin(self, deal: int) -> int:
        """Record that a deal was started; return the number of earlier starts."""
        begun = schema.deals.c.begun
        this = schema.deals.c.number == deal
        with self.begin_write() as connection:
            before: int | None = connection.scalar(select(begun).where(this))
            connection.execute(update(schema.deals).where(this).values(begun=begun + 1))
        assert before is not None, "the deal was not planned"
        return before

    def record(self, done: MatchResult) -> bool:
        """Store a finished match; return whether it had no result before."""
        rows = self._rows(done)
        with self.begin_write() as connection:
            return self._put(connection, *rows)

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

    def cancel(self, keys: Iterable[Key], why: str) -> None:
        """Cancel planned matches; finished ones stay as they are."""
        rows = [_match(key, schema.CANCELLED, why) for key in keys]
        if rows:
            with self.begin_write() as connection:
                connection.exec_driver_sql(self._statements.match, rows)

    def reopen(self, keys: Iterable[Key]) -> None:
        """Make matches that are over open again; their results are kept as replaced ones."""
        with self.begin_write() as connection:
            for deal, rotation in keys:
                here = {"deal": deal, "rotation": rotation}
                number = 1 + (connection.scalar(_REPLACED_COUNT, here) or 0)
                match = connection.execute(_MATCH, here).one()._asdict()
                match["seats"] = [row._asdict() for row in connection.execute(_SEATED, here)]
                row = here | {"number": number, "result": dump(match)}
                connection.execute(insert(schema.replaced), [row])
                for table in (schema.transcripts, schema.seats, schema.matches):
                    this = (table.c.deal == deal) & (table.c.rotation == rotation)
                    connection.execute(delete(table).where(this))

    def _rows(self, done: MatchResult) -> tuple[Row, list[Row], Row | None]:
        """Return the rows of a match; look up the numbers of entrants before writing."""
        key = {"deal": done.deal, "rotation": done.rotation}
        match = _match((done.deal, done.rotation), done.end, done.detail, done.rounds, done.seconds)
        match["cause"] = done.cause and str(done.cause)
        seats = [key | self._seat(done, seat) for seat in range(len(done.seats))]
        return match, seats, None if done.transcript is None else key | {"blob": done.transcript}

    def _seat(self, done: MatchResult, seat: int) -> Row:
        verdict, errors = done.verdicts.get(seat), done.errors.get(seat)
        return {
            "seat": seat,
            "entrant": self.find_number(done.seats[seat]),
            "score": done.scores and done.scores[seat],
            "place": done.places and done.places[seat],
            "used": done.used[seat],
            "sandbox": done.sandboxes[seat] if done.sandboxes else None,
            "kind": verdict and str(verdict["kind"]),
            "verdict": verdict and dump(verdict),
            "errors": errors and clean_text(errors),
            "earlier": done.earlier[seat] if done.earlier else None,
        }

    @cached_property
    def _statements(self) -> Statements:
        make = insert_here if self.address.path else insert_there

        def sql(table: Table, *, unless_there: bool = False) -> str:
            made = make(table)
            made = made.on_conflict_do_nothing() if unless_there else made
            names = [column.name for column in table.columns]
            return str(made.compile(self.connection, column_keys=names))

        return Statements(
            sql(schema.matches, unless_there=True), sql(schema.seats), sql(schema.transcripts)
        )


_HERE: dict[str, BindParameter[Any]] = {name: bindparam(name) for name in ("deal", "rotation")}
_MATCH = select(
    schema.matches.c.end.label("outcome"), schema.matches.c.cause, schema.matches.c.detail,
    schema.matches.c.rounds, schema.matches.c.seconds, schema.matches.c.stored.label("when"),
).where(*(schema.matches.c[name] == value for name, value in _HERE.items()))  # fmt: skip
_SEATED = (
    select(
        schema.seats.c.seat, schema.entrants.c.name, schema.entrants.c.version,
        schema.seats.c.score, schema.seats.c.place, schema.seats.c.kind.label("verdict"),
    )
    .join(schema.entrants)
    .where(*(schema.seats.c[name] == value for name, value in _HERE.items()))
    .order_by(schema.seats.c.seat)
)  # fmt: skip
_REPLACED_COUNT = (
    select(func.count())
    .select_from(schema.replaced)
    .where(*(schema.replaced.c[name] == value for name, value in _HERE.items()))
)


def _match(key: Key, end: End | str, detail: str, rounds: int = 0, seconds: float = 0.0) -> Row:
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
