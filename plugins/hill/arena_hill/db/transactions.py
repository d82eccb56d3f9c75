"""Transactions of the database of a hill, which find bots, change states and add commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import time
from typing import Self

from attrs import frozen

from arena import UserError
from arena.host import NAME_PATTERN
from arena.tournament.commands import CoordinatorCommand, WithdrawalCommand
from arena.tournament.store.connection import Connection, DatabaseAddress
from arena.tournament.store.database import Database
from arena.wires import dump
from arena_hill.db.bots import SELECT_BOTS, Bot
from arena_hill.db.command_rows import INSERT_COMMAND, UNNUMBERED, build_row
from arena_hill.db.schema import SCHEMA
from arena_hill.db.submissions import (
    NOTHING_NEW,
    SELECT_SUBMISSIONS,
    Findings,
    Submission,
    match_states,
)
from arena_hill.submission_states import CURRENT_STATES, OPEN_STATES, SubmissionState


@frozen
class HillSnapshot:
    """One state of the database, as a transaction reads it."""

    connection: Connection
    now: float  #: seconds since 1970

    def find_named_bot(self, name: str) -> Bot | None:
        """Return the bot of this name, whatever its case, or None."""
        if not re.fullmatch(NAME_PATTERN, name):  # PostgreSQL takes no NUL
            return None
        row = self.connection.read_row(f"{SELECT_BOTS} WHERE folded_name = ?", (name.casefold(),))
        return None if row is None else Bot(*row)

    def find_bot(self, name: str) -> Bot:
        """Return the bot of this name, or of the alias that is shown; raise UserError if none."""
        folded = name.casefold()
        query = f"{SELECT_BOTS} WHERE folded_name = ? OR hidden"
        for row in self.connection.read_rows(query, (folded,)):
            bot = Bot(*row)
            if folded in {bot.name.casefold(), bot.alias}:
                return bot
        raise UserError(f"there is no bot called {name}")

    def get_submission(self, number: int) -> Submission:
        """Return an existing submission."""
        query = f"{SELECT_SUBMISSIONS} WHERE submissions.id = ?"
        (row,) = self.connection.read_rows(query, (number,))
        return Submission.of_row(row)


@frozen
class HillTransaction(HillSnapshot):
    """A transaction that writes to the database."""

    def set_submission_state(
        self,
        number: int,
        state: SubmissionState,
        why: str = "",
        findings: Findings = NOTHING_NEW,
        *,
        more_tries: int = 0,
        gave_way: bool = False,
    ) -> bool:
        """Change the state of a submission in progress; return whether it still was."""
        update = (
            "UPDATE submissions SET state = ?, why = ?, state_since = ?,"
            " version = COALESCE(?, version), log = COALESCE(?, log),"
            " report = COALESCE(?, report), tries = tries + ?,"
            f" gave_way = ? WHERE id = ? AND {match_states(OPEN_STATES)}"
        )
        report = None if findings.report is None else dump(findings.report)
        new = (findings.version, findings.log, report, more_tries, gave_way)
        values = (str(state), why, self.now, *new, number)
        return bool(self.connection.execute(update, values).rowcount)

    def withdraw_bot(self, bot: Bot, why: str) -> None:
        """Withdraw a bot with all of its submissions in progress or in the tournament."""
        states = match_states(CURRENT_STATES)
        update = (
            f"UPDATE submissions SET state = ?, why = ?, state_since = ? WHERE bot = ? AND {states}"
        )
        values = (str(SubmissionState.WITHDRAWN), why, self.now, bot.id)
        self.connection.execute(update, values)
        self.add_command(WithdrawalCommand(UNNUMBERED, bot.name, why))

    def add_command(self, command: CoordinatorCommand) -> None:
        """Add a command to the coordinator, which gets the next number."""
        self.connection.execute(INSERT_COMMAND, build_row(command))


class HillDatabase(Database):
    """The database of a hill, as one connection has it."""

    schema = SCHEMA
    is_shared = True


@frozen
class HillTransactions:
    """The transactions of a hill's database, in any thread; each has its own connection."""

    address: DatabaseAddress
    clock: Callable[[], float] = time  #: the seconds since 1970

    @classmethod
    def open(cls, address: DatabaseAddress) -> Self:
        """Open a hill's database, created if needed; raise UserError."""
        with HillDatabase(address, write=True) as database:
            database.bring_up_to_date(create=True)
        return cls(address)

    def check_writable(self) -> None:
        """Raise StorageError unless the database can be written now."""
        with self.begin_write() as transaction:
            transaction.connection.execute("UPDATE alembic_version SET version_num = version_num")

    @contextmanager
    def begin_read(self) -> Iterator[HillSnapshot]:
        """Begin a transaction that reads one state of the database."""
        database = HillDatabase(self.address, write=False)
        with database, database.begin_read() as connection:
            yield HillSnapshot(connection, self.clock())

    @contextmanager
    def begin_write(self) -> Iterator[HillTransaction]:
        """Begin a transaction that writes, which waits for the one before."""
        database = HillDatabase(self.address, write=True)
        with database, database.begin_write() as connection:
            yield HillTransaction(connection, self.clock())
