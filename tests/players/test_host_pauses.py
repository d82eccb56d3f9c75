"""A host that stands still charges nobody for that time, and lets nobody think for ever."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from arena.players.poll_loop import MAX_GAP_SECONDS, HeartbeatRecord, HostClock
from arena.rules import Fault
from tests.support.command import ARENA, Install
from tests.support.programs import (
    HASTY,
    ONCE,
    SLACK,
    TIMEOUT,
    environment,
    find_processes,
    host_gops,
)

PAUSE = 1.2  # seconds, longer than what any player is allowed
ALLOWED = ("--start-time", f"{TIMEOUT}", "--move-time", "0.8", "--seed", "1", "--option", "cards=3")
BANK = ("--start-time", f"{TIMEOUT}", "--bank", "1.2", "--seed", "1", "--option", "cards=3")
SAYING = """
import os, sys, time
note = os.open({note!r}, os.O_WRONLY)
for line in sys.stdin:
    if line.startswith("Competition"):
        card = int(line.split()[-1])
        os.write(note, b"x")
        time.sleep(0.05 * (card % 2))
        print(card, flush=True)
"""
"""Says when it is asked; every other time the pause then finds it thinking."""

THINKING = """
import os, time
from arena_kuhn import GAME, RandomPlayer
from attrs import evolve
from arena import hookimpl

class Slow(RandomPlayer):
    "Says when it is asked, and thinks a little."

    def choose(self, question):
        os.write(os.open({note!r}, os.O_WRONLY), b"x")
        time.sleep(0.1)
        return super().choose(question)

@hookimpl
def arena_games(): return [evolve(GAME, name="slow", bots={{"slow": Slow}})]
"""


def stop_and_go(processes: Sequence[int]) -> None:
    """Have these stand still for a while."""
    for process in processes:
        with suppress(ProcessLookupError):  # it may have ended by now
            os.kill(process, signal.SIGSTOP)
    time.sleep(PAUSE)  # it is what is tried
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)


Paused = Callable[..., Any]


@pytest.fixture
def note(tmp_path: Path) -> Path:
    """Return a pipe by which a bot says that it is asked."""
    os.mkfifo(tmp_path / "note")
    return tmp_path / "note"


@pytest.fixture
def paused(mark: str, note: Path) -> Iterator[Paused]:
    """Return a way to host a match that is stopped at each note, with its bots or without."""
    listening = os.open(note, os.O_RDWR)

    def host(*words: str, bots: bool, **more: str) -> Any:
        with subprocess.Popen([ARENA, "match", *words, "--json"], env=environment(mark, **more),
                              stdout=subprocess.PIPE) as process:  # fmt: skip
            while process.poll() is None:
                if select.select([listening], [], [], 0.2)[0]:
                    os.read(listening, 1)
                    stop_and_go([*find_processes(mark)] if bots else [process.pid])
            assert process.stdout
            return json.loads(process.stdout.read())

    yield host
    os.close(listening)


@pytest.mark.each("allowed", "bots")
@pytest.mark.parametrize("allowed", [ALLOWED, BANK], ids=["limit", "bank"])
@pytest.mark.parametrize("bots", [True, False], ids=["with its bots", "alone"])
def test_a_host_that_stood_still_charges_nobody(
    paused: Paused, tmp_path: Path, note: Path, bots: bool, allowed: tuple[str, ...]
) -> None:
    """Three pauses, each longer than what is allowed: no verdict, and little time on any clock."""
    (tmp_path / "bot.py").write_text(SAYING.format(note=str(note)))
    result = paused("gops", str(tmp_path / "bot.py"), "match", *allowed, bots=bots)
    assert [seat["verdict"] for seat in result["seats"]] == [None, None]
    assert result["outcome"] == "finished"
    assert result["seats"][0]["seconds"] < 2 * PAUSE  # and not three


def test_a_bot_in_this_process_is_not_charged_either(
    paused: Paused, install: Install, note: Path
) -> None:
    """It stood still with its host, in the midst of its thinking."""
    site = str(install("slow", THINKING.format(note=str(note))))
    result = paused("slow", "slow", "b=slow", *ALLOWED[:6], bots=True, PYTHONPATH=site)
    assert [seat["verdict"] for seat in result["seats"]] == [None, None]
    assert result["outcome"] == "finished"
    assert max(seat["seconds"] for seat in result["seats"]) < PAUSE


def test_who_thinks_for_too_long_is_late_though_the_host_is_often_stopped(
    mark: str, tmp_path: Path, note: Path
) -> None:
    """What runs of the host between its pauses counts: nobody thinks for ever."""
    (tmp_path / "bot.py").write_text(f"{ONCE}open({str(note)!r}, 'w').close()\ntime.sleep(600)")
    limits = ("--start-time", f"{TIMEOUT}", "--move-time", "0.2", "--seed", "1")
    words = [ARENA, "match", "gops", str(tmp_path / "bot.py"), "match", *limits, "--json"]
    with subprocess.Popen(words, env=environment(mark), stdout=subprocess.PIPE) as process:
        note.read_bytes()  # now it thinks
        while process.poll() is None:
            for number, seconds in ((signal.SIGSTOP, 0.2), (signal.SIGCONT, 0.1)):
                process.send_signal(number)
                time.sleep(seconds)
        assert process.stdout
        result = json.loads(process.stdout.read())
    assert result["seats"][0]["verdict"]["kind"] == "timeout"


@pytest.fixture
def busy() -> Iterator[None]:
    """Have one core, and keep it busy, several times over."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})  # so it is with all that is started from here
    spin = [sys.executable, "-I", "-S", "-c", "while True: pass"]
    spinning = [subprocess.Popen(spin) for _ in range(4)]
    yield
    os.sched_setaffinity(0, cores)
    for process in spinning:
        process.kill()
        process.wait()


