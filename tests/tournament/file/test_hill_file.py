"""A hill: it stays open, newcomers play their share, the lowest falls off, orders come once."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count, pairwise
from pathlib import Path

import pytest
from attrs import define, evolve, field

from arena.rules import StorageError
from arena.tournament.commands import CoordinatorCommand, EntryCommand, WithdrawalCommand
from arena.tournament.file.reader import TournamentFileError
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.run import admission, coordinator
from arena.tournament.run.coordinator import Ending
from arena.tournament.run.roster import Roster
from arena.tournament.run.tournament_run import run
from tests.support.tournaments.folders import (
    RecordingMonitor,
    count_matches,
    list_matches,
    list_states,
    open_results,
    write_bot,
    write_tournament,
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]
SHARE = 6
HILL = """
game = "gops"
format = "ladder"
check = false
workers = 1
[options]
cards = 4
[hill]
"""
FAILS_LATER = """
import os, sys
for line in sys.stdin:
    if os.path.exists({!r}):
        sys.exit(1)
    if line.startswith("Competition"):
        print(line.split()[-1], flush=True)
"""
"""Bids the prize's own value, until a file is there."""
LOSES = """
import sys
for line in sys.stdin:
    if line.startswith("Competition"):
        print(5 - int(line.split()[-1]), flush=True)
"""
"""Bids high cards for low prizes, which loses every deal of four cards to `match`."""
CLOSED = """
game = "gops"
matches = 4
check = false
workers = 1
"""


@define
class Played(RecordingMonitor):
    """Gives its orders one by one, each when the hill is quiet, and at last ends the run.

    It is quiet when at two looks nothing is left, and nothing was planned between them.
    """

    spec: TournamentSpec = field(kw_only=True)
    script: Sequence[CoordinatorCommand] = ()
    given: list[CoordinatorCommand] = field(factory=list)
    asked: list[int] = field(factory=list)
    planned: int = -1

    def fetch(self, after: int) -> Sequence[CoordinatorCommand]:
        """Return the commands given so far, and one more when all is played."""
        self.asked.append(after)
        found = count_matches(self.spec)
        quiet = found.remaining == 0 and found.planned == self.planned
        self.planned = -1 if found.remaining else found.planned
        if quiet and after == len(self.given):
            self.planned = -1
            if len(self.given) == len(self.script):
                signal.raise_signal(signal.SIGINT)
            else:
                self.given.append(self.script[len(self.given)])
        return [order for order in self.given if order.number > after]


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check for commands more often than once a second, and rest for less time when all is played."""
    monkeypatch.setattr(admission, "QUEUE_POLL_SECONDS", 0.02)
    monkeypatch.setattr(coordinator, "POLL_SECONDS", 0.02)


@pytest.fixture
def hill(tmp_path: Path) -> Callable[..., TournamentSpec]:
    usual = f"share = {SHARE}"
    return lambda more=usual, **entrants: write_tournament(tmp_path, f"{HILL}{more}\n", **entrants)


def build_entry_command(spec: TournamentSpec, number: int, name: str, bot: str) -> EntryCommand:
    return EntryCommand(number, Roster(spec).versions.read_entry(bot, name))


def play(spec: TournamentSpec, *script: CoordinatorCommand) -> Played:
    played = Played(spec=spec, script=script)
    assert run(spec, played, commands=played) is Ending.INTERRUPTED
    return played


def count_seats(spec: TournamentSpec) -> Counter[str]:
    return Counter(seat["name"] for match in list_matches(spec) for seat in match["seats"])


def test_a_hill_lets_in_who_comes_and_waits(hill: Callable[..., TournamentSpec]) -> None:
    """A hill begins without entrants; each version plays its share of deals planned after it came."""
    spec = hill()
    names = {"ann": "random", "bob": "match", "eve": "hard"}
    script = [
        build_entry_command(spec, number, *name_and_bot)
        for number, name_and_bot in enumerate(names.items(), 1)
    ]
    monitor = play(spec, *script)
    assert [line.partition(",")[0] for line in monitor.lines[:3]] == [
        f"{name} has entered" for name in names
    ]
    assert all(count_seats(spec)[name] >= SHARE for name in names)
    deals = [{seat["name"] for seat in match["seats"]} for match in list_matches(spec)]
    assert "eve" not in set().union(*deals[:SHARE])
    assert count_matches(spec).remaining == 0


def test_a_hill_rests_where_all_is_played(
    hill: Callable[..., TournamentSpec], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hill without matches to play polls for commands; a tournament that ends does not wait."""
    rests: list[float] = []
    monkeypatch.setattr(coordinator, "sleep", rests.append)
    spec = hill(ann="random", bob="match")
    looks: list[tuple[int, int]] = []

    class Counted(Played):
        def on_tick(self) -> None:
            found = count_matches(spec)
            looks.append((found.remaining, found.stored))

    monitor = Counted(spec=spec)
    run(spec, monitor, commands=monitor)
    assert set(rests) == {coordinator.POLL_SECONDS}
    idle = [look for look, before in pairwise(looks) if look == before and look[0] == 0]
    assert len(idle) <= len(rests) + 1, "it should rest before each look but the last"
    rests.clear()
    assert run(
        write_tournament(tmp_path / "closed", CLOSED, ann="random", bob="match"), RecordingMonitor()
    )
    assert rests == []


