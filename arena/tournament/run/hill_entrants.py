"""The entrants of a running hill: who comes and leaves is stored, scheduled and told the host."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from arena.tournament.commands import CoordinatorCommand
from arena.tournament.entries import Entry, Id, ReadyEntry, State, get_name
from arena.tournament.run.entrant_gate import EntrantGate, Unfit
from arena.tournament.run.schedule import Schedule
from arena.tournament.store import Store


@frozen
class HillEntrants:
    """The entrants of a hill, each change of which is stored before it is scheduled."""

    store: Store
    schedule: Schedule
    gate: EntrantGate
    say: Callable[[str], None]  #: tells the host

    @property
    def size(self) -> int:
        """The number of entrants that play."""
        return len(self.schedule.ready_entries)

    def carry_out(self, command: CoordinatorCommand, ready: ReadyEntry | None) -> None:
        """Carry out a command, and admit the entrant that it lets in."""
        for entrant in self.store.entries.carry_out(command):
            self.schedule.leave_out(entrant)
        if ready:
            self.store.entries.record_check(ready.id)
            self.schedule.admit(ready)

    def drop(self, entrant: Id, why: str) -> None:
        """Let an entrant wait for another place."""
        self.store.entries.set_state(entrant, State.WAITING, why)
        self.schedule.leave_out(entrant)
        self.say(f"{get_name(entrant)} falls off the hill, and waits for a place: {why}")

    def take_back(self, entry: Entry, ready: ReadyEntry | Unfit) -> None:
        """Give an entrant that waits a place, unless it is unfit."""
        if isinstance(ready, Unfit):
            self.store.entries.set_state(entry.id, State.UNFIT, ready.why)
            self.say(f"{entry.name} is left out: {ready.why}")
        else:
            self.store.entries.set_state(entry.id, State.ACTIVE)
            self.schedule.admit(ready)
            self.say(f"{entry.name} comes back: there is a place for it")
