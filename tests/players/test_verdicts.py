"""Programs that fail, for real: each has its verdict, in bounded time, and spoils nobody's game.

Each bids once as it should and then fails, so that a slow start of Python is no fault.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from arena.host import Limits
from arena.players import BotPlayer, Player, Process, Program
from arena.rules import End, Fault
from arena_gops import Bid, RubyQuiz116
from arena_gops.bots import Matching
from tests.support.programs import (
    DEAF,
    ECHO,
    HASTY,
    LIMITS,
    MARK,
    ONCE,
    SLACK,
    HostedMatch,
    host,
    host_gops,
    program,
)


@frozen
class Case:
    """What a program does after its first bid, and what is held against it."""

    text: str
    fault: Fault
    line: str = ""  # how what it said begins
    detail: str = ""  # how the reason begins
    begun: str = ""  # what it says with its first bid in one piece, so that it is there in time

    @property
    def program(self) -> str:
        """Return the program."""
        both = f"os.write(1, b'%d\\n{self.begun}' % card)"
        return ONCE.replace("print(card, flush=True)", both) + self.text

    @property
    def limits(self) -> Limits:
        """Return little time only where it is to run out, to answer or to end."""
        if self.fault is Fault.TIMEOUT:
            return HASTY
        return DEAF if self.detail.endswith("the host ended it") else LIMITS


LATE, ENDED = "no answer in time", "closed its output before it answered: "
CASES = {
    "sleeps": Case("time.sleep(600)", Fault.TIMEOUT, "", LATE),
    "spins": Case("while True: pass", Fault.TIMEOUT, "", LATE),
    "says half a line": Case("time.sleep(600)", Fault.TIMEOUT, "12", LATE, begun="12"),
    "drips": Case(
        "while True: os.write(1, b'1'); time.sleep(0.05)", Fault.TIMEOUT, "11", LATE, "11"),
    "drips blanks and logs": Case(
        "while True: os.write(1, b' '); os.write(2, b'.'); time.sleep(0.05)",
        Fault.TIMEOUT, "  ", LATE, "  "),
    "ignores SIGTERM": Case(
        "signal.signal(15, signal.SIG_IGN); time.sleep(600)", Fault.TIMEOUT, "", LATE),
    "stops itself": Case("os.kill(os.getpid(), signal.SIGSTOP)", Fault.TIMEOUT, "", LATE),
    "floods a line": Case(
        "while True: os.write(1, b'1' * 65536)", Fault.FLOODED, "1" * 200, "a line of more than 4096"),
    "says 10 MB in a line": Case(
        "print('x' * 10**7, flush=True); input()", Fault.FLOODED, "x" * 200, "a line of more than 4096"),
    "says a little too much": Case(
        "print('x' * 4097, flush=True); input()", Fault.FLOODED, "x" * 200, "a line of more than 4096"),
    "bids what it has not": Case("print(14); input()", Fault.ILLEGAL, "14", "14 is not one of"),
    "bids a card twice": Case("print(card); input()", Fault.ILLEGAL, "", ""),
    "says a word": Case("print('ten'); input()", Fault.MALFORMED, "ten", "a bid is a number"),
    "says nothing at all": Case("print(); input()", Fault.MALFORMED, "", "a bid is a number"),
    "says no UTF-8": Case("os.write(1, b'1\\xff\\n')", Fault.MALFORMED, "1\ufffd", "not UTF-8"),
    "says a NUL": Case("os.write(1, b'1\\0\\n')", Fault.MALFORMED, "1\0", "a NUL"),
    "closes its output": Case("os.close(1); time.sleep(600)", Fault.CRASHED, "", ENDED + "the host ended it"),
    "exits": Case("raise SystemExit(0)", Fault.CRASHED, "", ENDED + "exit status 0"),
    "exits with half a line": Case(
        "os.write(1, b'12'); raise SystemExit(0)", Fault.CRASHED, "12",
        "closed its output in the middle of a line: an answer ends with a newline: exit status 0"),
    "begins with a byte-order mark, twice": Case(
        "print('\\ufeff%s' % others[0]); input()", Fault.MALFORMED, "\ufeff", "a bid is a number"),
    "exits with a status and a word": Case(
        "print('no more\\nI give up', file=sys.stderr); raise SystemExit(3)",
        Fault.CRASHED, "", ENDED + "exit status 3, I give up"),
    "raises": Case("1 / 0", Fault.CRASHED, "", ENDED + "exit status 1, ZeroDivisionError"),
    "is killed": Case("os.kill(os.getpid(), 9)", Fault.CRASHED, "", ENDED + "killed by SIGKILL"),
    "is killed by a signal without a name": Case(
        "os.kill(os.getpid(), 40)", Fault.CRASHED, "", ENDED + "killed by"),
    "answers once more and exits": Case(
        "print(others[0])", Fault.CRASHED, "", ENDED + "exit status 0"),
}  # fmt: skip

LATE_CASES = [case for case in CASES.values() if case.fault is Fault.TIMEOUT]


def check(case: Case, hosted: HostedMatch, seat: int = 1) -> None:
    """See that the verdict says all that it takes to act upon it."""
    verdict = hosted.outcome.verdicts[seat]
    assert verdict.kind is case.fault
    assert verdict.line.startswith(case.line)
    assert len(verdict.line) <= 4096
    assert verdict.detail.startswith(case.detail)
    hand: Any = verdict.question.options
    assert isinstance(verdict.question, Bid)
    assert len(hand) == 14 - verdict.ask
    assert verdict.limit == case.limits.move
    late = case.fault is Fault.TIMEOUT
    assert (HASTY.move if late else 0) <= verdict.seconds < HASTY.move + SLACK
    assert hosted.took < HASTY.move + HASTY.grace + 2 * SLACK
    assert not any(process.running for player in hosted.players for process in player.processes)


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].fault != Fault.TIMEOUT])
def test_a_fault_spoils_nobodys_game(mark: str, name: str) -> None:
    """With three seats the others play on to the end, and who failed comes last."""
    case = CASES[name]
    hosted = host_gops(case.program, 3, case.limits, mark)
    assert hosted.verdict
    check(case, hosted)
    assert hosted.outcome.end is End.FINISHED
    assert hosted.outcome.rounds == 13
    assert hosted.match.play.over
    assert hosted.outcome.places == (1, 3, 1)
    bids = [answer for answer in hosted.seen.answers if answer.seat != 1]
    assert len(bids) == 26
    assert not any(answer.fallback for answer in bids)
    own = [answer.fallback for answer in hosted.seen.answers if answer.seat == 1]
    assert own == [False] * (hosted.verdict.ask - 1) + [True] * (14 - hosted.verdict.ask)


def test_programs_that_are_late_spoil_nobodys_game(mark: str) -> None:
    """All of them are late at once, and the others play on to the end."""
    late = dict(enumerate(LATE_CASES, 1))
    players: list[Player] = [
        BotPlayer(Matching()),
        *[program(case.program, RubyQuiz116(seat), mark) for seat, case in late.items()],
        BotPlayer(Matching()),
    ]
    hosted = host(players, limits=HASTY)
    for seat, case in late.items():
        check(case, hosted, seat)
    assert hosted.outcome.end is End.FINISHED
    assert hosted.outcome.places == (1, *[3] * len(late), 1)
    assert {answer.seat for answer in hosted.seen.answers if answer.fallback} == {*late}


@pytest.mark.parametrize(
    "name", ["sleeps", "floods a line", "bids what it has not", "says a word", "exits"]
)
def test_a_fault_forfeits_a_match_of_two(mark: str, name: str) -> None:
    """With two seats nobody is left to play on for; the other has won."""
    case = CASES[name]
    hosted = host_gops(case.program, 2, case.limits, mark)
    check(case, hosted)
    assert hosted.outcome.end is End.FORFEITED
    assert hosted.outcome.places == (1, 2)
    assert hosted.outcome.rounds == hosted.verdict.ask == 2


def test_a_flood_of_lines_is_one_while_another_thinks(
    mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What nobody asked for is read up to a bound, and held against who said it at its next ask."""
    os.mkfifo(tmp_path / "full")
    full = os.open(tmp_path / "full", os.O_RDWR)
    flood = ONCE + "print(others[0], flush=True)\nwhile True: os.write(1, b'7\\n' * 32768)"
    thinks = f"{ONCE}open({str(tmp_path / 'full')!r}, 'rb', 0).read(1)\n"
    players: list[Player] = [
        BotPlayer(Matching()),
        program(flood, RubyQuiz116(1), mark),
        program(thinks + "for card in others: print(card, flush=True)", RubyQuiz116(2), mark),
    ]
    pipes = players[1].processes[0].pipes
    read = pipes.read

    def tell_when_full() -> bool:
        found = read()
        if pipes.lines.is_full:
            os.write(full, b"x")
        return found

    monkeypatch.setattr(pipes, "read", tell_when_full)
    hosted = host(players, limits=LIMITS)
    os.close(full)
    verdict = hosted.verdict
    assert verdict.kind is Fault.FLOODED
    assert verdict.ask == 3
    assert verdict.line.startswith("7\n7")
    assert verdict.detail.startswith("more than 65536 bytes that nobody asked for")
    assert len(hosted.program(1).processes[0].pipes.lines._waiting) < 1 << 18
    assert hosted.outcome.places == (1, 3, 2)
    assert hosted.took < 3 * SLACK