def test_orders_are_carried_out_once(hill: Callable[..., TournamentSpec]) -> None:
    """A hill that is run again asks for the commands after the last one, and goes on from there."""
    spec = hill(ann="random", bob="match")
    first = play(spec, build_entry_command(spec, 1, "eve", "hard"))
    assert [*list_states(spec).values()] == ["active"] * 3
    gone = WithdrawalCommand(2, "eve", "by its author")
    again = Played(spec=spec, script=[*first.script, gone], given=[*first.script])
    run(spec, again, commands=again)
    assert again.asked[0] == 1
    assert [line for line in again.lines if "eve" in line] == ["eve is withdrawn: by its author"]
    assert [*list_states(spec).values()] == ["active", "active", "withdrawn"]


def test_the_lowest_falls_off(hill: Callable[..., TournamentSpec], tmp_path: Path) -> None:
    """The last of the standings leaves a hill that is too full, once it has played its share."""
    spec = hill("size = 2\nshare = 30", ann="match", bob="match")
    monitor = play(
        spec, build_entry_command(spec, 1, "eve", str(write_bot(tmp_path, "eve", LOSES)))
    )
    assert [*list_states(spec).values()] == ["active", "active", "waiting"]
    why = "last of 3, on a hill for 2"
    assert f"eve falls off the hill, and waits for a place: {why}" in monitor.lines
    assert count_seats(spec)["eve"] >= 30
    with open_results(spec) as store:
        assert store.entries.list_all()[2].why == why


def test_who_cannot_play_is_left_out_and_the_hill_goes_on(
    hill: Callable[..., TournamentSpec],
) -> None:
    """The command that enters an unfit bot is carried out, and does not come again."""
    spec = hill(ann="random", bob="match")
    order = build_entry_command(spec, 1, "eve", "hard")
    lost = evolve(order, entry=evolve(order.entry, version="0" * 12, bot="submission 1"))
    monitor = play(spec, lost, build_entry_command(spec, 2, "zoe", "hard"))
    assert any(line.startswith("eve is left out: ") for line in monitor.lines)
    assert [*list_states(spec).values()] == ["active", "active", "unfit", "active"]


def test_who_comes_waits_while_the_host_fails(
    hill: Callable[..., TournamentSpec], tmp_path: Path
) -> None:
    """Nobody is left out because a copy cannot be made ready or commands cannot be fetched."""
    spec = hill(ann="random", bob="match")
    bot = tmp_path / "mine"
    bot.mkdir()
    (bot / "bot.toml").write_text('name = "mine"\ncommand = "true"\n')
    order = build_entry_command(spec, 1, "eve", str(bot))
    disk = tmp_path / "disk"  # which is not mounted, so that nobody can note that it is built
    (Roster(spec).versions.bots / f"{order.entry.version}.built").symlink_to(disk / "built")
    looks = count()

    class Failing(Played):
        def fetch(self, after: int) -> Sequence[CoordinatorCommand]:
            """Fail at first; mount the disk once it is said that it is lacking."""
            if next(looks) < 3:
                raise StorageError("the register is away")
            if any(line.startswith("eve cannot") for line in self.lines):
                disk.mkdir(exist_ok=True)
            return super().fetch(after)

    monitor = Failing(spec=spec, script=[order])
    assert run(spec, monitor, commands=monitor) is Ending.INTERRUPTED
    waiting = [line for line in monitor.lines if "cannot enter or leave yet" in line]
    assert waiting[0] == "the next entrant cannot enter or leave yet: the register is away"
    assert len(waiting) == 2
    assert count_seats(spec)["eve"]


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ('seed = "1"', "seed: not allowed on a hill"),
        ("matches = 9", "matches: not allowed on a hill"),
        (
            'format = "swiss:rounds=3"',
            "format: swiss:rounds=3 comes to an end; a hill needs round-robin, king-of-the-hill or ladder",
        ),
        (
            'format = "round-robin"\ntable = 4',
            r"230300 groups are too many; use king-of-the-hill instead \(\[hill\] has size 50\)",
        ),
    ],
)
def test_what_a_hill_cannot_have_is_said(tmp_path: Path, lines: str, wrong: str) -> None:
    """Each setting that a hill cannot have gets a line before anything is played."""
    text = HILL.replace('format = "ladder"', lines)
    with pytest.raises(TournamentFileError, match=wrong):
        write_tournament(tmp_path, text)


def test_a_small_hill_plays_a_round_robin_at_large_tables(tmp_path: Path) -> None:
    """A round robin is refused only on a hill whose places give too many groups."""
    text = HILL.replace('format = "ladder"', 'format = "round-robin"\ntable = 4')
    assert write_tournament(tmp_path, f"{text}size = 30\n").file.hill
    assert write_tournament(tmp_path, f"{text}size = 2\n").file.hill


def test_who_was_let_in_is_not_checked_again(tmp_path: Path) -> None:
    """Nobody leaves a hill because its program would fail a check when the hill starts again."""
    broken = tmp_path / "broken"
    mine = write_bot(tmp_path, "mine", FAILS_LATER.format(str(broken)))
    checked = HILL.replace("check = false", "check = true")
    spec = write_tournament(tmp_path, f"{checked}share = {SHARE}\n", ann="random")
    order = EntryCommand(1, Roster(spec).versions.read_entry(str(mine), "mine"))
    play(spec, order)
    assert [*list_states(spec).values()] == ["active", "active"]
    broken.touch()
    again = Played(spec=spec, script=[order], given=[order])
    assert run(spec, again, commands=again) is Ending.INTERRUPTED
    assert [*list_states(spec).values()] == ["active", "active"]
