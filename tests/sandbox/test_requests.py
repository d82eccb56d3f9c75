"""A request to start a program: what it is made of, and where it is held."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

import pytest

from arena.sandbox import Sandbox
from arena.sandbox.messages import NAMESPACES
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
            assert find_planted(one) == {first}
            assert find_planted(other) == {second}
            assert SUPERVISOR_CLIENT._process
            assert find_planted(SUPERVISOR_CLIENT._process.pid) == set()


def write_script(path: Path, text: str) -> Path:
    """Write a shell script; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("manager", "shim"), [(".mine/bin/mine", ".mine/shims/lang"), ("rustup", "lang")]
)
def test_a_version_manager_in_a_bots_folder_is_not_asked(
    tmp_path: Path, manager: str, shim: str
) -> None:
    """Only a shim that the host itself finds has a manager that the host would start."""
    home, work = tmp_path / "bot", tmp_path / "work"
    script = write_script(home / manager, f"echo asked >> {tmp_path}/asked; echo /bin/false")
    (home / shim).parent.mkdir(exist_ok=True)
    (home / shim).symlink_to(script)  # as those of rustup are
    work.mkdir()
    request = Sandbox(NAMESPACES).request([str(home / shim), f"{home}/other"], work, home)
    assert not (tmp_path / "asked").exists()
    assert request["words"] == [f"/run/bot/{shim}", "/run/bot/other"]


def test_a_version_manager_of_the_host_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shim on the path of the host is replaced by the program that it would start."""
    write_script(tmp_path / ".mine/bin/mine", "pwd > $0.asked; echo /opt/lang")
    shim = write_script(tmp_path / ".mine/shims/lang", "exit")
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    request = Sandbox(NAMESPACES).request([str(shim)], tmp_path, tmp_path)
    assert request["words"] == ["/opt/lang"]
    assert (tmp_path / ".mine/bin/mine.asked").read_text() == "/\n"