@pytest.mark.parametrize(
    "case", ["1 / 0", "print('ten', flush=True); input()", "print(14, flush=True); input()"]
)
def test_a_fault_at_the_first_ask(mark: str, case: str) -> None:
    """A program may fail before it has read a line."""
    hosted = host_gops(case, 3, LIMITS, mark)
    assert hosted.verdict.ask == 1
    assert hosted.verdict.limit == LIMITS.move + LIMITS.start
    assert hosted.outcome.places == (1, 3, 1)


def test_faults_of_one_ask_tie_and_the_later_is_the_better(mark: str) -> None:
    """Four seats: two fail at once, one later, and one is left: the match is over."""
    texts = (ONCE + "raise SystemExit(1)", ONCE + "raise SystemExit(2)", ONCE + "print(others[0])")
    players: list[Player] = [
        BotPlayer(Matching()),
        *[program(text, RubyQuiz116(seat), mark) for seat, text in enumerate(texts, 1)],
    ]
    hosted = host(players, limits=LIMITS)
    assert hosted.outcome.places == (1, 3, 3, 2)
    assert hosted.outcome.end is End.FORFEITED
    assert [verdict.ask for _, verdict in hosted.seen.failures] == [2, 2, 3]


def test_all_may_fail_at_once(mark: str) -> None:
    """Nobody is better than the others then."""
    players: list[Player] = [
        program(ONCE + "raise SystemExit", RubyQuiz116(seat), mark) for seat in range(3)
    ]
    hosted = host(players, limits=LIMITS)
    assert hosted.outcome.places == (1, 1, 1)
    assert hosted.outcome.end is End.FORFEITED


