"""Hosting in a sandbox: who is contained, by what, and what a host is told of it."""

from __future__ import annotations

import json
import signal
import tempfile
from pathlib import Path
from time import monotonic

import pytest

from arena.host import BotError, HostConfig, Series, host, parse_entrant
from arena.rules import UserError
from arena.sandbox import LANDLOCK, NAMESPACES, Resources, Sandbox, SandboxedProcess, find_sandbox
from arena.sandbox.processes import process_tree
from arena.sandbox.processes.program_keeper import SANDBOX_PROCESSES
from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT
from arena.tournament.file.reader import TournamentFileError
from arena.tournament.run.coordinator import Ending
from arena.tournament.run.tournament_run import run
from arena_gops import GAME, Gops
from tests.support.command import Cli
from tests.support.programs import LIMITS, TIMEOUT
from tests.support.requirements import require_sandbox
from tests.support.sandboxes.tiers import mainly, tier, write_built_bot
from tests.support.tournaments.folders import RecordingMonitor, write_tournament

__all__ = ["tier"]

SMALL = """
game = "gops"
seed = "1"
matches = 2
workers = 1
check = false
[options]
cards = 3
"""


LEADS_A_SESSION = """
import subprocess, sys
subprocess.run(["true"], start_new_session=True, check=True)
for line in sys.stdin:
    if line.startswith("Competition"):
        print(line.split()[-1], flush=True)
"""


def test_some_tier_holds_here() -> None:
    """Some tier works on this machine, or the tests below would test nothing."""
    require_sandbox()


def test_a_match_is_played_contained(quick: Cli, tmp_path: Path, tier: str) -> None:
    """A folder is built and plays there, beside a command; the result says what held."""
    (tmp_path / "alone.py").write_text(
        "import sys\nfor line in sys.stdin:\n"
        "    if line.startswith('Comp'): print(line.split()[-1], flush=True)\n"
    )
    done = quick("match", "gops", write_built_bot(tmp_path), "alone.py", "match", "--sandbox", tier,
               "--json", "--seed", "1", "-o", "cards=3")  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    seats = json.loads(done.stdout)["seats"]
    assert [seat["verdict"] for seat in seats] == [None] * 3, seats
    assert [seat["sandbox"] for seat in seats] == [tier, tier, None]
    home = "/run/bot" if tier == NAMESPACES else tempfile.gettempdir()
    assert seats[0]["stderr"].startswith(f"made {home}")
    assert not [*tmp_path.glob("**/note")]


def test_a_copy_of_its_folder_is_its_own(quick: Cli, tmp_path: Path, tier: str) -> None:
    """It writes there, and its folder stays as it was."""
    home = write_built_bot(tmp_path, directory="bot", command="python3 {folder}/bot.py")
    done = quick("match", "gops", home, "match", "--sandbox", tier, "--json", "-o", "cards=3")
    seats = json.loads(done.stdout)["seats"]
    assert {seat["verdict"] for seat in seats} == {None}, seats
    assert sorted(path.name for path in (tmp_path / home).iterdir()) == ["bot.py", "bot.toml"]


def test_auto_says_what_it_has_come_to(quick: Cli) -> None:
    """On standard error, for a host who has to know."""
    best = find_sandbox("auto")
    done = quick("match", "gops", "match", "random", "--sandbox", "auto", "-o", "cards=3")
    assert done.stderr.startswith(f"sandbox: {best.tier if best else 'trusted'}")


