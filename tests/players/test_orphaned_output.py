"""A program that has ended while another holds its output open is judged by what it said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.players import end_processes
from arena.rules import End, Fault
from arena_gops import RubyQuiz116
from tests.support.programs import ECHO, LIMITS, ONCE, host_gops, program

HOLDS = "os.fork() or (os.close(0), time.sleep(600))\n"  # a child that keeps the output
LEFT = """
import select
itself = os.pidfd_open(os.getpid())
os.fork() and os._exit(0)
select.select([itself], [], [])
"""  # a child that goes on when the program has ended, and not a moment sooner


@pytest.mark.parametrize("holds", [HOLDS, HOLDS * 2], ids=["one", "several"])
def test_who_has_ended_is_judged_at_once(mark: str, holds: str) -> None:
    """It has crashed with its exit status, long before its time is over."""
    hosted = host_gops(ONCE + holds + "os._exit(3)", 3, LIMITS, mark)
    assert hosted.outcome.end is End.FINISHED
    assert hosted.verdict.kind is Fault.CRASHED
    assert hosted.verdict.ask == 2
    assert (
        hosted.verdict.detail
        == "ended before it answered, but another process holds its output open: exit status 3"
    )
    assert hosted.took < LIMITS.move / 2


def test_what_it_said_before_counts_first(mark: str) -> None:
    """All its answers are in the pipe when it ends: it has played to the end."""
    text = ONCE + HOLDS + "print(*others, sep='\\n', flush=True); os._exit(3)"
    hosted = host_gops(text, 3, LIMITS, mark)
    assert hosted.outcome.verdicts == {}
    assert not any(answer.fallback for answer in hosted.seen.answers)


def test_what_another_says_later_does_not_count(mark: str) -> None:
    """Who was entered is the program, and not what it leaves behind."""
    text = ONCE + LEFT + ECHO
    hosted = host_gops(text, 3, LIMITS, mark)
    assert hosted.verdict.kind is Fault.CRASHED
    assert hosted.took < LIMITS.move / 2


def test_what_starts_programs_holds_no_output_open(mark: str) -> None:
    """A starter has closed a program's pipes before the program's end can be seen."""
    player = program("input()", RubyQuiz116(0), mark)
    (process,) = player.processes
    try:
        assert process.plain
        held = Path(f"/proc/{process.plain.starter.number}/fd")
        ours = {f"pipe:[{os.fstat(stream.fileno()).st_ino}]" for stream in process.plain.streams}
        assert not ours & {f"{descriptor.readlink()}" for descriptor in held.iterdir()}
    finally:
        end_processes([process], 0.0)
