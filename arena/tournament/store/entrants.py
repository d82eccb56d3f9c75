"""Facts about a tournament as a whole, and its entrants."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from sqlalchemy import Update, bindparam, delete, func, insert, select, update

from arena.rules import UnknownNameError, UserError
from arena.tournament.models.coordinator_commands import CoordinatorCommand
from arena.tournament.models.records import Containment, Entry, State
from arena.tournament.models.schedule import Id, format_id
from arena.tournament.store.database import Database
from arena.tournament.store.schema import entrants, facts
from arena.wires import converter, dump, read

CARRIED_OUT = "orders"  # the fact with the number of the last command
HIDDEN = "hidden"  # the fact with the aliases of hidden names

_FACT = select(facts.c.value).where(facts.c.name == bindparam("name"))
_IDS = select(entrants.c.name, entrants.c.version).order_by(entrants.c.id)


class EntrantStore(Database):
    """Facts, and entrants in the order in which they entered."""

    def get_fact(self, name: str) -> Any:
        """Return the JSON value of a fact, or None if there is none of this name."""
        with self.begin_read() as connection:
            value = connection.scalar(_FACT, {"name": name})
        return None if value is None else json.loads(value)

    def set_fact(self, name: str, value: Any) -> None:
        """Set the JSON value of a fact."""
        with self.begin_write():
            self._put_fact(name, value)

    def list_entries(self) -> tuple[Entry, ...]:
        """Return all entrants in all versions, in the order of entry."""
        with self.begin_read() as connection:
            rows = connection.execute(select(entrants).order_by(entrants.c.id)).all()
        return tuple(map(self._read_entry, rows))

    def _read_entry(self, row: Any) -> Entry:
        return Entry(
            self.mask_name(row.name),
            row.version,
            row.bot,
            row.keeps,
            read(json.loads(row.containment), Containment),
            State(row.state),
            row.why,
        )

    def list_active(self) -> tuple[Entry, ...]:
        """Return the active entrants, in the order of entry."""
        return tuple(entry for entry in self.list_entries() if entry.state is State.ACTIVE)

    def enter(self, entry: Entry) -> None:
        """Add an entrant; raise UserError if this version has entered before."""
        if entry.id in self.numbers:
            raise UserError(f"{entry.id} has already entered")
        with self.begin_write():
            self._insert_entries([entry])
        self._clear_cache()

    def get_last_command(self) -> int:
        """Return the number of the last command that was carried out, or 0."""
        return self.get_fact(CARRIED_OUT) or 0

    def carry_out(self, order: CoordinatorCommand) -> list[Id]:
        """Execute a command and record that, in one transaction.

        Returns the entrants that it removed.
        """
        if order.alias:
            hidden = {**(self.get_fact(HIDDEN) or {}), order.name: order.alias}
            with self.begin_write():
                self._put_fact(HIDDEN, hidden)
                self._put_fact(CARRIED_OUT, order.number)
            return []
        new = order.entry
        named = [entry for entry in self.list_entries() if entry.name == order.name]
        gone = [entry.id for entry in named if entry.state.is_current]
        if new is not None:  # one that does not play leaves the other versions where they are
            plays = new.state is State.ACTIVE
            gone = [entrant for entrant in gone if (entrant != new.id) is plays]
        known = new is not None and new.id in self.numbers  # read before anything is written
        state, why = order.state, order.why
        if new is not None:
            state, why = State.REPLACED, f"by version {new.version}"
        changed = [self.build_state_update(entry, state, why) for entry in gone]
        if new is not None and known:
            changed.append(self.build_state_update(new.id, new.state, new.why))
        with self.begin_write() as connection:
            for statement in changed:
                connection.execute(statement)
            if new is not None and not known:
                self._insert_entries([new])
            self._put_fact(CARRIED_OUT, order.number)
        self._clear_cache()
        return gone

    def set_state(self, entrant: Id, state: State, why: str = "") -> None:
        """Set the state of an entrant."""
        changed = self.build_state_update(entrant, state, why)
        with self.begin_write() as connection:
            connection.execute(changed)

    def build_state_update(self, entrant: Id, state: State, why: str) -> Update:
        """Return the statement that sets the state of an entrant."""
        changed = update(entrants).where(entrants.c.id == self.find_number(entrant))
        return changed.values(state=str(state), why=clean_text(why))

    def find_number(self, entrant: Id) -> int:
        """Return the number of an entrant in the tables; raise UnknownNameError."""
        if entrant not in self.numbers:
            self._clear_cache()  # it may have entered meanwhile
        if entrant not in self.numbers:
            raise UnknownNameError("entrant", entrant, self.numbers)
        return self.numbers[entrant]

    def find_entrant(self, number: int) -> Id:
        """Return the entrant with a number."""
        if number > len(self.ids):
            self._clear_cache()
        return self.ids[number - 1]

    def mask_name(self, name: str) -> str:
        """Return the alias of a hidden name, or else the name."""
        return self._aliases.get(name, name)

    @property
    def aliases(self) -> frozenset[str]:
        """The aliases of hidden names."""
        return frozenset(self._aliases.values())

    @cached_property
    def _aliases(self) -> dict[str, str]:
        return (self.get_fact(HIDDEN) or {}) if self.aliased else {}

    @cached_property
    def numbers(self) -> dict[Id, int]:
        """Return the entrants' numbers, which begin with 1."""
        return {entrant: number for number, entrant in enumerate(self.ids, 1)}

    @cached_property
    def ids(self) -> tuple[Id, ...]:
        """Return the entrants in the order of their numbers."""
        with self.begin_read() as connection:
            rows = connection.execute(_IDS).all()
        return tuple(format_id(self.mask_name(name), version) for name, version in rows)

    def _put_fact(self, name: str, value: Any) -> None:
        """Set a fact, within a transaction."""
        self.connection.execute(delete(facts).where(facts.c.name == name))
        self.connection.execute(insert(facts).values(name=name, value=dump(value)))

    def _clear_cache(self) -> None:
        for name in ("ids", "numbers"):
            self.__dict__.pop(name, None)

    def _insert_entries(self, entries: Iterable[Entry]) -> None:
        last = self.connection.scalar(select(func.max(entrants.c.id))) or 0
        for number, entry in enumerate(entries, last + 1):
            for text in (entry.name, entry.bot):
                if clean_text(text) != text:
                    raise UserError(f"{text!a} cannot be stored: it is not UTF-8")
            row = {name: getattr(entry, name) for name in ("name", "version", "bot", "keeps")}
            row["containment"] = dump(converter.unstructure(entry.containment))
            row |= {"id": number, "state": str(entry.state), "why": clean_text(entry.why)}
            self.connection.execute(insert(entrants).values(**row))


def clean_text(text: str) -> str:
    r"""Return a text that every database accepts: without NUL and lone surrogates.

    >>> clean_text("a\0b")
    'a\ufffdb'
    """
    return text.encode(errors="replace").decode().replace("\0", "\ufffd")
