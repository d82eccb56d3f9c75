"""The store of a hill: its own database, by its parts.

The web server, the judge, the coordinator and the host share it.
"""

from __future__ import annotations

from typing import Self

from attrs import frozen

from arena.tournament.store.connection import DatabaseAddress
from arena_hill.db.accounts import Accounts, Principal
from arena_hill.db.author_actions import AuthorActions
from arena_hill.db.commands import CommandLog
from arena_hill.db.host_actions import HostActions
from arena_hill.db.judging_queue import JudgingQueue
from arena_hill.db.submissions import StoredSubmissions
from arena_hill.db.transactions import HillTransactions
from arena_hill.hill import Hill


@frozen
class HillStore:
    """The database of a hill, by its parts."""

    transactions: HillTransactions

    @classmethod
    def open(cls, address: DatabaseAddress) -> Self:
        """Open the database at an address, created if needed; raise UserError."""
        return cls(HillTransactions.open(address))

    @classmethod
    def of(cls, hill: Hill) -> Self:
        """Open the database of this hill, created if needed; raise UserError."""
        return cls.open(hill.database_address)

    def now(self) -> float:
        """Return the time by the clock of its transactions, in seconds since 1970."""
        return self.transactions.clock()

    @property
    def accounts(self) -> Accounts:
        """The accounts of its authors."""
        return Accounts(self.transactions)

    @property
    def submissions(self) -> StoredSubmissions:
        """The submissions of all bots."""
        return StoredSubmissions(self.transactions)

    @property
    def queue(self) -> JudgingQueue:
        """Its queue of submissions to be judged."""
        return JudgingQueue(self.transactions)

    @property
    def host_actions(self) -> HostActions:
        """The actions of its host."""
        return HostActions(self.transactions)

    @property
    def commands(self) -> CommandLog:
        """The commands to its coordinator."""
        return CommandLog(self.transactions)

    def act_as(self, author: Principal) -> AuthorActions:
        """Return the actions of an author."""
        return AuthorActions(self.accounts, author)
