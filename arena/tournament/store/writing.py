"""What the coordinator writes while matches are played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from attrs import frozen
from sqlalchemy import Table, insert, select, update
from sqlalchemy.dialects.postgresql import insert as insert_there
from sqlalchemy.dialects.sqlite import insert as insert_here

from arena.jsonlines import dump
from arena.outcome import End
from arena.tournament.plan import Deal
from arena.tournament.records import Done
from arena.tournament.store import schema
from arena.tournament.store.roll import Roll, clean

Row = dict[str, Any]
Key = tuple[int, int]  # a deal, and its turn


@frozen
class Statements:
    """SQL that is the same each time: putting it together costs more than running it."""

    match: str  # which leaves a row that is there as it is
    seat: str
    transcript: str


class Writing(Roll):
    """Deals as they are planned, and matches as they end."""

    def plan(self, deals: Sequence[Deal]) -> None:
        """Keep deals that are to be played, all of them or none."""
        rows = [
            {
                "number": deal.number,
                "seats": dump([self.number(one) for one in deal.seats]),
                "turns": deal.turns,
                "stage": deal.stage,
            }
            for deal in deals
        ]
        if rows:
            with self.writing() as connection:
                connection.execute(insert(schema.deals), rows)

    def begin(self, deal: int) -> int:
        """Take down that a deal is begun; give how often it was begun before."""
        begun = schema.deals.c.begun
        this = schema.deals.c.number == deal
        with self.writing() as connection:
            before: int | None = connection.scalar(select(begun).where(this))
            connection.execute(update(schema.deals).where(this).values(begun=begun + 1))
        assert before is not None, "it was not planned"
        return before

    def record(self, done: Done) -> bool:
        """Keep a match that is over, as a whole; say whether it was not settled before."""
        match, seats, transcript = self._rows(done)
        put = self._statements
        with self.writing() as connection:
            cursor = connection.connection.cursor()  # SQLAlchemy's own takes a fifth longer
            cursor.execute(put.match, match)
            if not cursor.rowcount:
                return False
            cursor.executemany(put.seat, seats)
            if transcript:
                cursor.execute(put.transcript, transcript)
        return True

    def cancel(self, keys: Iterable[Key], why: str) -> None:
        """Settle planned matches that will not be played; what is over stays as it is."""
        rows = [_match(key, schema.CANCELLED, why) for key in keys]
        if rows:
            with self.writing() as connection:
                connection.exec_driver_sql(self._statements.match, rows)

    def _rows(self, done: Done) -> tuple[Row, list[Row], Row | None]:
        """Give a match's rows; numbers of entrants are looked up before anything is written."""
        key = {"deal": done.deal, "turn": done.turn}
        match = _match((done.deal, done.turn), done.end, done.detail, done.rounds, done.seconds)
        seats = [key | self._seat(done, seat) for seat in range(len(done.seats))]
        return match, seats, None if done.transcript is None else key | {"blob": done.transcript}

    def _seat(self, done: Done, seat: int) -> Row:
        verdict, errors = done.verdicts.get(seat), done.errors.get(seat)
        return {
            "seat": seat,
            "entrant": self.number(done.seats[seat]),
            "score": done.scores and done.scores[seat],
            "place": done.places and done.places[seat],
            "used": done.used[seat],
            "kind": verdict and str(verdict["kind"]),
            "verdict": verdict and dump(verdict),
            "errors": errors and clean(errors),
        }

    @cached_property
    def _statements(self) -> Statements:
        make = insert_here if self.address.path else insert_there

        def sql(table: Table, *, unless_there: bool = False) -> str:
            made = make(table)
            made = made.on_conflict_do_nothing() if unless_there else made
            names = [one.name for one in table.columns]
            return str(made.compile(self.connection, column_keys=names))

        return Statements(
            sql(schema.matches, unless_there=True), sql(schema.seats), sql(schema.transcripts)
        )


def _match(key: Key, end: End | str, detail: str, rounds: int = 0, seconds: float = 0.0) -> Row:
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {
        "deal": key[0],
        "turn": key[1],
        "end": str(end),
        "rounds": rounds,
        "detail": clean(detail),
        "seconds": seconds,
        "stored": now,
    }
