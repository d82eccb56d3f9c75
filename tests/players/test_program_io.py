"""What a program may do: speak early, end early, be silent, be loud on its stderr."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from attrs import evolve

from arena.players import BotPlayer, Player, Process, Program
from arena.players.pipes import MAX_LOG_BYTES, TRUNCATION_NOTICE
from arena.rules import End, Fault
from arena_gops import GAME, Gops, RubyQuiz116
from arena_gops.bots import Matching
from tests.support.programs import DEAF, ECHO, HASTY, LIMITS, ONCE, SLACK, host, host_gops, program

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
    hosted = host_gops(text, 3, LIMITS, mark)
    assert hosted.outcome.verdicts == {}
    assert hosted.outcome.end is End.FINISHED
    assert hosted.took < 3 * SLACK
    assert not any(answer.fallback for answer in hosted.seen.answers)


def test_the_last_lines_come_and_there_is_time_to_end(mark: str) -> None:
    """After the match a program's input ends, and it may still tidy up for a moment."""
    text = (
        "import sys, time\nlines = []\n"
        + ECHO.replace("    if", "    lines.append(line)\n    if")
        + "time.sleep(0.3); print(len(lines), lines[-1], file=sys.stderr)"
    )
    hosted = host_gops(text, 2, LIMITS, mark)
    assert hosted.program(1).errors.startswith("26 Opponent's bid: ")
    assert hosted.program(1).exit_reason.startswith("exit status 0")


def test_the_time_to_end_is_bounded(mark: str) -> None:
    """Who does not end by itself is ended, and holds nothing against it any more."""
    text = ECHO + "import signal, time\nsignal.signal(15, signal.SIG_IGN)\ntime.sleep(600)"
    hosted = host_gops(text, 2, DEAF, mark)
    assert hosted.outcome.verdicts == {}
    assert DEAF.grace <= hosted.took < DEAF.grace + 3 * SLACK
    assert hosted.program(1).exit_reason.startswith("the host ended it")


def test_stderr_is_kept_at_its_end(mark: str) -> None:
    """The last of it is in the result, as text, whatever it was."""
    text = "import os\nos.write(2, b'x' * 10**6 + b'\\xff last words')\n" + ECHO
    hosted = host_gops(text, 2, LIMITS, mark)
    errors = hosted.program(1).errors
    assert errors.endswith("x\ufffd last words")
    assert len(errors) < 5000


def test_all_of_stderr_is_in_the_log(mark: str, tmp_path: Path) -> None:
    """To the last byte, also what came after the end."""
    text = ECHO + "for at in range(100000): print(at, file=sys.stderr)"
    path = tmp_path / "log"
    with path.open("wb", buffering=0) as log:
        host([BotPlayer(Matching()), program(text, RubyQuiz116(1), mark, log=log)], limits=LIMITS)
    assert path.read_text().split() == [*map(str, range(100000))]


def test_a_log_does_not_fill_the_disk(mark: str, tmp_path: Path) -> None:
    """It ends with a line that says so, and the program plays on."""
    text = ECHO.replace("print(", "sys.stderr.write('x' * 2 * 10**6); print(")
    path = tmp_path / "log"
    with path.open("wb", buffering=0) as log:
        players: list[Player] = [
            BotPlayer(Matching()),
            program(text, RubyQuiz116(1), mark, log=log),
        ]
        assert host(players, limits=LIMITS).outcome.verdicts == {}
    assert path.stat().st_size == MAX_LOG_BYTES + len(TRUNCATION_NOTICE)
    assert path.read_bytes().endswith(TRUNCATION_NOTICE)


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
    hosted = host([BotPlayer(Matching()), Program(start, RubyQuiz116(1)), BotPlayer(Matching())])
    assert hosted.verdict.kind is Fault.CRASHED
    assert hosted.verdict.ask == 1
    assert hosted.verdict.detail.startswith("did not start: ")
    assert reason in hosted.verdict.detail
    assert hosted.outcome.places == (1, 3, 1)


def test_a_program_that_never_reads_is_late(mark: str) -> None:
    """When its pipe is full, its time runs as ever: the host does not wait to write."""
    big = Gops(1000, prizes=tuple([10**6] * 1000))
    mute = "import time; print(*range(1, 990), sep='\\n', flush=True); time.sleep(600)"
    players: list[Player] = [
        BotPlayer(Matching()),
        program(mute, GAME.build_codec("json", 1), mark),
    ]
    hosted = host(players, big, HASTY)
    assert hosted.verdict.kind is Fault.TIMEOUT
    assert hosted.verdict.ask == 990
    assert hosted.took < HASTY.move + 3 * SLACK


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
    hosted = host(
        [BotPlayer(Matching()), program(text, GAME.build_codec("json", 1), mark)], big, LIMITS
    )
    assert hosted.outcome.verdicts == {}
    assert hosted.program(1).errors.startswith('900 True {"tell":"Bids"')


def test_the_start_up_allowance_is_for_the_first_ask_only(mark: str) -> None:
    """A slow start is not late, but the same time for a later answer is."""
    slow = "import time\ntime.sleep(1.5)\n" + ONCE + "time.sleep(600)"
    hosted = host([BotPlayer(Matching()), program(slow, RubyQuiz116(1), mark)], limits=HASTY)
    assert hosted.verdict.kind is Fault.TIMEOUT
    assert (hosted.verdict.ask, hosted.verdict.limit) == (2, HASTY.move)
    # a busy host asks when the program has already slept for a while
    assert HASTY.move <= hosted.outcome.seconds[1] < 2.5 + SLACK


def test_a_bank_runs_out(mark: str) -> None:
    """Each answer is in time, all together are not; the others' game is not spoiled."""
    limits = evolve(LIMITS, bank=3.0)
    slow = ECHO.replace("print(", "time.sleep(0.5); print(").replace(
        "import sys", "import sys, time"
    )
    hosted = host_gops(slow, 3, limits, mark)
    assert hosted.outcome.end is End.FINISHED, hosted.outcome.detail
    assert hosted.verdict.kind is Fault.TIMEOUT
    assert 2 <= hosted.verdict.ask < 10
    assert hosted.verdict.limit < 3.0
    assert hosted.outcome.places == (1, 3, 1)
