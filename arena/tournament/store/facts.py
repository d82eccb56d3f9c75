"""The facts of a tournament: JSON values that are stored by name, each with its type here."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Never, NoReturn, Self, TypeVar, overload

from attrs import asdict

from arena.tournament.entries import Id
from arena.tournament.format_protocol import FormatTerms
from arena.tournament.store.connection import Connection
from arena.tournament.store.database import Database
from arena.tournament.store.settings import LastHillSettings, StoredSettings
from arena.wires import dump

T = TypeVar("T")
STORED_TERMS = {
    "seats_per_match": "entrants_per_match", "matches": "matches", "first": "initial_entrants",
    "duplicate": "duplicate", "keepers": "folder_keepers", "each": "matches_per_version",
}  # fmt: skip
"""The names of terms in databases, with those of their fields."""
GET_FACT = "SELECT value FROM facts WHERE name = ?"
PUT_FACT = """
INSERT INTO facts (name, value) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET value = excluded.value
"""


class Fact(Generic[T]):
    """An attribute of `Facts`, whose value is read from the database; `Facts.set` stores it.

    `parse` and `pack` turn its JSON into its value and back, where these differ.
    """

    def __init__(
        self,
        name: str,
        default: T,
        parse: Callable[[Any], T] | None = None,
        pack: Callable[[T], Any] | None = None,
    ) -> None:
        self.name = name
        self._default = default
        self._parse = parse
        self._pack = pack

    @overload
    def __get__(self, facts: None, owner: type[Facts]) -> Self: ...
    @overload
    def __get__(self, facts: Facts, owner: type[Facts]) -> T: ...
    def __get__(self, facts: Facts | None, owner: type[Facts]) -> Self | T:
        """Return the stored value, or the default where none is stored."""
        if facts is None:
            return self
        value: Any = facts.get(self.name)
        if value is None:
            return self._default
        return self._parse(value) if self._parse else value

    def __set__(self, facts: Facts, value: Never) -> NoReturn:
        """Raise AttributeError: an assignment would hide that it writes to the database."""
        raise AttributeError(f"use Facts.set to store {self.name!r}")

    def put(self, connection: Connection, value: T) -> None:
        """Store a value within a transaction."""
        packed = self._pack(value) if self._pack else value
        connection.execute(PUT_FACT, (self.name, dump(packed)))


def _parse_terms(terms: Mapping[str, Any]) -> FormatTerms:
    values = {STORED_TERMS[name]: value for name, value in terms.items()}
    return FormatTerms(**{**values, "folder_keepers": frozenset(values["folder_keepers"])})


def _pack_hill(hill: LastHillSettings | None) -> Any:
    return hill and asdict(hill)


def _pack_terms(terms: FormatTerms | None) -> Any:
    if terms is None:
        return None
    values = {name: getattr(terms, field) for name, field in STORED_TERMS.items()}
    return {**values, "keepers": sorted(terms.folder_keepers)}


class Facts:
    """The facts of a tournament in its database."""

    creation_settings = Fact(
        "tournament",
        StoredSettings(),
        StoredSettings.parse,
        StoredSettings.pack,
    )
    """The settings with which it was created; `TournamentDatabase.settings` keeps them."""
    secret = Fact("secret", "")
    """The source of all its seeds."""
    level = Fact[float | None]("level", None)
    """The confidence level of its last run."""
    anchor = Fact[str | None]("anchor", None)
    """The anchor of its last run, as `Anchor` reads it."""
    terms = Fact[FormatTerms | None]("terms", None, _parse_terms, _pack_terms)
    """What its format had to know in its last run; None before the first."""
    first_entrants = Fact[int | None]("first", None)
    """The number of the entrants of its first run that had enough for a match."""
    hill = Fact[LastHillSettings | None]("hill", None, LastHillSettings.parse, _pack_hill)
    """The settings of a hill by which it was last run; None before that."""
    is_over = Fact("over", default=False)
    """Whether all that was planned is played."""
    last_plan = Fact("last plan", 0)
    """The first deal of those that were planned last."""
    last_command = Fact("orders", 0)
    """The number of the last command that was carried out, or 0."""
    checked = Fact[Sequence[Id]]("checked", ())
    """The entrants that have passed their check."""
    own_titles = Fact[Mapping[str, str]]("titles", {})
    """The titles that bots give themselves in the version that plays, by the entrants' names."""
    file_titles = Fact[Mapping[str, str]]("titles of the file", {})
    """The titles that the tournament's file gives, by the entrants' names."""
    aliases = Fact[Mapping[str, str]]("hidden", {})
    """The aliases of the names that are hidden."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def set(self, fact: Fact[T], value: T) -> None:
        """Store a fact in a transaction of its own."""
        with self._database.begin_write() as connection:
            fact.put(connection, value)

    def get(self, name: str) -> Any:
        """Return the JSON value of a fact, or None if there is none of this name."""
        with self._database.begin_read() as connection:
            value = connection.read_value(GET_FACT, (name,))
        return None if value is None else json.loads(value)
