"""Programs are ended together, with all that they started in their session."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from arena.host import build_bot
from arena.players import BotPlayer, Player, Process, end_processes
from arena.players.process import ProgramStartError
from arena.players.starters import ProgramStarter
from arena.rules import End, Fault
from arena_gops import RubyQuiz116
from arena_gops.bots import Matching
from tests.support.checkout import ROOT
from tests.support.programs import (
    DEAF,
    ECHO,
    LIMITS,
    ONCE,
    SLACK,
    TIMEOUT,
    host,
    host_gops,
    list_command_lines,
    program,
)
from tests.support.script_runner import Runner


def open_now() -> list[str]:
    """Return the numbers of all open descriptors, but for those of what is garbage."""
    gc.collect()
    return sorted(path.name for path in Path("/proc/self/fd").iterdir())


OFFSPRING = {
    "in its process group": "os.fork() or time.sleep(600)",
    "in another process group": "os.fork() or (os.setpgid(0, 0), time.sleep(600))",
    "that ignores SIGTERM": "os.fork() or (signal.signal(15, signal.SIG_IGN), time.sleep(600))",
    "that ignores SIGTERM in another group": (
        "os.fork() or (os.setpgid(0, 0), signal.signal(15, signal.SIG_IGN), time.sleep(600))"),
    "that holds no pipe": (
        "os.fork() or ([os.close(fd) for fd in (0, 1, 2)], os.setpgid(0, 0), time.sleep(600))"),
    "of another program": (
        "import subprocess; subprocess.Popen(['sleep', '600'], process_group=0)"),
    "whose parent is gone": (
        "os.fork() or (os.setpgid(0, 0), os.fork() and os._exit(0), time.sleep(600))"),
    "in numbers": "[os.fork() or (os.setpgid(0, 0), time.sleep(600)) for _ in range(20)]",
    "that stopped itself": "os.fork() or (os.setpgid(0, 0), os.kill(os.getpid(), 19))",
}  # fmt: skip


LEAVES_AN_ORPHAN = """
import os
reads, writes = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        os.write(writes, b"%d" % os.getpid())
    os._exit(0)
os.wait()
orphan = int(os.read(reads, 20))
try:
    while True:
        os.kill(orphan, 0)
except ProcessLookupError:
    pass
"""


LEAVES_MANY_ORPHANS = """
import os
reading, writing = os.pipe()
gone, here = os.pipe()
if os.fork() == 0:
    for _ in range(400):
        if os.fork() == 0:
            os.close(writing)
            os.read(reading, 1)
            os._exit(0)
    os._exit(0)
