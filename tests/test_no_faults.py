"""What a program may do: speak early, end early, be silent, be loud on its stderr."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest

from arena.clock import Limits
from arena.outcome import End, Fault
from arena.players.local import Local
from arena.players.player import Player
from arena.players.process import Process
from arena.players.program import Program
from arena_gops import GAME, Gops, RubyQuiz116
from arena_gops.bots.plain import Matching
from tests.programs import ECHO, LIMITS, ONCE, PATIENT, SLACK, gops, host, program

TIDY = "\ntry:\n  while input() or True: pass\nexcept EOFError: pass\n"
FINE = {
    "speaks early": "print(*range(1, 14), sep='\\n', flush=True)" + TIDY,
    "answers and exits": ONCE + "print(*others, sep='\\n', flush=True)",
    "answers and is killed": ONCE + "print(*others, sep='\\n', flush=True); os.kill(os.getpid(), 9)",
    "closes only its input": ONCE + "os.close(0)\nfor card in others: print(card, flush=True)",
    "ends its lines as Windows does": ECHO.replace("flush", "end='\\r\\n', flush"),
    "puts zeros and blanks about": ECHO.replace("print(", "print(' ', '00' +").replace("[-1]", "[-1] + ' '"),
    "speaks after the end": ECHO + "print('the end', flush=True)",
    "floods after the end": ECHO + "sys.stdout.write('x' * 10**7); sys.stdout.flush()",
    "closes its stderr": "import os; os.close(2)\n" + ECHO,
    "writes much to stderr": "import os\nfor _ in range(64): os.write(2, b'x' * 65536)\n" + ECHO,
    "writes to stderr in between": ECHO.replace("print(", "sys.stderr.write('x' * 200000); print("),
    "says it in pieces": ONCE + "for card in others:\n  for byte in f'{card}\\n'.encode(): os.write(1, bytes([byte]))",
}  # fmt: skip


@pytest.mark.parametrize("text", FINE.values(), ids=FINE)
def test_no_fault(mark: str, text: str) -> None:
    """It plays to the end without a verdict."""
    hosted = gops(text, 3, PATIENT, mark)
    assert hosted.outcome.verdicts == {}
    assert hosted.outcome.end is End.FINISHED
    assert hosted.took < PATIENT.grace + 3 * SLACK
    assert not any(answer.autopilot for answer in hosted.seen.answers)


def test_the_last_lines_come_and_there_is_time_to_end(mark: str) -> None:
    """After the match a program's input ends, and it may still tidy up for a moment."""
    text = (
        "import sys, time\nlines = []\n"
        + ECHO.replace("    if", "    lines.append(line)\n    if")
        + "time.sleep(0.3); print(len(lines), lines[-1], file=sys.stderr)"
    )
    hosted = gops(text, 2, PATIENT, mark)
    assert hosted.program(1).errors.startswith("26 Opponent's bid: ")
    assert hosted.program(1).epitaph.startswith("exit status 0")


def test_the_time_to_end_is_bounded(mark: str) -> None:
    """Who does not end by itself is ended, and holds nothing against it any more."""
    text = ECHO + "import signal, time\nsignal.signal(15, signal.SIG_IGN)\ntime.sleep(60)"
    hosted = gops(text, 2, PATIENT, mark)
    assert hosted.outcome.verdicts == {}
    assert PATIENT.grace <= hosted.took < PATIENT.grace + 3 * SLACK
    assert hosted.program(1).epitaph.startswith("the host ended it")


def test_stderr_is_kept_at_its_end(mark: str) -> None:
    """The last of it is in the result, as text, whatever it was."""
    text = "import os\nos.write(2, b'x' * 10**6 + b'\\xff last words')\n" + ECHO
    hosted = gops(text, 2, PATIENT, mark)
    errors = hosted.program(1).errors
    assert errors.endswith("x\ufffd last words")
    assert len(errors) < 5000


def test_all_of_stderr_is_in_the_log(mark: str, tmp_path: Path) -> None:
    """To the last byte, also what came after the end."""
    text = ECHO + "for at in range(100000): print(at, file=sys.stderr)"
    path = tmp_path / "log"
    with path.open("wb", buffering=0) as log:
        host([Local(Matching()), program(text, RubyQuiz116(1), mark, log=log)], limits=PATIENT)
    assert path.read_text().split() == [*map(str, range(100000))]


