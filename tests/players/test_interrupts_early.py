"""Ctrl-C from the first moment on: one line, the right status, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.command import ARENA, Install
from tests.support.programs import TIMEOUT, environment

MOMENTS = 2
CALLS = ["games", "match gops random match --games 2000 --json", "match gops program:random hard"]
LINES: tuple[list[str], ...] = (
    ["arena: interrupted"],
    ["arena: interrupted; all programs have been ended"],
    [],  # it was over before
)
HANGS = "import signal\nwhile True:\n    signal.pause()\n"
"""A module whose import does not end; it waits idly, in case that its test is killed."""


def wait_for_guard(process: subprocess.Popen[str]) -> None:
    """Wait until the process looks after SIGHUP, as Python by itself does not."""
    status = Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        caught = int(status.read_text().partition("SigCgt:")[2].split()[0], 16)
        if caught >> (signal.SIGHUP - 1) & 1:
            return
        time.sleep(0.001)


def interrupted(call: str, mark: str, after: float) -> tuple[int, str]:
    """Interrupt a call so many seconds after its first moment; return its status and errors."""
    with subprocess.Popen([ARENA, *call.split()], env=environment(mark), text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:  # fmt: skip
        wait_for_guard(process)
        time.sleep(after)  # which moments are hit is the machine's choice: it holds for all
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=TIMEOUT)
    return process.returncode, errors


@pytest.mark.parametrize("call", CALLS)
def test_an_interrupt_at_any_moment(mark: str, call: str) -> None:
    """From before plugins are loaded until a match is under way, or over."""
    for snapshot in range(MOMENTS):
        status, errors = interrupted(call, mark, 0.2 * snapshot)
        assert errors.splitlines() in LINES
        assert (
            status == 130 if errors else status in (0, -signal.SIGINT)
        )  # Python itself was ending


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_other_interrupts_while_plugins_load(
    mark: str, install: Install, tmp_path: Path, number: int, status: int
) -> None:
    """They are told apart by the status."""
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    site = install("endless", f"open({str(begun)!r}, 'w').close()\n{HANGS}")
    slow = environment(mark, PYTHONPATH=str(site))
    with subprocess.Popen([ARENA, "games"], env=slow, text=True, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:  # fmt: skip
        begun.read_bytes()
        process.send_signal(number)
        errors = process.communicate(timeout=TIMEOUT)[1]
    assert process.returncode == status
    assert errors.splitlines() in LINES[:2]


def test_an_interrupt_while_the_arena_is_imported(mark: str, tmp_path: Path) -> None:
    """There is no traceback even where that takes long, as from a slow disk."""
    (tmp_path / "click.py").write_text(f'open("begun", "w").close()\n{HANGS}')
    os.mkfifo(tmp_path / "begun")
    slow = environment(mark, PYTHONPATH=str(tmp_path))
    with subprocess.Popen([ARENA, "games"], cwd=tmp_path, env=slow, text=True,
                          stderr=subprocess.PIPE) as process:  # fmt: skip
        (tmp_path / "begun").read_bytes()
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=TIMEOUT)[1] == "arena: interrupted\n"
    assert process.returncode == 130