os.wait()
os.close(writing)
os.close(here)
os.read(gone, 1)
"""
"""Has many orphans, and waits until all of them have ended at once."""


def test_an_orphan_is_reaped_as_it_ends(mark: str) -> None:
    """A program that runs for long leaves no zombies to whoever started it."""
    assert host_gops(LEAVES_AN_ORPHAN + ECHO, 2, LIMITS, mark).outcome.verdicts == {}


def test_orphans_that_end_together_are_reaped(tmp_path: Path) -> None:
    """The end of one while another one is reaped does not end whoever starts all programs."""
    (tmp_path / "orphans.py").write_text(LEAVES_MANY_ORPHANS)
    for _ in range(2):
        build_bot(tmp_path, f"{sys.executable} orphans.py")


@pytest.mark.parametrize("offspring", OFFSPRING.values(), ids=OFFSPRING)
def test_what_a_program_left_behind_is_gone_after_the_match(mark: str, offspring: str) -> None:
    """The program plays to the end and ends by itself; what it started does not outlive it."""
    text = f"import os, signal, time\n{offspring}\n{ECHO}"
    hosted = host_gops(text, 2, LIMITS, mark)
    assert hosted.outcome.verdicts == {}
    assert list_command_lines(mark) == []
    assert hosted.took < 3 * SLACK


def test_what_a_program_left_behind_is_gone_with_its_verdict(mark: str) -> None:
    """Even where the program itself is gone before, and its children hold its pipes open."""
    everything = "\n".join(OFFSPRING.values())
    hosted = host_gops(f"{ONCE}\n{everything}\nos._exit(3)", 3, LIMITS, mark)
    assert hosted.verdict.kind is Fault.CRASHED
    assert hosted.outcome.places == (1, 3, 1)
    assert list_command_lines(mark) == []
    assert hosted.took < 3 * SLACK


def test_a_program_that_failed_is_gone_before_the_next_ask(mark: str) -> None:
    """It takes no time from those who play on, however long the match may be."""
    seen = []

    class Looking(Matching):
        """A bot that sees who is about."""

        def choose(self, question: object) -> int:
            seen.append(len(list_command_lines(mark)))
            return super().choose(question)  # type: ignore[arg-type]

    failing = f"{ONCE}\nos.fork()\nsignal.signal(15, signal.SIG_IGN)\nprint('ten', flush=True)\ntime.sleep(600)"
    players: list[Player] = [
        BotPlayer(Looking()),
        program(failing, RubyQuiz116(1), mark),
        BotPlayer(Matching()),
    ]
    hosted = host(players, limits=LIMITS)
    assert hosted.verdict.kind is Fault.MALFORMED
    assert seen[1] > 0  # at the first ask it may hardly have begun
    assert seen[2:] == [0] * 11


def test_programs_are_ended_together(mark: str) -> None:
    """Ten that do not want to end take the time of one."""
    deaf = ECHO + "import signal, time\nsignal.signal(15, signal.SIG_IGN)\ntime.sleep(600)"
    hosted = host([program(deaf, RubyQuiz116(seat), mark) for seat in range(10)], limits=DEAF)
    assert hosted.outcome.verdicts == {}
    assert hosted.took < DEAF.grace + 3 * SLACK


def test_no_descriptor_is_left_open(mark: str) -> None:
    """Pipes, pidfds and logs of all programs are closed, also of those that failed."""
    host_gops(ECHO, 2, LIMITS, mark)  # a host keeps what starts its programs
    before = open_now()
    for text in (ECHO, ONCE + "os.close(1)", "raise SystemExit", ONCE + "print('ten')"):
        host_gops(text, 3, LIMITS, mark)
    assert open_now() == before


def test_no_zombie_is_left(mark: str) -> None:
    """All programs are reaped."""
    hosted = host_gops(ONCE, 3, LIMITS, mark)
    for player in hosted.players:
        for process in player.processes:
            assert not Path(f"/proc/{process.session}").exists()


def test_each_program_leads_its_own_session(mark: str) -> None:
    """No signal of the host's terminal reaches it."""
    text = "import os\nassert os.getsid(0) == os.getpid() == os.getpgid(0)\n" + ECHO
    assert host_gops(text, 2, LIMITS, mark).outcome.verdicts == {}


def test_a_log_that_cannot_be_written_leaves_nothing_running(mark: str) -> None:
    """A full disk is the host's trouble: it may be said, but no process is left."""
    text = "import os, time\nos.fork() or os.setpgid(0, 0)\nprint('words', file=__import__('sys').stderr, flush=True)\ntime.sleep(600)"
    with Path("/dev/full").open("wb", buffering=0) as log:
        players: list[Player] = [
            BotPlayer(Matching()),
            program(text, RubyQuiz116(1), mark, log=log),
        ]
        with suppress(OSError):  # which may be told
            host(players, limits=LIMITS)
    assert list_command_lines(mark) == []
    assert not Path(f"/proc/{players[1].processes[0].session}").exists()


def test_a_process_that_cannot_start_leaves_no_descriptor() -> None:
    """The pipes made for it are closed again."""
    with pytest.raises(ProgramStartError):
        Process(["/no/such/program"])
    before = open_now()
    with pytest.raises(ProgramStartError):
        Process(["/no/such/program"])
    assert open_now() == before


def test_ending_what_has_been_ended_does_no_harm(mark: str) -> None:
    """An interrupt may come between the end of a program and the note that it has ended."""
    player = program(ECHO, RubyQuiz116(0), mark)
    (process,) = player.processes
    end_processes([process], grace=TIMEOUT)
    end_processes([process], grace=TIMEOUT)
    assert player.exit_reason == "exit status 0"


def test_an_exit_status_is_said_in_words(mark: str) -> None:
    """A number, or the name of a signal, or that it was the host."""
    words = {
        "raise SystemExit(7)": "exit status 7",
        "raise SystemExit(137)": "exit status 137",
        "import os; os.kill(os.getpid(), 11)": "killed by SIGSEGV",
        "import os; os.abort()": "killed by SIGABRT",
        "import sys\nfor _ in sys.stdin: pass": "exit status 0",
    }
    for text, expected in words.items():
        player = program(text, RubyQuiz116(0), mark)
        end_processes(player.processes, grace=TIMEOUT)
        assert player.exit_reason == expected
    player = program("import signal, sys\nsignal.pause()", RubyQuiz116(0), mark)
    end_processes(player.processes, grace=0.0)
    assert player.exit_reason == "the host ended it"


