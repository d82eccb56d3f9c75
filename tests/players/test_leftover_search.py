"""A starter finds what a program left behind, also when processes end while it looks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.players.starters import ProgramStarter
from tests.support.checkout import ROOT
from tests.support.programs import list_command_lines
from tests.support.script_runner import Runner

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
