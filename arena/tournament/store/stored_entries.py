"""The entrants as they are stored: their states, and the commands that change these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import frozen

from arena.rules import UserError
from arena.tournament.commands import (
    AliasCommand,
    CoordinatorCommand,
    EntryCommand,
    WithdrawalCommand,
)
from arena.tournament.entries import Entry, Id, State
from arena.tournament.reasons import REPLACEMENT
from arena.tournament.store.connection import Connection, Row, clean_text
from arena.tournament.store.entrant_directory import EntrantDirectory
from arena.tournament.store.facts import Facts
from arena.tournament.store.table_rows import PUT_ENTRANT, EntrantRow, format_columns
from arena.tournament.store.tournament_database import StorePart

GET_ENTRANTS = f"SELECT {format_columns('entrants', EntrantRow._fields)} FROM entrants ORDER BY id"
SET_STATE = "UPDATE entrants SET state = ?, why = ? WHERE id = ?"


@frozen(eq=False)
class StoredEntries(StorePart):
    """The entrants of a tournament, in all their versions."""

    def list_all(self) -> tuple[Entry, ...]:
        """Return all entrants in all versions, in the order of entry."""
        with self._database.begin_read() as connection:
            rows = connection.read_rows(GET_ENTRANTS)
        return tuple([EntrantRow._make(row).parse(self._directory) for row in rows])

    def list_active(self) -> tuple[Entry, ...]:
        """Return the active entrants, in the order of entry."""
        return tuple(entry for entry in self.list_all() if entry.state is State.ACTIVE)

    def enter(self, entry: Entry) -> None:
        """Add an entrant; raise UserError if this version has entered before."""
        if entry.id in self._directory.numbers:
            raise UserError(f"{entry.id} has already entered")
        with self._database.begin_write() as connection:
            self.insert_entries(connection, [entry])
        self._directory.reload()

    def reactivate(self, entry: Entry) -> None:
        """Let a version that has entered before play again, under its own title."""
        row = build_state_row(self._directory, entry.id, State.ACTIVE, "")
        with self._database.begin_write() as connection:
            connection.execute(SET_STATE, row)
            self._put_title(connection, entry)
        self._directory.reload()

    def set_file_titles(self, titles: Mapping[str, str]) -> None:
        """Set the titles that the tournament's file gives, by the entrants' names."""
        self._database.facts.set(Facts.file_titles, titles)
        self._directory.reload()

    def insert_entries(self, connection: Connection, entries: Iterable[Entry]) -> None:
        """Insert new entrants within a transaction; raise UserError for what cannot be stored."""
        last = connection.read_value("SELECT MAX(id) FROM entrants") or 0
        for number, entry in enumerate(entries, last + 1):
            connection.execute(PUT_ENTRANT, EntrantRow.of(number, entry))
            if entry.state.is_current:
                self._put_title(connection, entry)

    def _put_title(self, connection: Connection, entry: Entry) -> None:
        """Store the title of the version that plays, within a transaction."""
        before = self._database.facts.own_titles
        titles = {**before, entry.name: entry.title}
        if entry.title != before.get(entry.name, ""):
            titles = {name: title for name, title in titles.items() if title}
            Facts.own_titles.put(connection, titles)

    def record_check(self, entrant: Id) -> None:
        """Record that an entrant passed its check, so that later runs do not repeat it.

        An entrant of a hill was checked on admission. A second check at each start would exclude it
        for good if the machine is slow at that moment.
        """
        self._database.facts.set(Facts.checked, sorted({*self._database.facts.checked, entrant}))

    def carry_out(self, command: CoordinatorCommand) -> list[Id]:
        """Carry out a command and record that, in one transaction.

        Returns the entrants that it removed.
        """
        match command:
            case EntryCommand():
                return self._let_in(command)
            case WithdrawalCommand():
                return self._withdraw(command)
            case AliasCommand():
                self._hide_name(command)
                return []

    def _let_in(self, command: EntryCommand) -> list[Id]:
        new = command.entry
        plays = new.state is State.ACTIVE  # one that does not leaves the other versions in place
        leavers = [id_ for id_ in self._list_current(new.name) if (id_ != new.id) is plays]
        why = REPLACEMENT.fill(version=new.version)
        changes = [
            build_state_row(self._directory, entrant, State.REPLACED, why) for entrant in leavers
        ]
        is_known = new.id in self._directory.numbers  # read before anything is written
        if is_known:
            changes.append(build_state_row(self._directory, new.id, new.state, new.why))
        with self._database.begin_write() as connection:
            connection.execute_many(SET_STATE, changes)
            if not is_known:
                self.insert_entries(connection, [new])
            elif plays:
                self._put_title(connection, new)
            Facts.last_command.put(connection, command.number)
        self._directory.reload()
        return leavers

    def _withdraw(self, command: WithdrawalCommand) -> list[Id]:
        leavers = self._list_current(command.name)
        changes = [
            build_state_row(self._directory, id_, command.state, command.why) for id_ in leavers
        ]
        with self._database.begin_write() as connection:
            connection.execute_many(SET_STATE, changes)
            Facts.last_command.put(connection, command.number)
        return leavers

    def _hide_name(self, command: AliasCommand) -> None:
        aliases = {**self._database.facts.aliases, command.name: command.alias}
        with self._database.begin_write() as connection:
            Facts.aliases.put(connection, aliases)
            Facts.last_command.put(connection, command.number)
        self._directory.reload()

    def _list_current(self, name: str) -> list[Id]:
        """Return the versions of this name that play, or wait for a place."""
        entries = self.list_all()
        return [entry.id for entry in entries if entry.name == name and entry.state.is_current]

    def set_state(self, entrant: Id, state: State, why: str = "") -> None:
        """Set the state of an entrant."""
        row = build_state_row(self._directory, entrant, state, why)
        with self._database.begin_write() as connection:
            connection.execute(SET_STATE, row)


def build_state_row(directory: EntrantDirectory, entrant: Id, state: State, why: str) -> Row:
    """Return the values of `SET_STATE`."""
    return str(state), clean_text(why), directory.find_number(entrant)
