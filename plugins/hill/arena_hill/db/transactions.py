"""Transactions of the database of a hill, which find bots, change states and add commands."""

from __future__ import annotations

import re

from attrs import frozen

from arena import UserError
from arena.host import NAME_PATTERN
from arena.tournament.commands import CoordinatorCommand, WithdrawalCommand
from arena.tournament.store.connection import Connection
from arena.wires import dump
from arena_hill.db.bots import SELECT_BOTS, Bot
from arena_hill.db.command_rows import INSERT_COMMAND, UNNUMBERED, build_row
from arena_hill.db.submissions import (
    CURRENT_STATES,
    NOTHING_NEW,
    OPEN_STATES,
    SELECT_SUBMISSIONS,
    Findings,
    JudgingState,
    Submission,
    match_states,
)


@frozen
class HillSnapshot:
    """One state of the database, as a transaction reads it."""

    connection: Connection
    now: float  #: seconds since 1970

    def find_named_bot(self, name: str) -> Bot | None:
        """Return the bot of this name, whatever its case, or None."""
        if not re.fullmatch(NAME_PATTERN, name):  # PostgreSQL takes no NUL
            return None
        row = self.connection.read_row(f"{SELECT_BOTS} WHERE folded = ?", (name.casefold(),))
        return None if row is None else Bot(*row)

    def find_bot(self, name: str) -> Bot:
        """Return the bot of this name, or of the alias that is shown; raise UserError if none."""
        folded = name.casefold()
        query = f"{SELECT_BOTS} WHERE folded = ? OR hidden"
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
        state: JudgingState,
        why: str = "",
        findings: Findings = NOTHING_NEW,
        *,
        more_tries: int = 0,
        gave_way: bool = False,
    ) -> bool:
        """Change the state of a submission in progress; return whether it still was."""
        update = (
            "UPDATE submissions SET state = ?, why = ?, moved = ?, version = COALESCE(?, version),"
            " log = COALESCE(?, log), report = COALESCE(?, report), tries = tries + ?,"
            f" gave_way = ? WHERE id = ? AND {match_states(OPEN_STATES)}"
        )
        report = None if findings.report is None else dump(findings.report)
        new = (findings.version, findings.log, report, more_tries, gave_way)
        values = (str(state), why, self.now, *new, number)
        return bool(self.connection.execute(update, values).rowcount)

    def withdraw_bot(self, bot: Bot, why: str) -> None:
        """Withdraw a bot with all of its submissions in progress or in the tournament."""
        states = match_states(CURRENT_STATES)
        update = f"UPDATE submissions SET state = ?, why = ?, moved = ? WHERE bot = ? AND {states}"
        values = (str(JudgingState.WITHDRAWN), why, self.now, bot.id)
        self.connection.execute(update, values)
        self.add_command(WithdrawalCommand(UNNUMBERED, bot.name, why))

    def add_command(self, command: CoordinatorCommand) -> None:
        """Add a command to the coordinator, which gets the next number."""
        self.connection.execute(INSERT_COMMAND, build_row(command))
