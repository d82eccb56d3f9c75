"""The database of a run: what was planned, and every match that was played.

The state of the search is not in it: it is computed again from the matches. A match is stored
once, under its key; a generation is stored before its first match, so that a resumed run sees
whether it asks for the same candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from attrs import frozen
from sqlalchemy import (
    Column,
    Double,
    ForeignKey,
    Integer,
    MetaData,
    Table,
    Text,
    delete,
    func,
    insert,
    select,
    update,
)

from arena import End, UserError
from arena.tournament.store.old_database import NAMES, DatabaseAddress, DatabaseConnection, Schema
from arena.wires import dump
from arena_tune.staged_search import Generation

metadata = MetaData(naming_convention=NAMES)
facts = Table(
    "facts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),  # JSON
)
generations = Table(
    "generations",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("stage", Text, nullable=False),
    Column("candidates", Text, nullable=False),  # JSON: their settings
    Column("pairings", Text, nullable=False),  # JSON: deal, rotation, opponents
)
trials = Table(
    "trials",
    metadata,
    Column("generation", Integer, ForeignKey("generations.number"), primary_key=True),
    Column("candidate", Integer, primary_key=True),
    Column("pairing", Integer, primary_key=True),
    Column("end", Text, nullable=False),
    Column("score", Double),  # none for a void match
    Column("points", Text),  # JSON: of all seats, as the game counts them
    Column("verdict", Text),  # of the candidate
    Column("opponent_verdict", Text),
    Column("detail", Text, nullable=False),
    Column("seconds", Double, nullable=False),
    sqlite_with_rowid=False,
)
SCHEMA = Schema(
    metadata, revisions=("tune-0001",), markers=frozenset({generations.name, trials.name})
)


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


class MatchStore(DatabaseConnection):
    """The database of a run, open for reading, or for the single writer."""

    @classmethod
    def open(cls, path: str, *, write: bool) -> Self:
        """Open a database, to write a new one as well; raise UserError."""
        address = DatabaseAddress.of(path)
        if not write and not (address.path and address.path.exists()):
            raise UserError(f"{address.shown}: no such file; the first run creates it")
        store = cls(address, write=write)
        return store._close_on_error(store._claim_or_check)

    def _claim_or_check(self) -> None:
        if self._may_claim:
            self.claim()
        with self.begin_read() as connection:
            found = SCHEMA.find_revision(connection, self.address.shown)
            if found is None and self.claimed:
                SCHEMA.create_tables(connection)
            elif found is None:
                raise UserError(f"{self.address.shown}: the database contains no tuning run")

    def read_facts(self) -> dict[str, str]:
        """Return the facts of the run as JSON, by name."""
        with self.begin_read() as connection:
            rows = connection.execute(select(facts.c.name, facts.c.value))
            return {row.name: row.value for row in rows}

    def add_facts(self, values: Mapping[str, Any]) -> None:
        """Store facts."""
        rows = [{"name": name, "value": dump(value)} for name, value in values.items()]
        self._insert(facts, rows)

    def replace_facts(self, values: Mapping[str, Any]) -> None:
        """Store other values of facts, in one transaction."""
        with self.begin_write() as connection:
            for name, value in values.items():
                connection.execute(
                    update(facts).where(facts.c.name == name).values(value=dump(value))
                )

    def check_generation(self, generation: Generation, *, write: bool) -> bool:
        """Store a generation, or compare it with the one that is stored; return whether it is.

        Raises UserError where another one is stored.
        """
        row = {
            "number": generation.number,
            "stage": generation.stage,
            "candidates": dump(list(map(dict, generation.candidates))),
            "pairings": dump(
                [
                    [pairing.deal, pairing.rotation, *pairing.opponents]
                    for pairing in generation.pairings
                ]
            ),
        }
        with self.begin_read() as connection:
            found = connection.execute(
                select(generations).where(generations.c.number == generation.number)
            ).one_or_none()
        if found is None and write:
            self._insert(generations, [row])
        if found is not None and found._asdict() != row:
            raise UserError(
                f"{self.address.shown}: generation {generation.number} is another one than was"
                " stored; continue with the versions that began the run, or delete the file"
            )
        return write or found is not None

    def read_matches(self, generation: int) -> list[CandidateMatch]:
        """Return the matches of a generation that were played."""
        with self.begin_read() as connection:
            rows = connection.execute(select(trials).where(trials.c.generation == generation)).all()
        return [CandidateMatch(*row) for row in rows]

    def add_matches(self, played: Iterable[CandidateMatch]) -> None:
        """Store matches that were played, in one transaction."""
        columns = [column.name for column in trials.columns]
        self._insert(trials, [{name: getattr(trial, name) for name in columns} for trial in played])

    def drop_void_matches(self) -> None:
        """Forget the void matches of the last generation, so that they are played again.

        Those of earlier ones stay: the next candidates were chosen from what was there.
        """
        newest = select(func.max(generations.c.number)).scalar_subquery()
        void = (trials.c.end == str(End.VOID)) & (trials.c.generation == newest)
        with self.begin_write() as connection:
            connection.execute(delete(trials).where(void))

    def count_verdicts(self) -> dict[str, int]:
        """Count the verdicts of candidates by kind, and those of opponents together."""
        with self.begin_read() as connection:
            rows = connection.execute(
                select(trials.c.verdict, func.count())
                .where(trials.c.verdict.is_not(None))
                .group_by(trials.c.verdict)
                .order_by(trials.c.verdict)
            ).all()
        return {str(kind): count for kind, count in rows}

    def count_void(self) -> int:
        """Count the matches that do not count, as an opponent or the machine failed."""
        return int(self._read_scalar(select(func.count()).where(trials.c.score.is_(None))))

    def sum_seconds(self) -> float:
        """Return the seconds of all matches together."""
        return float(self._read_scalar(select(func.sum(trials.c.seconds))) or 0.0)

    def _read_scalar(self, question: Any) -> Any:
        with self.begin_read() as connection:
            return connection.scalar(question)

    def _insert(self, table: Table, rows: list[dict[str, Any]]) -> None:
        if rows:
            with self.begin_write() as connection:
                connection.execute(insert(table), rows)
