"""Admission to a hill: what waits, what does not, and who loses a place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from attrs import define, evolve, field

from arena.rules import StorageError
from arena.tournament.config.hill import HillConfig
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.models.coordinator_commands import CoordinatorCommand
from arena.tournament.models.records import Entry, State
from arena.tournament.models.schedule import FormatTerms
from arena.tournament.run.hill_admission import Admission
from arena.tournament.run.scheduler import Schedule
from arena.tournament.store import Store
from arena.tournament.worker.jobs import Contestant
from tests.support.tournaments.stored_matches import A, B, C, create_tournament

EVE, EVE2 = Entry("eve", "e1", "./eve"), Entry("eve", "e2", "./eve")


@define
class Gate:
    """A hill of three, with commands that a test writes, and bots that cannot be made ready now."""

    store: Store
    commands: list[CoordinatorCommand] = field(factory=list)
    broken: set[str] = field(factory=set)
    said: list[str] = field(factory=list)
    admission: Admission = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Open the hill."""
        present = {entrant: Contestant(entrant, entrant[:3], "x") for entrant in (A, B, C)}
        schedule = Schedule(
            self.store, RoundRobin(), FormatTerms(2, each=9), "s", present, open=True
        )
        self.admission = Admission(self, HillConfig(), schedule, self.make, self.said.append)

    def fetch(self, after: int) -> Sequence[CoordinatorCommand]:
        """Return the commands after this number."""
        return [command for command in self.commands if command.number > after]

    def make(self, entry: Entry) -> Contestant:
        """Return an entrant, if the host's disk is there."""
        if entry.name in self.broken:
            raise StorageError("the disk is away")
        return Contestant(entry.id, entry.name, entry.bot)

    def order(self, name: str, entry: Entry | None = None, **more: str) -> None:
        """Write a command."""
        self.commands.append(CoordinatorCommand(len(self.commands) + 1, name, entry, **more))  # type: ignore[arg-type]

    def poll(self) -> list[str]:
        """Look for commands; return who leaves."""
        self.admission = evolve(self.admission)  # which looks at once
        return [*self.admission.poll()]

    @property
    def present(self) -> set[str]:
        """Who plays."""
        return {*self.admission.schedule.contestants}

    def find_state(self, entry: Entry) -> State:
        """Return the state of an entrant."""
        return next(known.state for known in self.store.list_entries() if known.id == entry.id)


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Return a hill of three."""
    with create_tournament(tmp_path / "hill.db") as store:
        yield Gate(store)


def test_a_bot_withdrawn_before_it_came_in_never_plays(gate: Gate) -> None:
    """An acceptance and a ban that arrive together let nobody in, even where the bot could not enter."""
    gate.broken.add("eve")
    gate.order("eve", EVE)
    gate.order("eve", why="its author was banned")
    assert gate.poll() == []
    assert gate.present == {A, B, C}
    assert gate.find_state(EVE) is State.WITHDRAWN
    assert gate.store.get_last_command() == 2


def test_a_withdrawal_does_not_wait_for_the_host(gate: Gate) -> None:
    """It acts at once though an admission before it waits, and comes in its turn, too."""
    gate.broken.add("eve")
    gate.order("eve", EVE)
    gate.order("ada", why="its author was banned")
    gate.order("bob", alias="bot_2")
    assert gate.poll() == [A]
    assert gate.present == {B, C}
    assert gate.store.get_fact("hidden") == {"bob": "bot_2"}
    assert gate.store.get_last_command() == 0
    gate.broken.clear()
    assert gate.poll() == []
    assert gate.present == {B, C, EVE.id}
    assert gate.store.get_last_command() == 3


def test_what_comes_after_a_withdrawal_is_let_in(gate: Gate) -> None:
    """Only what was accepted before a withdrawal is withdrawn by it."""
    gate.order("eve", EVE)
    gate.order("eve", why="by its author")
    gate.order("eve", EVE2)
    gate.poll()
    assert gate.present == {A, B, C, EVE2.id}
    assert (gate.find_state(EVE), gate.find_state(EVE2)) == (State.WITHDRAWN, State.ACTIVE)


def test_a_version_accepted_twice_leaves_when_it_is_withdrawn(gate: Gate) -> None:
    """Another upload of the version that plays changes nothing about that."""
    gate.order("eve", EVE)
    gate.poll()
    gate.order("eve", EVE)
    gate.order("eve", why="by its author")
    assert gate.poll() == [EVE.id]
    assert gate.present == {A, B, C}