def test_one_who_plays_alone_forfeits_by_failing(mark: str) -> None:
    """Where one plays, one is enough, and none is too few."""
    hosted = host([program("raise SystemExit(3)", RubyQuiz116(0), mark)], limits=LIMITS)
    assert hosted.outcome.end is End.FORFEITED
    hosted = host([program(ECHO, RubyQuiz116(0), mark)], limits=LIMITS)
    assert hosted.outcome.end is End.FINISHED
    assert hosted.outcome.scores == (91,)


def test_a_byte_order_mark_may_begin_the_output(mark: str) -> None:
    """As in a file; some languages write one before the first answer."""
    text = "print('\\ufeff', end='')" + ECHO
    hosted = host_gops(text, 2, LIMITS, mark)
    assert hosted.outcome.verdicts == {}


@pytest.mark.parametrize(
    ("first", "said"),
    [("#!/usr/bin/env python3", "exit status 127; "), (f"#!{sys.executable}", "No such file")],
)
def test_a_script_with_line_ends_of_windows_is_told_so(
    tmp_path: Path, mark: str, first: str, said: str
) -> None:
    """Whether the kernel or env does not find its interpreter."""
    script = tmp_path / "bot"
    script.write_bytes(f"{first}\r\nprint(1)\r\n".encode())
    script.chmod(0o700)
    environment = {**os.environ, MARK: mark}
    start = partial(Process, [str(script)], tmp_path, environment)
    players: list[Player] = [Program(start, RubyQuiz116(0)), BotPlayer(Matching())]
    verdict = host(players).verdict
    assert verdict.kind is Fault.CRASHED
    assert said in verdict.detail
    assert "its first line ends as on Windows (CR LF)" in verdict.detail
