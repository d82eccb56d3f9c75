"""Ctrl-C and SIGTERM in the middle of a match: the host ends, and no process of the bots is left."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Condition, Lock
from typing import Any

import pytest

from arena.players import defer_signals
from arena.players.interrupts import SignalInterrupt, raise_on_signals
from tests.support.command import ARENA, Cli, Install
from tests.support.parents import build_child_command
from tests.support.programs import (
    ECHO,
    HOST_NUMBER,
    MARK,
    ONCE,
    TIMEOUT,
    environment,
    list_command_lines,
)

DEAF = "signal.signal(15, signal.SIG_IGN); "
FORKS = "os.fork() or os.setpgid(0, 0); "
HOST_SIGNAL = f"os.kill({HOST_NUMBER}, signal.{{}})\n"
HOST = f"{HOST_SIGNAL}time.sleep(600)"
PATIENT_ARENA = f"""
from arena.cli import main
from arena.players import process
process.TERM_TIMEOUT_SECONDS = {TIMEOUT}
main()
"""
"""The command, but a program that it ends has time to do something about that on a busy machine."""
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(cli: Cli, mark: str, tmp_path: Path) -> Run:
    """Return a way to host matches of GOPS between scripted programs."""

    def make(
        *texts: str, options: tuple[str, ...] = (), arena: tuple[str, ...] = (), **parent: Any
    ) -> subprocess.CompletedProcess[str]:
        paths = [tmp_path / f"bot_{at}.py" for at in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        words = ("match", "gops", *map(str, paths), "--seed", "1", *options)
        if not arena and not parent:
            return cli(*words)
        return subprocess.run(
            build_child_command(*(arena or [ARENA]), *words, **parent),
            env=environment(mark), capture_output=True, text=True, check=False, timeout=TIMEOUT,
        )  # fmt: skip

    return make


@pytest.mark.parametrize(
    ("before", "signal", "status"),
    [
        ("", "SIGINT", 130),
        (DEAF, "SIGTERM", 143),
        (FORKS, "SIGTERM", 143),
        (DEAF + FORKS, "SIGINT", 130),
    ],
)
def test_an_interrupt_ends_everything(
    run: Run, mark: str, before: str, signal: str, status: int
) -> None:
    """In the middle of a match, also where a bot ignores SIGTERM or has children."""
    done = run(ONCE + before + "time.sleep(600)", ONCE + before + HOST.format(signal))
    assert done.returncode == status
    assert list_command_lines(mark) == []
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 1


def test_what_the_parent_ignores_does_not_end_a_match(run: Run, mark: str) -> None:
    """Nohup ignores SIGHUP, and a script SIGINT in its background; SIGTERM ends the host in any case."""
    signals = "".join(map(HOST_SIGNAL.format, ("SIGINT", "SIGHUP", "SIGQUIT")))
    ignored = [signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM]
    done = run(f"import os, signal\n{signals}{ECHO}", ECHO, ignored=ignored)
    assert done.returncode == 0
    assert "timeout" not in done.stdout
    done = run(ONCE + "time.sleep(600)", ONCE + HOST.format("SIGTERM"), ignored=ignored)
    assert done.returncode == 143
    assert list_command_lines(mark) == []


def test_what_the_parent_blocks_ends_a_match(run: Run, mark: str) -> None:
    """A mask that a parent has forgotten to empty keeps no interrupt from the host."""
    done = run(ONCE + "time.sleep(600)", ONCE + HOST.format("SIGINT"), blocks_all=True)
    assert done.returncode == 130
    assert list_command_lines(mark) == []


def test_an_interrupt_while_a_failed_bot_is_ended(run: Run, mark: str) -> None:
    """The host is at it when it is interrupted: all the same nothing is left, nor a traceback."""
    wicked = (
        f"{ONCE}\nsignal.signal(15, lambda *_: os.kill({HOST_NUMBER}, signal.SIGTERM))\n"
        "print('ten', flush=True)\nwhile True: time.sleep(600)"
    )
    done = run(ECHO, wicked, ECHO, arena=(sys.executable, "-P", "-c", PATIENT_ARENA))
    assert done.returncode in (130, 143)
    assert list_command_lines(mark) == []
    assert "Traceback" not in done.stderr


def test_an_interrupt_at_the_end_of_a_match(run: Run, mark: str) -> None:
    """While the bots are being ended after the result."""
    begin = (
        "import os, signal, sys, time\n"
        f"signal.signal(15, lambda *_: os.kill({HOST_NUMBER}, signal.SIGINT))"
    )  # it may be told to end before it sees that its input has ended
    last = ECHO.replace("import sys", begin) + HOST.format("SIGINT")
    done = run(last, ECHO, arena=(sys.executable, "-P", "-c", PATIENT_ARENA))
    assert done.returncode in (130, 143)
    assert list_command_lines(mark) == []
    assert "Traceback" not in done.stderr


def test_interrupts_one_after_the_other(run: Run, mark: str) -> None:
    """Who is impatient and presses Ctrl-C again leaves nothing behind either."""
    wicked = (
        f"{ONCE}\nsignal.signal(15, lambda *_: os.kill({HOST_NUMBER}, signal.SIGINT))\n"
        f"os.kill({HOST_NUMBER}, signal.SIGINT)\nwhile True: time.sleep(600)"
    )
    done = run(f"{ONCE}{DEAF}\ntime.sleep(600)", wicked)
    assert done.returncode == 130
    assert list_command_lines(mark) == []
    assert "Traceback" not in done.stderr


def test_an_interrupt_while_the_bots_are_started(run: Run, mark: str) -> None:
    """The first bot interrupts the host as soon as it runs, while others are being started."""
    text = f"import os, signal, time\n{HOST.format('SIGINT')}"
    sleeps = "import time\ntime.sleep(600)"
    done = run(text, *[sleeps] * 4)
    assert done.returncode == 130
    assert list_command_lines(mark) == []


def test_what_an_interrupt_leaves_of_a_match(run: Run, tmp_path: Path) -> None:
    """No working folder, whatever is written there; a transcript that has no outcome."""
    note, transcript = tmp_path / "where", tmp_path / "match.jsonl"
    text = f"{ONCE}\nopen('a', 'w'); open({str(note)!r}, 'w').write(os.getcwd())\n" + HOST.format(
        "SIGTERM"
    )
    run(text, ECHO, options=("--transcript", str(transcript)))
    assert not Path(note.read_text()).exists()
    assert '"outcome"' not in transcript.read_text()


SELF = """
import os, signal
from arena_kuhn import GAME, RandomPlayer
from attrs import evolve
from arena import hookimpl

