"""Admission to a hill: what waits, what does not, and who loses a place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import pytest
from attrs import define, evolve, field

from arena.host import BotError
from arena.rules import StorageError, UnknownNameError, UserError
from arena.tournament.commands import (
    AliasCommand,
    CoordinatorCommand,
    EntryCommand,
    WithdrawalCommand,
)
from arena.tournament.deals import Deal
from arena.tournament.entries import Entry, Id, ReadyEntry, State
from arena.tournament.file.contents import HillConfig
from arena.tournament.file.reader import parse_tournament
from arena.tournament.format_protocol import FormatTerms
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.results.stored_ratings import StoredRatings
from arena.tournament.run import admission
from arena.tournament.run.admission import Admission
from arena.tournament.run.command_reader import CommandReader
from arena.tournament.run.entrant_gate import EntrantGate
from arena.tournament.run.hill_entrants import HillEntrants
from arena.tournament.run.hill_places import HillPlaces
from arena.tournament.run.schedule import Schedule
from arena.tournament.store import Facts, Store
from arena.tournament.store.stored_entries import StoredEntries
from tests.support.tournaments.stored_matches import (
    ADA,
    CEM,
    A,
    B,
    C,
    build_result,
    build_void_result,
    create_tournament,
)

EVE, EVE2 = Entry("eve", "e1", "./eve"), Entry("eve", "e2", "./eve")


@define
class FaultyGate(EntrantGate):
    """A gate at which the host or a bot fails."""

    broken: set[str] = field(factory=set)
    faults: dict[str, UserError] = field(factory=dict)

    def prepare(self, entry: Entry) -> ReadyEntry:
        if entry.name in self.broken:
            raise StorageError("the disk is away")
        if entry.name in self.faults:
            raise self.faults[entry.name]
        return ReadyEntry(entry, None)


@define
class ScriptedHill:
    """A hill of three, with commands that a test writes, and bots that cannot be made ready now."""

    store: Store
    gate: FaultyGate
    commands: list[CoordinatorCommand] = field(factory=list)
    messages: list[str] = field(factory=list)
    admission: Admission = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.reopen()

    def reopen(self, size: int = 50, share: int = 9) -> None:
        """Begin another run of the hill, which has so many places for versions with such a share."""
        entries = self.store.entries.list_active()
        schedule = Schedule(
            self.store, RoundRobin(), FormatTerms(2, matches_per_version=9), "s",
            {entry.id: ReadyEntry(entry, None) for entry in entries}, open=True,
        )  # fmt: skip
        config, say = HillConfig(size=size, share=share), self.messages.append
        entrants = HillEntrants(self.store, schedule, self.gate, say)
        self.admission = Admission(CommandReader(self, entrants), HillPlaces(config, entrants))

    def fetch(self, after: int) -> Sequence[CoordinatorCommand]:
        return [command for command in self.commands if command.number > after]

    @property
    def next(self) -> int:
        """The number of the next command."""
        return len(self.commands) + 1

    def let_in(self, entry: Entry) -> None:
        self.commands.append(EntryCommand(self.next, entry))

    def withdraw(self, name: str, why: str) -> None:
        self.commands.append(WithdrawalCommand(self.next, name, why))

    def hide(self, name: str, alias: str) -> None:
        self.commands.append(AliasCommand(self.next, name, alias))

    def poll(self) -> list[str]:
        """Poll once; return those of the entrants that leave."""
        before = [*self.admission.places.entrants.schedule.ready_entries]
        self.admission.poll()
        return [entrant for entrant in before if entrant not in self.present]

    @property
    def present(self) -> set[str]:
        return {*self.admission.places.entrants.schedule.ready_entries}

    def find_state(self, entry: Entry) -> State:
        return next(own.state for own in self.store.entries.list_all() if own.id == entry.id)


@pytest.fixture
def hill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedHill]:
    """Return a hill that checks its commands at each poll."""
    monkeypatch.setattr(admission, "QUEUE_POLL_SECONDS", 0)
    with create_tournament(tmp_path / "hill.db") as store:
        spec = parse_tournament({"game": "kuhn", "hill": {}}, tmp_path, "hill")
        yield ScriptedHill(store, FaultyGate(spec))


def test_a_bot_withdrawn_before_it_came_in_never_plays(hill: ScriptedHill) -> None:
    """An acceptance and a ban that arrive together let nobody in, even where the bot could not enter."""
    hill.gate.broken.add("eve")
    hill.let_in(EVE)
    hill.withdraw("eve", "its author was banned")
    assert hill.poll() == []
    assert hill.present == {A, B, C}
    assert hill.find_state(EVE) is State.WITHDRAWN
    assert hill.store.facts.last_command == 2


def test_a_withdrawal_does_not_wait_for_the_host(hill: ScriptedHill) -> None:
    """A withdrawal acts at once though an admission before it waits, and counts in its turn."""
    hill.gate.broken.add("eve")
    hill.let_in(EVE)
    hill.withdraw("ada", "its author was banned")
    hill.hide("bob", "bot_2")
    assert hill.poll() == [A]
    assert hill.present == {B, C}
    assert hill.store.facts.get("hidden") == {"bob": "bot_2"}
    assert hill.store.facts.last_command == 0
    hill.gate.broken.clear()
    assert hill.poll() == []
    assert hill.present == {B, C, EVE.id}
    assert hill.store.facts.last_command == 3


def test_what_waits_behind_an_admission_is_carried_out_once(
    hill: ScriptedHill, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often the queue is checked, each command is stored and announced once until its turn."""
    numbers: list[int] = []
    carry_out = StoredEntries.carry_out

    def record_command(entries: StoredEntries, command: CoordinatorCommand) -> list[str]:
        numbers.append(command.number)
        return carry_out(entries, command)

    monkeypatch.setattr(StoredEntries, "carry_out", record_command)
    hill.hide("cem", "bot_3")
    hill.gate.broken.add("eve")
    hill.let_in(EVE)
    hill.withdraw("ada", "its author was banned")
    for _ in range(3):
        hill.poll()
    assert numbers == [1, 1]
    hill.hide("bob", "bot_2")
    for _ in range(3):
        hill.poll()
    assert numbers == [1, 1, 1]
    hill.gate.broken.clear()
    for _ in range(3):
        hill.poll()
    assert numbers == [1, 1, 1, 2, 3, 4]
    assert hill.messages == [
        "cem is shown as bot_3",
        "eve cannot enter or leave yet: the disk is away",
        "ada is withdrawn: its author was banned",
        "bob is shown as bot_2",
        "eve has entered, version e1",
    ]
    hill.withdraw("eve", "by its author")
    assert hill.poll() == [EVE.id]
    assert hill.messages[-1] == "eve is withdrawn: by its author"


