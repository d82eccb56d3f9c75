"""What a program begins with is the same however its host was started."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from arena.sandbox import LANDLOCK, NAMESPACES, find_obstacle
from tests.support.parents import build_child_command
from tests.support.programs import TIMEOUT

ALL_SIGNALS = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})
PYTHON_SIGNALS = 1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1)  # which Python ignores
USUAL_UMASK, ODD_UMASK = 0o022, 0o077
STATE = """
import json, os, signal, sys
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
try:
    has_terminal = bool(os.open("/dev/tty", os.O_RDONLY))
except OSError:
    has_terminal = False
state = {
    "ignored": int(status["SigIgn"], 16) & ~(0b11 << 31),  # but for two of the C library
    "blocked": int(status["SigBlk"], 16),
    "caught": int(status["SigCgt"], 16),
    "handlers": {int(number): str(signal.getsignal(number)) for number in signal.valid_signals()},
    "umask": os.umask(0), "descriptors": sorted(map(int, os.listdir("/proc/self/fd")))[:-1],
    "terminal": has_terminal,
}
with open(sys.argv[1], "w") if sys.argv[1:] else sys.stdout as file:
    json.dump(state, file)
"""
HOST = """
import json, os, sys
from pathlib import Path
from arena.host.bot_build import build_bot
from arena.players import Process, end_processes
from arena.sandbox import Sandbox

folder, state, *ways = sys.argv[1:]
os.set_inheritable(os.dup(0), True)

def run(name, sandbox):
    work = Path(folder, name)
    work.mkdir()
    process = Process([sys.executable, str(script)], work, sandbox=sandbox, home=home)
    end_processes([process], 300.0)
    return json.loads(process.pipes.late_output), process.plain and process.plain.is_warm

found = {}
for way in ways:
    home = Path(folder, f"home-{way}")
    home.mkdir()
    home.chmod(0o755)
    script = home / "state.py"
    script.write_text(state)
    script.chmod(0o644)
    sandbox = None if way == "plain" else Sandbox(way)
    found[way], _ = run(way, sandbox)
    build_bot(home, f"{sys.executable} state.py said", sandbox)
    found[f"build, {way}"] = json.loads((home / "said").read_text())
    if way == "plain":
        is_warm = False
        while not is_warm:
            found["warm"], is_warm = run(f"warm-{len(os.listdir(folder))}", None)
print(json.dumps(found))
"""
TIERS = [NAMESPACES, LANDLOCK]


@pytest.fixture(scope="module")
def states() -> dict[str, Any]:
    """Return the states of programs by how they are started; of a usual host and of an odd one."""
    ways = ["plain", *(tier for tier in TIERS if not find_obstacle(tier))]
    found = {}
    for name, ignored, umask in (("usual", [], USUAL_UMASK), ("odd", ALL_SIGNALS, ODD_UMASK)):
        with TemporaryDirectory(dir="/tmp") as folder:
            Path(folder).chmod(0o755)
            words = [sys.executable, "-c", HOST, folder, STATE, *ways]
            done = subprocess.run(
                build_child_command(*words, ignored=ignored, blocks_all=bool(ignored)),
                umask=umask, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True,
                timeout=TIMEOUT,
            )  # fmt: skip
        found[name] = json.loads(done.stdout)
    return found


TRUSTED = ["plain", "build, plain", "warm"]
WAYS = [*TRUSTED, *TIERS, *(f"build, {tier}" for tier in TIERS)]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, states: dict[str, Any]) -> str:
    """Return each way to start a program."""
    found = str(request.param)
    if found not in states["usual"]:
        pytest.skip(find_obstacle(found.removeprefix("build, ")))
    return found


def test_no_signal_is_ignored_or_blocked(states: dict[str, Any], way: str) -> None:
    """Whatever the parent of the host ignores and blocks; Python itself ignores two."""
    for state in (states["usual"][way], states["odd"][way]):
        assert state["ignored"] == PYTHON_SIGNALS
        assert state["blocked"] == 0
        assert state["handlers"][str(int(signal.SIGINT))].startswith("<built-in function default")


def test_all_else_is_the_same_too(states: dict[str, Any], way: str) -> None:
    """A program has three pipes and no terminal; its umask is the host's, but for sandboxes."""
    usual, odd = (dict(states[host][way]) for host in ("usual", "odd"))
    if way in TRUSTED:
        assert (usual.pop("umask"), odd.pop("umask")) == (USUAL_UMASK, ODD_UMASK)
    assert odd == usual
    assert (usual["descriptors"], usual["terminal"]) == ([0, 1, 2], False)


def test_a_warm_start_is_like_a_plain_one(states: dict[str, Any]) -> None:
    """Also where the host was started in an odd way."""
    assert states["odd"]["warm"] == states["odd"]["plain"]