@pytest.mark.parametrize(
    ("command", "reason"),
    [("/no/such/bot", "No such file"), ("{tmp}/text", "Permission denied"), ("{tmp}", "Permission denied"),
     ("{tmp}/empty", "Exec format error"), ("{tmp}/lost", "No such file"), ("a\0b", "null")],
)  # fmt: skip
def test_a_program_that_cannot_start_has_crashed(tmp_path: Path, command: str, reason: str) -> None:
    """It is that entrant's fault, said with the reason; the others play on."""
    (tmp_path / "text").write_text("#!/bin/sh\n")
    for name, text in (("empty", "no program"), ("lost", "#!/no/such/interpreter\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    start = partial(Process, [command.format(tmp=tmp_path)])
    hosted = host([Local(Matching()), Program(start, RubyQuiz116(1)), Local(Matching())])
    assert hosted.verdict.kind is Fault.CRASHED
    assert hosted.verdict.ask == 1
    assert hosted.verdict.detail.startswith("did not start: ")
    assert reason in hosted.verdict.detail
    assert hosted.outcome.places == (1, 3, 1)


def test_a_program_that_never_reads_is_late(mark: str) -> None:
    """When its pipe is full, its time runs as ever: the host does not wait to write."""
    big = Gops(1000, prizes=tuple([10**6] * 1000))
    mute = "import time; print(*range(1, 990), sep='\\n', flush=True); time.sleep(60)"
    quick = Limits(move=1.0, start=20.0)
    players: list[Player] = [Local(Matching()), program(mute, GAME.wire("json", 1), mark)]
    hosted = host(players, big, quick)
    assert hosted.verdict.kind is Fault.TIMEOUT
    assert hosted.verdict.ask == 990
    assert (
        hosted.program(1).processes[0].pipes._unsent == b"" or hosted.took < quick.move + 3 * SLACK
    )
    assert hosted.took < quick.move + 3 * SLACK


def test_a_program_that_reads_late_gets_everything(mark: str) -> None:
    """What did not fit the pipe is sent when it does, in order, up to the last line."""
    big = Gops(300, prizes=tuple(range(10**5, 10**5 + 300)))
    text = (
        "import sys\nprint(*range(1, 300), sep='\\n', flush=True)\nfirst = sys.stdin.readline()\n"
        "rest = sys.stdin.readlines() if False else []\n"
        "while len(rest) < 897: rest.append(sys.stdin.readline())\n"
        "print(300, flush=True)\nrest += sys.stdin.readlines()\n"
        "print(len(rest), 'tell' in first, rest[-1], file=sys.stderr)"
    )
    hosted = host([Local(Matching()), program(text, GAME.wire("json", 1), mark)], big, PATIENT)
    assert hosted.outcome.verdicts == {}
    assert hosted.program(1).errors.startswith('900 True {"tell":"Bids"')


def test_the_start_up_allowance_is_for_the_first_ask_only(mark: str) -> None:
    """Who starts slowly is not late; who then thinks for as long is."""
    limits = Limits(move=0.5, start=20.0)
    slow = "import time\ntime.sleep(1)\n" + ONCE + "time.sleep(60)"
    hosted = host([Local(Matching()), program(slow, RubyQuiz116(1), mark)], limits=limits)
    assert hosted.verdict.kind is Fault.TIMEOUT
    assert (hosted.verdict.ask, hosted.verdict.limit) == (2, 0.5)
    assert 1.5 <= hosted.outcome.seconds[1] < 1.5 + SLACK


def test_a_bank_runs_out(mark: str) -> None:
    """Each answer is in time, all together are not; the others' game is not spoiled."""
    limits = Limits(move=20.0, start=20.0, bank=1.0)
    slow = ECHO.replace("print(", "time.sleep(0.15); print(").replace(
        "import sys", "import sys, time"
    )
    hosted = gops(slow, 3, limits, mark)
    assert hosted.outcome.end is End.FINISHED, hosted.outcome.detail
    assert hosted.verdict.kind is Fault.TIMEOUT
    assert 2 <= hosted.verdict.ask < 10
    assert hosted.verdict.limit < 1.0
    assert hosted.outcome.places == (1, 3, 1)


def test_a_program_that_was_python_all_along(mark: str) -> None:
    """The interpreter of the scripted programs is the one that runs the tests."""
    text = ECHO + "print(sys.executable, file=sys.stderr)"
    assert gops(text, 2, LIMITS, mark).program(1).errors.strip() == sys.executable