@pytest.mark.usefixtures("busy")
def test_who_thinks_for_too_long_is_late_on_a_busy_machine(mark: str) -> None:
    """That the host is slow to be woken is no time for a bot to think."""
    limits = evolve(HASTY, move=0.2)
    hosted = host_gops(ONCE + "while True: pass", 2, limits, mark)
    assert hosted.verdict.kind is Fault.TIMEOUT
    assert hosted.verdict.seconds < limits.move + SLACK
    assert hosted.took < limits.start + 3 * SLACK


MOMENTS = st.lists(st.tuples(st.floats(0, 100), st.floats(0, 1)), max_size=20)


@given(MOMENTS)
def test_the_hosts_own_time_never_runs_backwards(steps: list[tuple[float, float]]) -> None:
    """Nor faster than the monotonic clock, whether anybody beats or only looks."""
    beat, snapshot, busy, before = HeartbeatRecord(0.0, 0.0, 0.0), 0.0, 0.0, 0.0
    for seconds, share in steps:
        snapshot, busy = snapshot + seconds, busy + seconds * share
        lost = beat.compute_lost_seconds(snapshot, busy)
        assert before - 1e-9 <= snapshot - lost <= before + seconds + 1e-9
        before = snapshot - lost
        if share < 0.5:
            beat = HeartbeatRecord(snapshot, busy, lost)


@pytest.mark.parametrize(
    ("gap", "busy", "lost"),
    [(0.05, 0, 0), (10, 0, 10 - MAX_GAP_SECONDS), (10, 10, 0), (10, 12, 0), (10, 4, 6)],
)
def test_what_is_lost_between_two_beats(gap: float, busy: float, lost: float) -> None:
    """What a pause took; not what a bot took that kept the thread from beating."""
    assert HeartbeatRecord(100.0, 7.0, 3.0).compute_lost_seconds(
        100 + gap, 7 + busy
    ) == pytest.approx(3 + lost)


def test_a_clock_without_a_thread_sees_no_pauses() -> None:
    """Where no thread can be had, a host that sleeps has not stood still."""
    clock = HostClock()
    began = clock.now()
    time.sleep(2 * MAX_GAP_SECONDS)
    clock.beat()
    assert clock.now() - began >= 2 * MAX_GAP_SECONDS
