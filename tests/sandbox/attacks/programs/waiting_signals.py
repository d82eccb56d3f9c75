"""Two programs that have signals wait for them, of which the kernel counts how many a user has."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path

from arena.sandbox import Sandbox, SandboxedProcess
from tests.sandbox.attacks.programs.accounts import SYSTEM_PYTHON

QUEUES = """
import ctypes, os, signal, sys
LIBC = ctypes.CDLL(None)
LIBC.sigqueue.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
count = 0
while count < 1000 and LIBC.sigqueue(os.getpid(), signal.SIGRTMIN, None) == 0:
    count += 1
print(count, flush=True)
sys.stdin.read()
"""
"""Queues as many as it can, and keeps them waiting."""


def count_queued(tier: str) -> list[int]:
    """Return how many signals two programs can have wait at once, one after the other."""
    with ExitStack() as stack:
        return [_queue(stack, tier) for _ in range(2)]


def _queue(stack: ExitStack, tier: str) -> int:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    words = [SYSTEM_PYTHON, "-I", "-S", "-c", QUEUES]
    program = SandboxedProcess(Sandbox(tier).request(words, folder, None))
    stack.callback(program.close)
    for stream in program.streams:
        stack.callback(stream.close)
    program.wait_until_ready()
    return int(program.streams[1].readline())