class Signalling(RandomPlayer):
    def choose(self, question):
        os.kill(os.getpid(), signal.{})
        return super().choose(question)

@hookimpl
def arena_games(): return [evolve(GAME, name="loud", bots={{"loud": Signalling}})]
"""


@pytest.mark.parametrize(("signal", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_interrupt_while_a_bot_thinks_in_this_process(
    cli: Cli, install: Install, signal: str, status: int
) -> None:
    """It is the host that is to end: no bot has crashed, and no match goes on."""
    site = str(install("loud", SELF.format(signal)))
    done = cli("match", "loud", "loud", "loud", "--json", PYTHONPATH=site)
    assert done.returncode == status
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


# The moment before the poll in which a signal does not end it, brought about for certain: the
# signal comes to another thread, and only its handler to the one that waits.
UNSEEN = """
import signal, threading
from math import inf
from arena.players import raise_on_signals
from arena.players.poll_loop import PollLoop

def interrupt():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
loop = PollLoop()
try:
    with raise_on_signals():
        threading.Timer(0.2, interrupt).start()
        while True:
            loop.wait(inf)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_just_before_the_wait_is_not_forgotten() -> None:
    """Its handler runs soon, though nothing else stirs."""
    done = subprocess.run(
        [sys.executable, "-c", UNSEEN], capture_output=True, text=True, check=False, timeout=TIMEOUT
    )
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


IGNORED = """
import signal, weakref
from math import inf
from arena.players import raise_on_signals
from arena.players.poll_loop import PollLoop

class Thing:
    pass

loop, thing = PollLoop(), Thing()
gone = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
try:
    with raise_on_signals():
        del thing
        while True:
            loop.wait(inf)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_where_nothing_can_be_raised_comes_again() -> None:
    """As while a module is imported: Python calls something there when a lock goes."""
    done = subprocess.run(
        [sys.executable, "-c", IGNORED],
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT,
    )
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_a_lock_that_complains_of_an_interrupt_does_not_hide_it() -> None:
    """A wait for it was interrupted where it was released for the moment."""
    condition = Condition(Lock())

    def wait(act: Callable[[], object]) -> None:
        with raise_on_signals(), condition:
            condition.release()
            act()

    with pytest.raises(SignalInterrupt):
        wait(lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(RuntimeError, match="release"):
        wait(lambda: None)


def test_the_mark_works(mark: str) -> None:
    """The search for processes that are left would find one."""
    env = {MARK: mark, "PATH": "/usr/bin:/bin"}
    awake = ["sh", "-c", "echo; read line"]  # until it speaks the system may not show its mark
    pipe = subprocess.PIPE
    with subprocess.Popen(awake, env=env, stdin=pipe, stdout=pipe) as process:
        assert process.stdout
        process.stdout.readline()
        assert len(list_command_lines(mark)) == 1
        process.kill()


def test_a_deferred_interrupt_waits_for_the_outermost_block() -> None:
    """A block within another one lets nothing through, and the next ones defer again."""
    with raise_on_signals():
        for _ in range(2):
            reached = []
            try:
                with defer_signals():
                    with defer_signals():
                        signal.raise_signal(signal.SIGTERM)
                        reached.append("inner")
                    reached.append("outer")
            except SignalInterrupt:
                reached.append("raised")
            assert reached == ["inner", "outer", "raised"]
