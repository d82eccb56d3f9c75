"""Where a request to start a program is held: nowhere that another program inherits from."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

import pytest

from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT
from tests.support.sandboxes.plain_starts import find_launcher, list_launchers, started
from tests.support.sandboxes.tiers import tier

__all__ = ["tier"]

WAITS = "import sys; sys.stdin.read()"
SEARCHES = r"""
import ctypes, re, sys
with open("/proc/self/maps") as maps:
    lines = maps.read().splitlines()
found = set()
for line in lines:
    span, mode, *_ = line.split()
    if mode.startswith("rw"):
        first, last = (int(end, 16) for end in span.split("-"))
        found.update(re.findall(rb"planted-[0-9a-f]{32}", ctypes.string_at(first, last - first)))
print(*sorted(word.decode() for word in found), flush=True)
sys.stdin.read()
"""
"""Prints the planted words that are in its own memory."""


def plant() -> str:
    """Return a word that is nowhere yet."""
    return f"planted-{secrets.token_hex(16)}"


def find_planted(process: int) -> set[str]:
    """Return the planted words in what a process may write to of its memory."""
    found: set[bytes] = set()
    with Path(f"/proc/{process}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            span, mode, *_ = line.split()
            if mode.startswith("rw"):
                first, last = (int(end, 16) for end in span.split("-"))
                memory.seek(first)
                found.update(re.findall(rb"planted-[0-9a-f]{32}", memory.read(last - first)))
    return {word.decode() for word in found}


def test_a_program_finds_its_own_request_alone(tier: str) -> None:
    """Its words are in its memory, and those of who was started before are not."""
    first, second = plant(), plant()
    with started(tier, WAITS, first), started(tier, SEARCHES, second) as program:
        assert program.streams[1].readline().decode().split() == [second]


def test_a_request_is_in_the_memory_of_its_own_launcher_alone(tier: str) -> None:
    """Neither the supervisor has it, nor what is forked from the supervisor afterwards."""
    if os.getuid() != 0:
        pytest.skip("only root may read the memory of a launcher")
    first, second = plant(), plant()
    before = list_launchers()
    with started(tier, WAITS, first):
        one = find_launcher(before)
        with started(tier, WAITS, second):
            other = find_launcher([*before, one])
            assert first in find_planted(os.getpid())  # the host asked for it
            assert find_planted(one) == {first}
            assert find_planted(other) == {second}
            assert SUPERVISOR_CLIENT._process
            assert find_planted(SUPERVISOR_CLIENT._process.pid) == set()
