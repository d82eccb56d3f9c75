"""Each command beside each nasty thing: no traceback, no process left, and no folder of ours.

What becomes of the bots is said elsewhere; here is what holds for all of it.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import ARENA, run_arena
from tests.support.leftovers import REMAINS
from tests.support.programs import (
    ECHO,
    HOST_NUMBER,
    ONCE,
    TIMEOUT,
    command_line,
    environment,
    wait_for_end,
)
from tests.support.sandboxes.unprivileged import WRITES, build_user_prefix
from tests.support.tournaments.folders import build_entrant_tables

pytestmark = pytest.mark.slow
CALLS = {
    "check": "check gops {0} --quick --move-time 1",
    "match": "match gops {0} {1} --move-time 1",
    "duel": "duel gops {0} {1} --pairs 1 --workers 1 --move-time 1",
    "tournament": "tournament run cup.toml",
}
CUP = """
game = "gops"
format = "gauntlet:challenger=match"
matches = {}
workers = 1
check = false
options = {{cards = 4}}
time = {{move = 1}}
"""
START = "import os, signal, sys, time\nhome = os.getcwd()\n"
GARBAGE = r"b'\x1b[2J\x00\xff\xfe\r\x07\n' * 500"
ENDS = f"os.fork() or time.sleep(600)\nos.write(2, {GARBAGE})\n{ECHO}"
ALL = "os.chdir(home)\n".join([*REMAINS.values(), ENDS])
"""A bot that leaves whatever can be left, and plays."""
SOME = "os.chdir(home)\n".join([REMAINS["locked"], REMAINS["odd"], REMAINS["links"], ENDS])
"""What takes less time of it."""

NASTY = {
    "leaves everything": ALL,
    "leaves much": SOME,
    "holds its output": f"os.fork() or time.sleep(600)\n{ECHO}",
    "holds its output and is gone": f"{ONCE}\nos.fork() or time.sleep(600)\nos._exit(3)",
    "holds its output in another session": f"os.fork() or (os.setpgid(0, 0), time.sleep(600))\n{ECHO}",
    "prints garbage": f"for at in (2, 1): os.write(at, {GARBAGE})\ninput()",
    "logs garbage": f"os.write(2, {GARBAGE})\n{ECHO}",
    "ends the host": f"os.kill({HOST_NUMBER}, signal.SIGTERM)\n{ECHO}",
    "interrupts the host": f"os.kill({HOST_NUMBER}, signal.SIGINT)\n{ECHO}",
    "stops itself": f"{ONCE}\nos.kill(os.getpid(), signal.SIGSTOP)",
}
PAIRS = (  # who is gone or stands still is so when the other has done what it does
    ("leaves much", "holds its output and is gone"),
    ("holds its output", "stops itself"),
    ("holds its output in another session", "logs garbage"),
    ("ends the host", "interrupts the host"),
    ("prints garbage", ""),
    ("leaves everything", ""),
)
MATCH = "match"  # who is not nasty
FULL, NO_OUTPUT, NO_ERRORS = {2: "/dev/full"}, {1: None}, {2: None}
NOBODY = [*build_user_prefix(*WRITES), "prlimit", "--nproc=0"]
FEW = ["prlimit", "--nofile=18"]
ENDS_AS = (0, 1, 2, 130, 143)  # also as one who was interrupted
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def leave_to_release(*values: object) -> Any:
    """Return a case of what other commands, or this one elsewhere, try in every run."""
    return pytest.param(*values, marks=pytest.mark.release)


@pytest.fixture
def run(mark: str, tmp_path: Path) -> Iterator[Run]:
    """Return a way to run a command with a nasty bot, and see that nothing of it is left."""
    room, dear = tmp_path / "room", tmp_path / "dear"
    for folder in (tmp_path, room):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)  # for another user
    dear.mkdir()

    def call(
        command: str, *texts: str, limit: Sequence[str] = (), **more: Any
    ) -> subprocess.CompletedProcess[str]:
        bots = []
        for number, text in enumerate(texts):
            (tmp_path / f"nasty{number}.py").write_text(START + text)
            bots.append(command_line(f"nasty{number}.py", str(dear)))
        (tmp_path / "cup.toml").write_text(
            CUP.format(len(bots)) + build_entrant_tables(*bots, MATCH)
        )
        words = shlex.split(CALLS[command].format(*map(shlex.quote, [*bots, MATCH])))
        variables = environment(mark, TMPDIR=str(room))
        done = run_arena(words, tmp_path, variables, **more) if not limit else subprocess.run(
            [*limit, ARENA, *words], cwd=tmp_path, env=variables, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, errors="replace", timeout=TIMEOUT,
        )  # fmt: skip
        assert "Traceback" not in done.stdout + done.stderr
        assert "Exception" not in done.stdout + done.stderr
        assert "\x1b" not in done.stdout + done.stderr
        assert wait_for_end(mark) == {}  # some end with a run's pipes
        assert [*room.iterdir()] == []
        return done

    yield call
    subprocess.run(["chmod", "-R", "u+rwX", tmp_path], check=False, stderr=subprocess.DEVNULL)
    subprocess.run(["rm", "-rf", tmp_path], check=True)


@pytest.mark.parametrize(
    "name", ["leaves much", *(leave_to_release(name) for name in NASTY if name != "leaves much")]
)
def test_a_nasty_bot_is_checked(run: Run, name: str) -> None:
    """Whatever it does, and whatever is made of it."""
    assert run("check", NASTY[name]).returncode in ENDS_AS


@pytest.mark.parametrize(
    ("command", "pair"), [*[("match", pair) for pair in PAIRS], leave_to_release("duel", PAIRS[3])]
)
def test_two_nasty_bots_meet(run: Run, command: str, pair: tuple[str, str]) -> None:
    """Each does what it does beside the other."""
    assert run(command, *[NASTY[name] for name in pair if name]).returncode in ENDS_AS


def test_all_nasty_bots_enter_a_tournament(run: Run) -> None:
    """Each meets one who is not, in a worker of which nobody knows what it has come through."""
    texts = [text for text in NASTY.values() if text != ALL]  # of which there is enough in a match
    assert run("tournament", *texts).returncode in ENDS_AS


@pytest.mark.parametrize(
    ("command", "streams"),
    [
        *[("match", NO_OUTPUT), ("check", NO_ERRORS), ("duel", NO_ERRORS)],
        leave_to_release("tournament", FULL),
    ],
)
def test_a_nasty_bot_where_nothing_can_be_said(
    run: Run, command: str, streams: dict[int, str | None]
) -> None:
    """The streams are closed, or full."""
    assert run(command, SOME, streams=streams).returncode in (0, 1)


@pytest.mark.parametrize(
    ("command", "limit"),
    [
        ("match", {"max_files": 14}),
        ("match", {"max_files": 18}),
        ("tournament", {"limit": FEW}),
        ("duel", {"limit": NOBODY}),
        *[leave_to_release(command, {"limit": FEW}) for command in ("match", "check", "duel")],
    ],
)
def test_a_nasty_bot_where_the_machine_has_no_more(
    run: Run, command: str, limit: dict[str, Any]
) -> None:
    """Wherever descriptors or processes run out."""
    assert run(command, SOME, **limit).returncode in (0, 1, 2)
