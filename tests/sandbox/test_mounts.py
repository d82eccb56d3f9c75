"""Mounts of programs, which the host does not see, and of the host, which it can still take away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arena.sandbox.files import can_mount

PROGRAM = """
import os, sys
from arena.sandbox.files import separate_mounts
from arena.sandbox.kernel import libc

SHARED, SLAVE = 1 << 20, 1 << 19
own, other = sys.argv[1:]
libc.unshare(libc.NEW_MOUNTS)
libc.mount(None, "/", libc.RECURSIVE | SLAVE)  # nothing of this reaches the machine
libc.mount(None, "/", libc.RECURSIVE | SHARED)  # as systemd has it
libc.mount("tmpfs", other, 0)

def is_mounted(path):
    return f" {path} " in open("/proc/self/mountinfo").read()

asks, asked = os.pipe()
tells, told = os.pipe()
child = os.fork()
if child == 0:
    separate_mounts()
    libc.mount("tmpfs", own, 0)
    os.write(told, b"1")
    os.read(asks, 1)
    os._exit(2 * is_mounted(other) + (not is_mounted(own)))
os.read(tells, 1)
assert is_mounted(other) and not is_mounted(own)
libc.unmount(other)
os.write(asked, b"1")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
"""A host that mounts something, has a supervisor that mounts a program's folder, and unmounts its own."""


def test_what_the_host_unmounts_is_gone_for_a_supervisor_too(tmp_path: Path) -> None:
    """Else a disk would stay busy as long as a hill runs."""
    if not can_mount():
        pytest.skip("this user may not mount anything")
    folders = [tmp_path / name for name in ("own", "other")]
    for folder in folders:
        folder.mkdir()
    subprocess.run([sys.executable, "-c", PROGRAM, *map(str, folders)], check=True)
