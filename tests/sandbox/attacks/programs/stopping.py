"""A program that stops all others in its namespace, while its host stops all that are in it."""

from __future__ import annotations

import signal

from arena.sandbox import Resources
from arena.sandbox.processes.process_tree import send
from tests.support.programs import list_lasting
from tests.support.sandboxes.plain_starts import find_launcher, list_launchers, started

STOPS_OTHERS = """
import os, signal, threading
def stop():
    while True:
        try:
            os.kill(-1, signal.SIGSTOP)
        except OSError:
            pass
threading.Thread(target=stop).start()
print("up", flush=True)
"""
TIMES = 100


def list_stuck_keepers(tier: str) -> list[int]:
    """Have the host stop the program many times and end it; return the keeper if it stays."""
    before = list_launchers()
    with started(tier, STOPS_OTHERS, resources=Resources(still=True)) as program:
        assert program.streams[1].readline()
        keeper = find_launcher(before)
        for _ in range(TIMES):
            program.signal(signal.SIGSTOP)
            program.signal(signal.SIGCONT)
    stuck = list_lasting([keeper])
    send(signal.SIGKILL, stuck)
    return stuck