SEARCH = """
import ctypes, os, socket, sys
sys.path[:0] = sys.argv[1:]
import starter_server

starter = starter_server.Starter(socket.socketpair()[0].detach(), {}, set(), set())
ctypes.CDLL(None).prctl(starter_server.SUBREAPER, 1, 0, 0, 0)
waits, ends = os.pipe()
told, tells = os.pipe()
parent = os.fork()
if not parent:  # leaves a child, and ends when the search looks at it
    os.close(ends)
    if not os.fork():
        os.write(tells, b"%d" % os.getpid())
        os.execv("/bin/sleep", ["sleep", "600"])
    os.read(waits, 1)
    os._exit(0)
left = int(os.read(told, 20))
look = starter_server.list_tree

def end_and_look(process):
    if process == parent:
        os.close(ends)
        os.waitid(os.P_PID, parent, os.WEXITED | os.WNOWAIT)
        starter_server.list_tree = look
    return look(process)

starter_server.list_tree = end_and_look
print([number for number, _ in starter._find_leftovers({1})] == [left])
os.kill(left, 9)
"""


def test_the_child_of_a_process_that_ends_during_the_search_is_found() -> None:
    """It has become the starter's own child behind the back of the search."""
    folder = ROOT / "arena" / "players" / "starter"
    run = subprocess.run(
        [sys.executable, "-I", "-c", SEARCH, folder], capture_output=True, text=True, check=False
    )
    assert (run.stdout, run.stderr) == ("True\n", "")


FORKS_AND_ENDS = """
import os, signal, time
def fork(*_):
    os.fork() and os._exit(0)
signal.signal(signal.SIGTERM, fork)
if not os.fork():
    os.setsid()
    while True: time.sleep(600)
"""


def test_the_child_of_a_process_that_ends_after_the_search_is_ended(
    tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host looks again if it cannot reach any of the processes that were found."""
    search, ended = ProgramStarter.find_leftovers, list[int]()

    def search_and_end(starter: ProgramStarter, sessions: Sequence[int]) -> list[tuple[int, str]]:
        found = search(starter, sessions)
        for number, _ in () if ended else found:
            ended.append(number)
            os.kill(number, signal.SIGTERM)
            while Path(f"/proc/{number}").exists():
                os.sched_yield()
        return found

    monkeypatch.setattr(ProgramStarter, "find_leftovers", search_and_end)
    Runner(sys.executable, tmp_path / "script.py", mark).run(FORKS_AND_ENDS)
    assert len(ended) == 1
    assert list_command_lines(mark) == []


HOLDS = "os.fork() or (os.close(0), time.sleep(600))\n"  # a child that keeps the output
LEFT = """
import select
itself = os.pidfd_open(os.getpid())
os.fork() and os._exit(0)
select.select([itself], [], [])
"""  # a child that goes on when the program has ended, and not a moment sooner


@pytest.mark.parametrize("holds", [HOLDS, HOLDS * 2], ids=["one", "several"])
def test_who_has_ended_is_judged_at_once(mark: str, holds: str) -> None:
    """It has crashed with its exit status, long before its time is over."""
    hosted = host_gops(ONCE + holds + "os._exit(3)", 3, LIMITS, mark)
    assert hosted.outcome.end is End.FINISHED
    assert hosted.verdict.kind is Fault.CRASHED
    assert hosted.verdict.ask == 2
    assert (
        hosted.verdict.detail
        == "ended before it answered, but another process holds its output open: exit status 3"
    )
    assert hosted.took < LIMITS.move / 2


def test_what_it_said_before_counts_first(mark: str) -> None:
    """All its answers are in the pipe when it ends: it has played to the end."""
    text = ONCE + HOLDS + "print(*others, sep='\\n', flush=True); os._exit(3)"
    hosted = host_gops(text, 3, LIMITS, mark)
    assert hosted.outcome.verdicts == {}
    assert not any(answer.fallback for answer in hosted.seen.answers)


def test_what_another_says_later_does_not_count(mark: str) -> None:
    """Who was entered is the program, and not what it leaves behind."""
    text = ONCE + LEFT + ECHO
    hosted = host_gops(text, 3, LIMITS, mark)
    assert hosted.verdict.kind is Fault.CRASHED
    assert hosted.took < LIMITS.move / 2


def test_what_starts_programs_holds_no_output_open(mark: str) -> None:
    """A starter has closed a program's pipes before the program's end can be seen."""
    player = program("input()", RubyQuiz116(0), mark)
    (process,) = player.processes
    try:
        assert process.plain
        held = Path(f"/proc/{process.plain.starter.number}/fd")
        ours = {f"pipe:[{os.fstat(stream.fileno()).st_ino}]" for stream in process.plain.streams}
        assert not ours & {f"{descriptor.readlink()}" for descriptor in held.iterdir()}
    finally:
        end_processes([process], 0.0)