def test_a_problem_of_the_host_is_reported_once(hill: ScriptedHill) -> None:
    """A problem is reported again only if another one or a success came between."""
    hill.let_in(EVE)
    for problem in (StorageError("full"), StorageError("full"), StorageError("away")):
        hill.gate.faults["eve"] = problem
        hill.poll()
    hill.gate.faults.clear()
    hill.poll()
    hill.let_in(EVE2)
    hill.gate.faults["eve"] = StorageError("away")
    hill.poll()
    assert hill.messages == [
        "eve cannot enter or leave yet: full",
        "eve cannot enter or leave yet: away",
        "eve has entered, version e1",
        "eve cannot enter or leave yet: away",
    ]


@pytest.mark.parametrize(
    "problem", [BotError("eve has no program"), UnknownNameError("bot", "eve", ["random"])]
)
def test_a_bot_at_fault_is_left_out(hill: ScriptedHill, problem: UserError) -> None:
    """Nobody waits for a bot that cannot play, and the host is told its error."""
    hill.gate.faults["eve"] = problem
    hill.let_in(EVE)
    hill.withdraw("ada", "by its author")
    assert hill.poll() == [A]
    assert hill.find_state(EVE) is State.UNFIT
    assert f"eve is left out: {problem}" in hill.messages
    assert hill.store.facts.last_command == 2


def test_what_comes_after_a_withdrawal_is_let_in(hill: ScriptedHill) -> None:
    """A withdrawal withdraws only what was accepted before it."""
    hill.let_in(EVE)
    hill.withdraw("eve", "by its author")
    hill.let_in(EVE2)
    hill.poll()
    assert hill.present == {A, B, C, EVE2.id}
    assert (hill.find_state(EVE), hill.find_state(EVE2)) == (State.WITHDRAWN, State.ACTIVE)


def test_a_version_accepted_twice_leaves_when_it_is_withdrawn(hill: ScriptedHill) -> None:
    """Another upload of the version that plays changes nothing about that."""
    hill.let_in(EVE)
    hill.poll()
    hill.let_in(EVE)
    hill.withdraw("eve", "by its author")
    assert hill.poll() == [EVE.id]
    assert hill.present == {A, B, C}