@mainly(LANDLOCK)
def test_a_check_is_contained(quick: Cli, tmp_path: Path, tier: str) -> None:
    """With the end of the input, and all that is looked for there."""
    done = quick("check", "gops", write_built_bot(tmp_path), "--quick", "--sandbox", tier, "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 0, report


@mainly(LANDLOCK)
def test_a_check_says_that_the_sandbox_refused_something(
    quick: Cli, tmp_path: Path, tier: str
) -> None:
    """A program that runs elsewhere, and breaks off there, is not said to be wrong alone."""
    (tmp_path / "leads.py").write_text(LEADS_A_SESSION)
    done = quick("check", "gops", "leads.py", "--quick", "--sandbox", tier, "--json")
    (finding,) = [load for load in json.loads(done.stdout)["findings"] if load["fault"]]
    assert finding["kind"] == "crashed"
    assert f"The sandbox ({tier}) seems to have blocked something." in finding["advice"]
    assert "PermissionError" in finding["stderr"]
    done = quick("check", "gops", "leads.py", "--quick", "--sandbox", "trusted", "--json")
    assert done.returncode == 0, done.stdout


def test_a_duel_is_contained(quick: Cli, tmp_path: Path) -> None:
    """In workers, each of which has a supervisor of its own."""
    done = quick("duel", "gops", write_built_bot(tmp_path), "match", "--pairs", "1", "--sandbox", "auto",
               "-o", "cards=3", "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("inline_workers")
def test_untrusted_entrants_are_contained(tmp_path: Path) -> None:
    """In the strongest tier that holds; bundled bots and trusted ones are not."""
    require_sandbox()
    for name in ("stranger", "friend"):
        write_built_bot(tmp_path, name)
    text = SMALL + (
        '[resources]\nmemory_mb = 300\n[[entrant]]\nbot = "match"\n[[entrant]]\nbot = "friend"\n'
        '[[entrant]]\nbot = "stranger"\nuntrusted = true\nresources = { processes = 20 }\n'
    )
    said = RecordingMonitor()
    assert run(write_tournament(tmp_path, text), said) is Ending.PLAYED
    best = find_sandbox("auto")
    assert best
    assert f"sandbox {best.tier}: 1 of 3 entrants" in said.lines
    wanted = {"match": None, "friend": "trusted", "stranger": best.tier}
    for done in said.records:
        assert [seat.verdict for seat in done.seats] == [None] * len(done.seats)
        assert [seat.sandbox for seat in done.seats] == [wanted[seat.name] for seat in done.seats]


@pytest.mark.usefixtures("inline_workers")
def test_untrusted_entrants_do_not_play_uncontained(tmp_path: Path) -> None:
    """Unless the host says in words that everybody is trusted."""
    write_built_bot(tmp_path)
    text = SMALL + (
        '[[entrant]]\nbot = "match"\n'
        '[[entrant]]\nbot = "mine"\nuntrusted = true\nsandbox = "trusted"\n'
    )
    said = RecordingMonitor()
    with pytest.raises(UserError, match=r"mine is untrusted, and no sandbox contains it: .*doctor"):
        run(write_tournament(tmp_path, text), said)
    assert not said.records
    assert not (tmp_path / "mine/made").exists()
    assert run(write_tournament(tmp_path, text), said, trust_everybody=True) is Ending.PLAYED
    assert {seat.sandbox for done in said.records for seat in done.seats} == {None, "trusted"}


def test_an_untrusted_class_is_not_even_read(tmp_path: Path) -> None:
    """It would be, in the host's own process."""
    (tmp_path / "mine.py").write_text("open('read', 'w')")
    text = SMALL + (
        '[[entrant]]\nbot = "match"\n[[entrant]]\nbot = "mine.py:Mine"\nuntrusted = true\n'
    )
    with pytest.raises(UserError, match="is untrusted and cannot run inside the host's process"):
        run(write_tournament(tmp_path, text), RecordingMonitor())
    assert not (tmp_path / "read").exists()
    with pytest.raises(BotError, match="where no sandbox holds"):
        parse_entrant(GAME, f"{tmp_path}/mine.py:Mine", Sandbox(NAMESPACES))


@pytest.mark.usefixtures("inline_workers")
def test_an_untrusted_bot_enters_late(quick: Cli, tmp_path: Path) -> None:
    """An untrusted bot that enters late is sandboxed in the next run."""
    require_sandbox()
    write_tournament(tmp_path, SMALL + '[[entrant]]\nbot = "match"\n[[entrant]]\nbot = "random"\n')
    assert quick("tournament", "run", "tournament.toml").returncode == 0
    assert (
        quick(
            "tournament", "add", "tournament.toml", write_built_bot(tmp_path), "--untrusted"
        ).returncode
        == 0
    )
    assert quick("tournament", "run", "tournament.toml").returncode == 0
    matches = quick("matches", "tournament.toml", "--bot", "mine", "--json").stdout.splitlines()
    best = find_sandbox("auto")
    assert best
    seats = [seat for match in matches for seat in json.loads(match)["seats"]]
    assert {seat["sandbox"] for seat in seats if seat["name"] == "mine"} == {best.tier}


def test_mistakes_of_a_file_are_said(tmp_path: Path) -> None:
    """Where they stand, and what is allowed."""
    text = SMALL + (
        'sandbox = "strong"\n[resources]\nmemory = 3\nprocesses = 0\n'
        '[[entrant]]\nbot = "match"\nresources = { disk = 3 }\n'
    )
    text = text.replace("[options]\ncards = 3\n", "")
    with pytest.raises(TournamentFileError) as problem:
        write_tournament(tmp_path, text)
    said = str(problem.value)
    assert "sandbox: 'strong' is not one of auto, namespaces, landlock, trusted" in said
    assert "resources: unknown key 'memory'; did you mean memory_mb?" in said
    assert "resources.processes: 0 is not a whole number of at least 1" in said
    assert "entrant[0]: " in said
    assert "'disk'" in said


def test_a_program_that_is_not_there_is_the_bots_fault(
    quick: Cli, tmp_path: Path, tier: str
) -> None:
    """The sandbox stands, so it is no fault of the host's."""
    home = write_built_bot(tmp_path, command="sh -c 'exec /nowhere'")
    done = quick("match", "gops", home, "match", "--sandbox", tier, "--json", "-o", "cards=3")
    kinds = {
        seat["verdict"] and seat["verdict"]["kind"] for seat in json.loads(done.stdout)["seats"]
    }
    assert kinds == {None, "crashed"}


def test_a_build_that_fails_is_told(quick: Cli, tmp_path: Path, tier: str) -> None:
    """The message for a failed build quotes its last line of output."""
    home = write_built_bot(tmp_path, build="sh -c 'echo no such thing; exit 3'")
    done = quick("match", "gops", home, "match", "--sandbox", tier)
    assert done.returncode == 2
    assert "failed: exit status 3: no such thing" in done.stderr


SPINS = """
import sys, threading, time
def spin():
    while True: time.process_time()
began = time.process_time()
for line in sys.stdin:
    if line.startswith("Competition"):
        if threading.active_count() == 1: threading.Thread(target=spin, daemon=True).start()
        print(line.split()[-1], flush=True)
print(time.process_time() - began, file=sys.stderr)
"""
"""Spins on while others think, and says at last how long it could, without its start."""

THOUGHT = 0.1  # seconds of the processor for each point of a prize

THINKS = f"""
import sys, time
for line in sys.stdin:
    if line.startswith("Competition"):
        began = time.process_time()
        while time.process_time() - began < {THOUGHT} * int(line.split()[-1]): pass
        print(line.split()[-1], flush=True)
"""


CHAINS = """
import os, sys
for _ in range(4):
    if os.fork() == 0:
        while True:
            try:
                parent = os.fork()
            except OSError:  # those that have ended are not reaped yet
                continue
            if parent:
                os._exit(0)
print("up", flush=True)
sys.stdin.read()
"""
"""Moves on by forking and ending, four times at once."""

STOPS = 3


def list_states(supervisor: int, depth: int) -> dict[int, str]:
    """Return the states of all processes so far below a supervisor that have not ended."""
    found = {}
    for process, at in process_tree.iter_descendants(supervisor):
        stat = process_tree.read_stat(process)
        if at >= depth and stat and stat.fields[process_tree.STATE] != "Z":
            found[process] = stat.fields[process_tree.STATE]
    return found


@mainly(LANDLOCK)
def test_who_moves_on_by_forking_stands_still(tmp_path: Path, tier: str) -> None:
    """However fast it does; and it goes on afterwards."""
    words = ["/usr/bin/python3", "-I", "-S", "-c", CHAINS]
    confined = SandboxedProcess(Sandbox(tier).request(words, tmp_path, None))
    supervisor = SUPERVISOR_CLIENT._process
    assert supervisor
    depth = 3 if tier == LANDLOCK else 2 + SANDBOX_PROCESSES[tier]  # behind a launcher's fork
    try:
        confined.wait_until_ready()
        assert confined.streams[1].readline() == b"up\n"
        for _ in range(STOPS):
            confined.signal(signal.SIGSTOP)
            until, seen = monotonic() + TIMEOUT, None
            while (
                not seen or {*seen.values()} != {"T"} or seen != list_states(supervisor.pid, depth)
            ):
                assert monotonic() < until, seen
                seen = list_states(supervisor.pid, depth)
            confined.signal(signal.SIGCONT)
            while seen.keys() == list_states(supervisor.pid, depth).keys():
                assert monotonic() < until
    finally:
        for stream in confined.streams:
            stream.close()
        confined.close()


@mainly(NAMESPACES)
def test_who_is_not_asked_stands_still(tmp_path: Path, tier: str) -> None:
    """While the other thinks, it gets next to nothing of the processor."""
    for name, text in {"spins.py": SPINS, "thinks.py": THINKS}.items():
        (tmp_path / name).write_text(text)
    inside = Sandbox(tier, Resources(still=True))
    two = [parse_entrant(GAME, str(tmp_path / name), inside) for name in ("spins.py", "thinks.py")]
    series = Series.create(GAME, Gops(cards=3), tuple(two), "1")
    ((spec, seated),) = series.iter_matches(1)
    result = host(spec, seated, HostConfig(LIMITS))
    assert result.verdicts == (None, None)
    spun = float(result.errors[0])
    assert spun < (1 + 2 + 3) * THOUGHT / 2  # what it would get beside the other is more than half
