"""The database of a tournament, with what each part of the store needs to read and write rows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from attrs import frozen

from arena.tournament.store.connection import DatabaseAddress
from arena.tournament.store.database import Database
from arena.tournament.store.entrant_directory import EntrantDirectory
from arena.tournament.store.facts import Facts
from arena.tournament.store.schema import SCHEMA
from arena.tournament.store.settings import StoredSettings


class TournamentDatabase(Database):
    """A tournament's database, its facts, and the directory of its entrants.

    If it is `aliased`, its results do not contain names that the host has hidden.
    """

    schema = SCHEMA

    def __init__(
        self, address: DatabaseAddress, *, write: bool, aliased: bool | Mapping[str, str] = False
    ) -> None:
        super().__init__(address, write=write)
        self.facts = Facts(self)
        self.entrant_directory = EntrantDirectory(self, self.facts, aliased=aliased)

    @cached_property
    def settings(self) -> StoredSettings:
        """The settings with which the tournament was created, which never change."""
        return self.facts.creation_settings

    def claim(self) -> None:
        """Become the only writer until closed; raise BusyDatabaseError if there is another one."""
        super().claim()
        self.entrant_directory.reload()  # what others wrote before is not compared any more


@frozen(eq=False)
class StorePart:
    """A part of the store, which reads and writes rows of some tables."""

    _database: TournamentDatabase

    @property
    def _directory(self) -> EntrantDirectory:
        """The entrants by their numbers in the tables."""
        return self._database.entrant_directory