def store_results(hill: ScriptedHill, *ranked: str) -> None:
    """Store results by which all have played their share and are ranked in this order."""
    deals = [Deal(number, pair, 1) for number, pair in enumerate([*combinations(ranked, 2)] * 9)]
    hill.store.facts.set(Facts.level, 0.95)
    hill.store.deals.plan(deals)
    for deal in deals:
        hill.store.matches.record(build_result(deal.number, 0, (deal.seats[0], deal.seats[1])))
    hill.reopen()


def test_who_loses_a_place_waits_and_comes_back(hill: ScriptedHill) -> None:
    """A hill that is smaller for one start throws nobody off for good: the best return first."""
    store_results(hill, B, C, A)
    hill.reopen(size=1)
    assert hill.poll() == [A, C]
    assert [*map(hill.find_state, (ADA, CEM))] == [State.WAITING] * 2
    hill.reopen(size=2)
    assert hill.poll() == []
    assert (hill.present, hill.find_state(ADA)) == ({B, C}, State.WAITING)
    hill.reopen(size=50)
    assert hill.poll() == []
    assert hill.present == {A, B, C}
    assert [entry.why for entry in hill.store.entries.list_all()] == ["", "", ""]


def test_a_place_that_becomes_free_is_given_to_who_waits(hill: ScriptedHill) -> None:
    """The place of a bot that leaves goes to the one that waits, once that can be made ready."""
    store_results(hill, B, C, A)
    hill.reopen(size=2)
    assert hill.poll() == [A]
    hill.gate.broken.add("ada")
    hill.withdraw("bob", "by its author")
    assert [*hill.poll(), *hill.poll()] == [B]
    assert (hill.present, hill.messages[-1]) == (
        {C},
        "ada cannot come back yet: the disk is away",
    )
    hill.gate.broken.clear()
    hill.poll()
    assert hill.present == {A, C}


def test_a_void_match_is_no_part_of_a_share(hill: ScriptedHill) -> None:
    """The lowest keeps its place while one match of its share is void, in this run and the next."""
    store_results(hill, B, C, A)
    last = 26, 0  # of ada and cem, who have 17 others
    hill.store.matches.reopen([last])
    hill.reopen(size=2, share=18)
    assert hill.poll() == []
    hill.store.matches.record(build_void_result(*last, (C, A)))
    assert hill.poll() == []
    hill.reopen(size=2, share=18)
    assert hill.poll() == []
    hill.store.matches.reopen([last])
    hill.store.matches.record(build_result(*last, (C, A)))
    assert hill.poll() == [A]


def test_a_queue_that_cannot_move_is_ranked_once(
    hill: ScriptedHill, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While nobody waiting can be made ready, the hill is ranked anew only when others wait."""
    store_results(hill, B, C, A)
    hill.reopen(size=1)
    assert hill.poll() == [A, C]
    rankings: list[StoredRatings] = []
    rank = StoredRatings.rank

    def record_ranking(ratings: StoredRatings) -> list[Id]:
        rankings.append(ratings)
        return rank(ratings)

    monkeypatch.setattr(StoredRatings, "rank", record_ranking)
    hill.reopen(size=3)
    hill.gate.broken.add("cem")
    for _ in range(3):
        hill.poll()
    assert len(rankings) == 1
    hill.withdraw("cem", "by its author")
    for _ in range(3):
        hill.poll()
    assert hill.present == {A, B}
    assert len(rankings) == 2


def test_who_waits_can_be_replaced_and_withdrawn(hill: ScriptedHill) -> None:
    """A newer version takes part in place of the one that waits, which never comes back."""
    store_results(hill, B, C, A)
    hill.reopen(size=2)
    hill.poll()
    hill.let_in(evolve(ADA, version="a1"))
    hill.poll()
    assert hill.find_state(ADA) is State.REPLACED
    hill.reopen(size=1)
    hill.poll()
    assert hill.find_state(CEM) is State.ACTIVE, "ada's new version has not played its share"
    hill.withdraw("cem", "its author was banned")
    hill.poll()
    assert hill.find_state(CEM) is State.WITHDRAWN
    hill.reopen(size=9)
    hill.poll()
    assert hill.present == {B, "ada@a1"}
