"""The database of a run: what was planned, and every match that was played.

The state of the search is not in it: it is computed again from the matches. A match is stored
once, under its key; a generation is stored before its first match, so that a resumed run sees
whether it asks for the same candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from attrs import astuple, frozen

from arena import End, UserError
from arena.tournament.store.connection import DatabaseAddress
from arena.tournament.store.database import Database, Schema
from arena.wires import dump
from arena_tune.staged_search import Generation

TABLES = """
CREATE TABLE facts (
    name TEXT NOT NULL,
    value TEXT NOT NULL, -- JSON
    CONSTRAINT facts_pk PRIMARY KEY (name)
);
CREATE TABLE generations (
    number INTEGER NOT NULL,
    stage TEXT NOT NULL,
    candidates TEXT NOT NULL, -- JSON: their settings
    pairings TEXT NOT NULL, -- JSON: deal, rotation, opponents
    CONSTRAINT generations_pk PRIMARY KEY (number)
);
CREATE TABLE trials (
    generation INTEGER NOT NULL,
    candidate INTEGER NOT NULL,
    pairing INTEGER NOT NULL,
    "end" TEXT NOT NULL,
    score DOUBLE PRECISION, -- none for a void match
    points TEXT, -- JSON: of all seats, as the game counts them
    verdict TEXT, -- of the candidate
    opponent_verdict TEXT,
    detail TEXT NOT NULL,
    seconds DOUBLE PRECISION NOT NULL,
    CONSTRAINT trials_pk PRIMARY KEY (generation, candidate, pairing),
    CONSTRAINT trials_generation_fk FOREIGN KEY (generation) REFERENCES generations (number)
) {without_rowid}
"""


@frozen
class CandidateMatch:
    """A match that was played."""

    generation: int
    candidate: int
    pairing: int
    end: str
    score: float | None  #: from 0 to 1; None where it does not count
    points: str | None
    verdict: str | None
    opponent_verdict: str | None
    detail: str
    seconds: float


class MatchStore(Database):
    """The database of a run, open for reading, or for the single writer."""

    schema = Schema("tuning run", {"tune-0001": TABLES}, frozenset({"generations", "trials"}))

    @classmethod
    def open(cls, path: str, *, write: bool) -> Self:
        """Open a database, to write a new one as well; raise UserError."""
        address = DatabaseAddress.of(path)
        if not write and not (address.path and address.path.exists()):
            raise UserError(f"{address.shown}: no such file; the first run creates it")
        store = cls(address, write=write)
        store.bring_up_to_date(create=write, claim=write)
        return store

    def read_facts(self) -> dict[str, str]:
        """Return the facts of the run as JSON, by name."""
        with self.begin_read() as connection:
            return dict(connection.read_rows("SELECT name, value FROM facts"))

    def add_facts(self, values: Mapping[str, Any]) -> None:
        """Store facts."""
        rows = [(name, dump(value)) for name, value in values.items()]
        with self.begin_write() as connection:
            connection.execute_many("INSERT INTO facts VALUES (?, ?)", rows)

    def replace_facts(self, values: Mapping[str, Any]) -> None:
        """Store other values of facts, in one transaction."""
        rows = [(dump(value), name) for name, value in values.items()]
        with self.begin_write() as connection:
            connection.execute_many("UPDATE facts SET value = ? WHERE name = ?", rows)

    def check_generation(self, generation: Generation, *, write: bool) -> bool:
        """Store a generation, or compare it with the one that is stored; return whether it is.

        Raises UserError where another one is stored.
        """
        pairings = [
            [pairing.deal, pairing.rotation, *pairing.opponents] for pairing in generation.pairings
        ]
        candidates = dump(list(map(dict, generation.candidates)))
        row = (generation.number, generation.stage, candidates, dump(pairings))
        query = "SELECT number, stage, candidates, pairings FROM generations WHERE number = ?"
        with self.begin_read() as connection:
            stored = connection.read_row(query, (generation.number,))
        if stored is None and write:
            with self.begin_write() as connection:
                connection.execute("INSERT INTO generations VALUES (?, ?, ?, ?)", row)
        if stored not in (None, row):
            raise UserError(
                f"{self.address.shown}: generation {generation.number} is another one than was"
                " stored; continue with the versions that began the run, or delete the file"
            )
        return write or stored is not None

    def read_matches(self, generation: int) -> list[CandidateMatch]:
        """Return the matches of a generation that were played."""
        with self.begin_read() as connection:
            query = "SELECT * FROM trials WHERE generation = ?"
            return [CandidateMatch(*row) for row in connection.read_rows(query, (generation,))]

    def add_matches(self, played: Iterable[CandidateMatch]) -> None:
        """Store matches that were played, in one transaction."""
        insert = "INSERT INTO trials VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        with self.begin_write() as connection:
            connection.execute_many(insert, [astuple(match) for match in played])

    def drop_void_matches(self) -> None:
        """Forget the void matches of the last generation, so that they are played again.

        Those of earlier ones stay: the next candidates were chosen from what was there.
        """
        newest = "SELECT MAX(number) FROM generations"
        with self.begin_write() as connection:
            connection.execute(
                f'DELETE FROM trials WHERE "end" = ? AND generation = ({newest})', (str(End.VOID),)
            )

    def count_verdicts(self) -> dict[str, int]:
        """Count the verdicts of candidates by kind, and those of opponents together."""
        with self.begin_read() as connection:
            return dict(
                connection.read_rows(
                    "SELECT verdict, COUNT(*) FROM trials WHERE verdict IS NOT NULL"
                    " GROUP BY verdict ORDER BY verdict"
                )
            )

    def count_void(self) -> int:
        """Count the matches that do not count, as an opponent or the machine failed."""
        with self.begin_read() as connection:
            query = "SELECT COUNT(*) FROM trials WHERE score IS NULL"
            return int(connection.read_value(query))

    def sum_seconds(self) -> float:
        """Return the seconds of all matches together."""
        with self.begin_read() as connection:
            return float(connection.read_value("SELECT SUM(seconds) FROM trials") or 0.0)
