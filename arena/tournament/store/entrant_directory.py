"""The directory of entrants: their numbers in the tables, and the names that people see.

It is the one place where hidden names are exchanged for their aliases: the rows of the tables get
from it each name, title and reason that they give to a reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import starmap

from attrs import frozen

from arena.rules import UnknownNameError, get_player_name
from arena.tournament.entries import Id, format_id, get_name
from arena.tournament.reasons import hide_reason
from arena.tournament.store.connection import Connection, format_marks
from arena.tournament.store.database import Database
from arena.tournament.store.facts import Facts
from arena.tournament.titles import Titles

NAMING_FACTS = (Facts.aliases.name, Facts.own_titles.name, Facts.file_titles.name)
"""The facts that say what people see instead of names."""


@frozen(eq=False)
class DirectoryEntries:
    """What the directory has read, from one state of the database."""

    version: tuple[object, ...]  #: differs as soon as anything here has changed
    rows: Sequence[tuple[str, str]]  #: the stored name and version of each entrant, by number
    shown_aliases: Mapping[str, str]  #: of names that are not to be shown
    all_aliases: Mapping[str, str]  #: of all names that the host has hidden
    file_titles: Mapping[str, str]
    own_titles: Mapping[str, str]

    @cached_property
    def names_and_versions(self) -> Sequence[tuple[str, str]]:
        """The name that is shown and the version of each entrant, in the order of numbers."""
        return [(self.mask_name(name), version) for name, version in self.rows]

    @cached_property
    def ids(self) -> tuple[Id, ...]:
        """The entrants in the order of their numbers."""
        return tuple(starmap(format_id, self.names_and_versions))

    @cached_property
    def numbers(self) -> Mapping[Id, int]:
        """The entrants' numbers, which begin with 1."""
        return {entrant: number for number, entrant in enumerate(self.ids, 1)}

    @cached_property
    def titles(self) -> Mapping[str, str]:
        """The titles of entrants by name, without those that look like somebody else."""
        if not (self.file_titles or self.own_titles):
            return {}
        names = [*(name for name, _ in self.rows), *self.all_aliases.values()]
        return Titles(self.file_titles, self.own_titles, names).distinct

    def mask_name(self, name: str) -> str:
        """Return the alias of a hidden name, or else the name; a seat's keeps its number."""
        if not self.shown_aliases:
            return name
        player = get_player_name(name)
        return self.shown_aliases.get(player, player) + name.removeprefix(player)


class EntrantDirectory:
    """Who has entered a tournament, by numbers, ids and names.

    What was read is kept for as long as it is that of the database. Whoever may be overtaken by
    another process compares it once in each transaction; the writer says itself what it changes.

    If it is `aliased`, by stored aliases or by these, names that the host has hidden are not in it.
    """

    def __init__(
        self, database: Database, facts: Facts, *, aliased: bool | Mapping[str, str]
    ) -> None:
        self._database = database
        self._facts = facts
        self._aliased = aliased
        self._loaded: DirectoryEntries | None = None
        self._compared = 0  # the transaction in which that was compared with the database

    def reload(self) -> None:
        """Forget what was read: somebody has entered, or titles or aliases have changed."""
        self._loaded = None

    @property
    def _entries(self) -> DirectoryEntries:
        """What is in the database now."""
        database, loaded = self._database, self._loaded
        if loaded and (database.claimed or self._compared == database.transactions):
            return loaded
        with database.begin_read() as connection:
            version = self._read_version(connection)
            if loaded is None or loaded.version != version:
                loaded = self._load(connection, version)
            self._loaded, self._compared = loaded, database.transactions
        return loaded

    def _read_version(self, connection: Connection) -> tuple[object, ...]:
        """Return what differs after a change: entrants are added only, with a name for good."""
        marks = format_marks(NAMING_FACTS)
        query = f"SELECT value FROM facts WHERE name IN ({marks}) ORDER BY name"
        last = connection.read_value("SELECT MAX(id) FROM entrants")
        return last, *connection.read_column(query, NAMING_FACTS)

    def _load(self, connection: Connection, version: tuple[object, ...]) -> DirectoryEntries:
        facts, aliased = self._facts, self._aliased
        aliases = facts.aliases
        if not isinstance(aliased, Mapping):
            aliased = aliases if aliased else {}
        rows = connection.read_rows("SELECT name, version FROM entrants ORDER BY id")
        names = [(name, version) for name, version in rows]
        return DirectoryEntries(
            version, names, aliased, aliases, facts.file_titles, facts.own_titles
        )

    @property
    def aliases(self) -> Mapping[str, str]:
        """The aliases of hidden names, where these are not to be shown; else none."""
        return self._entries.shown_aliases

    @property
    def ids(self) -> tuple[Id, ...]:
        """The entrants in the order of their numbers."""
        return self._entries.ids

    @property
    def numbers(self) -> Mapping[Id, int]:
        """The entrants' numbers, which begin with 1."""
        return self._entries.numbers

    @property
    def titles(self) -> Mapping[str, str]:
        """The titles of entrants by name, without those that look like somebody else."""
        return self._entries.titles

    def find_number(self, entrant: Id) -> int:
        """Return the number of an entrant in the tables; raise UnknownNameError."""
        if entrant not in self.numbers:
            self.reload()  # it may have entered meanwhile
        if entrant not in self.numbers:
            raise UnknownNameError("entrant", entrant, self.numbers)
        return self.numbers[entrant]

    def find_entrant(self, number: int) -> Id:
        """Return the entrant with a number."""
        return self.ids[number - 1]

    def find_name_and_version(self, number: int) -> tuple[str, str]:
        """Return the name and the version of the entrant with a number."""
        return self._entries.names_and_versions[number - 1]

    def find_numbers(self, bot: str) -> list[int]:
        """Return the numbers of all entrants with this name or id; raise UnknownNameError."""
        numbers = [
            number
            for entrant, number in self.numbers.items()
            if bot in {entrant, get_name(entrant)}
        ]
        if not numbers:
            raise UnknownNameError("entrant", bot, sorted({*map(get_name, self.ids)}))
        return numbers

    def mask_name(self, name: str) -> str:
        """Return the alias of a hidden name, or else the name; a seat's keeps its number."""
        return self._entries.mask_name(name)

    def mask_reason(self, reason: str) -> str:
        """Return a stored reason without hidden names."""
        return hide_reason(reason, self.aliases)

    def find_title(self, name: str) -> str:
        """Return the title of a name in the tables; empty if it has none, or is hidden."""
        return "" if name in self.aliases else self.titles.get(name, "")

    def label_name(self, name: str) -> str:
        """Return the label that stands for a name: its alias if it is hidden, or its title."""
        player = get_player_name(name)
        label = self.aliases.get(player) or self.titles.get(player, player)
        return label + name.removeprefix(player)
