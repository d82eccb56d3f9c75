"""A starter finds what a program left behind, also when processes end while it looks."""

from __future__ import annotations

import subprocess
import sys

from tests.support.checkout import ROOT

SEARCH = """
import ctypes, os, socket, sys
sys.path[:0] = sys.argv[1:]
import child_processes, starter_server

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
look = child_processes.list_tree

def end_and_look(process):
    if process == parent:
        os.close(ends)
        os.waitid(os.P_PID, parent, os.WEXITED | os.WNOWAIT)
        child_processes.list_tree = look
    return look(process)

child_processes.list_tree = end_and_look
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
