"""Fork servers behind Landlock: nothing of one match is in them, and no program reaches them."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import pytest

from arena.sandbox import Resources
from arena.sandbox.processes.fork_server_client import MAX_FORKS
from tests.sandbox.test_requests import SEARCHES, find_planted
from tests.sandbox.test_reused_launchers import LEAVES_A_PROCESS
from tests.support.programs import list_lasting
from tests.support.sandboxes.plain_starts import list_launchers
from tests.support.sandboxes.warm import CHECK, warm_starts
from tests.support.sandboxes.warm_bots import WAITS, Bot, bot

__all__ = ["bot"]
REACHES = r"""
import ctypes, os, resource, signal, sys
server = os.getppid()
tried = {
    "signal": lambda: os.kill(server, signal.SIGKILL),
    "signal to its group": lambda: os.killpg(os.getpgid(server), signal.SIGKILL),
    "memory": lambda: open(f"/proc/{server}/mem", "rb").read(1),
    "maps": lambda: open(f"/proc/{server}/maps").read(),
    "descriptors": lambda: os.listdir(f"/proc/{server}/fd"),
    "limits": lambda: resource.prlimit(server, resource.RLIMIT_NOFILE),
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, server, 5),
    "cores": lambda: os.sched_setaffinity(server, [0]),
    "signal to its descriptor": lambda: signal.pidfd_send_signal(os.pidfd_open(server), signal.SIGKILL),
    "its user": lambda: os.setuid(0),
}
libc = ctypes.CDLL(None, use_errno=True)
def trace():
    if libc.ptrace(16, server, 0, 0):
        raise OSError(ctypes.get_errno(), "ptrace")
tried["trace"] = trace
for what, attempt in tried.items():
    try:
        attempt()
    except OSError:
        pass
    else:
        print("GOT", what)
os.kill(-1, signal.SIGKILL)
print("end")
"""


def test_a_fork_server_is_replaced(bot: Bot) -> None:
    """So that no more than some starts share the seed of the interpreter's hashes."""
    with warm_starts():
        seeds = [bot.run(f"{CHECK}print(hash('x'))")[0] for _ in range(MAX_FORKS + 2)]
    assert len({*seeds[:MAX_FORKS]}) == 1 or len({*seeds[1:MAX_FORKS]}) == 1
    assert len({*seeds}) in (2, 3)


def test_a_fork_server_holds_no_request(bot: Bot) -> None:
    """Words of a start are neither in its memory nor in that of what is started afterwards."""
    words = [f"planted-{secrets.token_hex(16)}" for _ in range(4)]
    with warm_starts():
        for word in words[:3]:
            bot.run(CHECK + WAITS, word)
        started = bot.start(CHECK + SEARCHES, words[3])
        assert started.read_line().split() == [words[3]]
        if os.getuid() == 0:  # only root may look
            assert find_planted(started.fork_server) == set()
        started.end()


def test_a_fork_server_has_no_descriptor_of_a_program(bot: Bot) -> None:
    """Its streams lead nowhere, and it has one socket."""
    if os.getuid() != 0:
        pytest.skip("only root may look")
    with warm_starts():
        for _ in range(3):
            bot.run(CHECK + WAITS)
        started = bot.start(CHECK + WAITS)
        found = {
            path.name: str(path.readlink())
            for path in Path(f"/proc/{started.fork_server}/fd").iterdir()
        }
        started.end()
    assert found.pop("3").startswith("socket:")
    assert [*found] == ["0", "1", "2"]
    assert len({*found.values()}) == 1, "a pipe that nobody else has"


def test_a_script_cannot_reach_its_fork_server(bot: Bot) -> None:
    """Not by signals, nor by files of its process, nor by system calls."""
    with warm_starts():
        bot.run(CHECK + WAITS)
        started = bot.start(CHECK + WAITS)
        server = started.fork_server
        started.end()
        assert bot.run(CHECK + REACHES)[:2] == (b"end\n", b"")
        after = bot.start(CHECK + WAITS)
        assert after.fork_server == server
        after.end()


def test_limits_hold(bot: Bot) -> None:
    """A program that exceeds one is ended, and the next one is started as before."""
    grows = f"{CHECK}import time\na = [bytearray(1 << 20) for _ in range(200)]\ntime.sleep(600)"
    forks = f"{CHECK}import os, time\ntry:\n    while os.fork(): pass\nfinally: time.sleep(600)"
    burns = f"{CHECK}while True: pass"
    tight = Resources(memory_mb=64, processes=8, cpu_seconds=0.5)
    with warm_starts():
        for text, reasons in (
            (grows, ("memory", "MemoryError")),
            (forks, ("processes",)),
            (burns, ("processor", "")),  # the kernel may be first, and gives no reason
        ):
            started = bot.start(text, resources=tight)
            _, errors, status, _ = started.end()
            assert status, errors
            assert any(reason in f"{started.process.stop_reason}{errors!r}" for reason in reasons)
            assert bot.run(f"{CHECK}print('here')")[0] == b"here\n"


def test_processor_time_is_its_own(bot: Bot) -> None:
    """Neither that of its fork server nor that of who was started before."""
    burns = f"{CHECK}import time\nwhile time.process_time() < 0.4: pass"
    with warm_starts():
        for _ in range(3):
            started = bot.start(burns, resources=Resources(cpu_seconds=1.0))
            assert started.end()[2] == 0
            assert 0.4 <= started.process.report["cpu"] < 1.0


def test_what_a_script_leaves_is_ended_with_its_launcher(bot: Bot) -> None:
    """A child does not outlive it, and nor does the fork server."""
    with warm_starts():
        bot.run(CHECK + WAITS)
        started = bot.start(CHECK + LEAVES_A_PROCESS)
        launchers = list_launchers()
        started.end()
        assert started.process.leftover_count == 1
    assert list_lasting(launchers) == []


@pytest.mark.parametrize("killed", ["fork server", "launcher"])
def test_a_start_does_without_what_was_killed(bot: Bot, killed: str) -> None:
    """A program that runs meanwhile ends as it would, or is the host's fault; the next one starts."""
    if os.getuid() != 0:
        pytest.skip("only root may end a launcher")
    with warm_starts():
        bot.run(CHECK + WAITS)
        started = bot.start("import sys\nprint('up', flush=True)\nsys.stdin.read()\nprint('end')")
        assert started.read_line() == "up\n"
        server, launcher = started.fork_server, started.launcher
        os.kill(server if killed == "fork server" else launcher, 9)
        if killed == "fork server":
            assert list_lasting([server]) == []
            assert started.end()[:3] == (b"end\n", b"", 0)
        else:
            started.close()
            assert list_lasting([server, launcher]) == []
        assert bot.run("print('here')")[0] == b"here\n"
