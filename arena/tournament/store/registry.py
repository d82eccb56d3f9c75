"""What is known of a tournament as a whole, and who has entered it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from sqlalchemy import Update, bindparam, delete, func, insert, select, update

from arena.rules import Unknown, UserError
from arena.tournament.hill import Order
from arena.tournament.plan import Id, id_of
from arena.tournament.records import Containment, Entry, State
from arena.tournament.store.database import Database
from arena.tournament.store.schema import entrants, facts
from arena.wires import converter, dump, read

CARRIED_OUT = "orders"  # the fact that has the number of the last order
HIDDEN = "hidden"  # the fact that has what is shown in place of some names

_FACT = select(facts.c.value).where(facts.c.name == bindparam("name"))
_IDS = select(entrants.c.name, entrants.c.version).order_by(entrants.c.id)


class Registry(Database):
    """Facts, and entrants in the order in which they entered."""

    def fact(self, name: str) -> Any:
        """Return a JSON value; None where nothing is known by this name."""
        with self.reading() as connection:
            value = connection.scalar(_FACT, {"name": name})
        return None if value is None else json.loads(value)

    def set_fact(self, name: str, value: Any) -> None:
        """Keep a JSON value in place of what was known by this name."""
        with self.writing():
            self._put_fact(name, value)

    def entries(self) -> tuple[Entry, ...]:
        """Return everybody who has entered, in every version, in the order of entry."""
        with self.reading() as connection:
            rows = connection.execute(select(entrants).order_by(entrants.c.id)).all()
        return tuple(
            Entry(
                self.shown_as(one.name),
                one.version,
                one.bot,
                one.keeps,
                read(json.loads(one.containment), Containment),
                State(one.state),
                one.why,
            )
            for one in rows
        )

    def active(self) -> tuple[Entry, ...]:
        """Return who takes part, in the order of entry."""
        return tuple(entry for entry in self.entries() if entry.state is State.ACTIVE)

    def enter(self, entry: Entry) -> None:
        """Let somebody enter; raise UserError where this version has entered before."""
        if entry.id in self.numbers:
            raise UserError(f"{entry.id} has entered already")
        with self.writing():
            self._begin_with([entry])
        self._forget()

    def carried_out(self) -> int:
        """Return the number of the last order that was carried out; 0 where none was."""
        return self.fact(CARRIED_OUT) or 0

    def carry_out(self, order: Order) -> list[Id]:
        """Let somebody in or out, and take down that this order is carried out; all or nothing.

        Returns who takes part no more because of it.
        """
        if order.alias:
            hidden = {**(self.fact(HIDDEN) or {}), order.name: order.alias}
            with self.writing():
                self._put_fact(HIDDEN, hidden)
                self._put_fact(CARRIED_OUT, order.number)
            return []
        new = order.entry
        stays = new is not None and new.state is not State.ACTIVE
        named = [one for one in self.active() if one.name == order.name and not stays]
        gone = [one.id for one in named if new is None or one.id != new.id]
        known = new is not None and new.id in self.numbers  # read before anything is written
        state, why = order.state, order.why
        if new is not None:
            state, why = State.REPLACED, f"by version {new.version}"
        changed = [self.standing(one, state, why) for one in gone]
        if new is not None and known:
            changed.append(self.standing(new.id, new.state, new.why))
        with self.writing() as connection:
            for one in changed:
                connection.execute(one)
            if new is not None and not known:
                self._begin_with([new])
            self._put_fact(CARRIED_OUT, order.number)
        self._forget()
        return gone

    def set_state(self, one: Id, state: State, why: str = "") -> None:
        """Say where an entrant stands from now on."""
        changed = self.standing(one, state, why)
        with self.writing() as connection:
            connection.execute(changed)

    def standing(self, one: Id, state: State, why: str) -> Update:
        """Return the change that says where an entrant stands."""
        changed = update(entrants).where(entrants.c.id == self.number(one))
        return changed.values(state=str(state), why=clean(why))

    def number(self, one: Id) -> int:
        """Return the number by which the tables know an entrant; raise Unknown."""
        if one not in self.numbers:
            self._forget()  # it may have entered since
        if one not in self.numbers:
            raise Unknown("entrant", one, self.numbers)
        return self.numbers[one]

    def one(self, number: int) -> Id:
        """Return the entrant of such a number."""
        if number > len(self.ids):
            self._forget()
        return self.ids[number - 1]

    def shown_as(self, name: str) -> str:
        """Return what is said in place of a name: the host may have hidden it."""
        return self._aliases.get(name, name)

    @property
    def aliases(self) -> frozenset[str]:
        """Return what is said in place of the names that are hidden."""
        return frozenset(self._aliases.values())

    @cached_property
    def _aliases(self) -> dict[str, str]:
        return (self.fact(HIDDEN) or {}) if self.aliased else {}

    @cached_property
    def numbers(self) -> dict[Id, int]:
        """Return the entrants' numbers, which begin with 1."""
        return {one: number for number, one in enumerate(self.ids, 1)}

    @cached_property
    def ids(self) -> tuple[Id, ...]:
        """Return the entrants in the order of their numbers."""
        with self.reading() as connection:
            rows = connection.execute(_IDS).all()
        return tuple(id_of(self.shown_as(name), version) for name, version in rows)

    def _put_fact(self, name: str, value: Any) -> None:
        """Keep a fact, within a transaction."""
        self.connection.execute(delete(facts).where(facts.c.name == name))
        self.connection.execute(insert(facts).values(name=name, value=dump(value)))

    def _forget(self) -> None:
        for name in ("ids", "numbers"):
            self.__dict__.pop(name, None)

    def _begin_with(self, entries: Iterable[Entry]) -> None:
        last = self.connection.scalar(select(func.max(entrants.c.id))) or 0
        for number, entry in enumerate(entries, last + 1):
            for text in (entry.name, entry.bot):
                if clean(text) != text:
                    raise UserError(f"{text!a} cannot be stored: it is no UTF-8")
            row = {name: getattr(entry, name) for name in ("name", "version", "bot", "keeps")}
            row["containment"] = dump(converter.unstructure(entry.containment))
            row |= {"id": number, "state": str(entry.state), "why": clean(entry.why)}
            self.connection.execute(insert(entrants).values(**row))


def clean(text: str) -> str:
    r"""Return a text as every database takes it: without NUL, and without half characters.

    >>> clean("a\0b")
    'a\ufffdb'
    """
    return text.encode(errors="replace").decode().replace("\0", "\ufffd")
