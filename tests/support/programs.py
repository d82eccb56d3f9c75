"""Small programs that play matches of GOPS over pipes, and the processes that they leave."""

from __future__ import annotations

import os
import select
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import IO, Any

from attrs import define, evolve, field

from arena import Codec, Play, Variant
from arena.host import Limits, Match
from arena.players import BotPlayer, Player, Process, Program
from arena.plugins import AcceptedAnswer, Observer
from arena.rules import Outcome, Verdict
from arena_gops import Gops, RubyQuiz116
from arena_gops.bots import Matching

MARK = "ARENA_TEST_MARK"
PYTHON = (sys.executable, "-I", "-S", "-c")
TIMEOUT = 300.0  # seconds, for what always happens, however busy the machine is
LIMITS = Limits(move=TIMEOUT, start=TIMEOUT, grace=TIMEOUT)  # a program that plays is never late
DEAF = evolve(LIMITS, grace=1.0)  # for programs that do not end by themselves
HASTY = evolve(DEAF, move=1.0)  # for programs that shall be late after their first answer
MOMENT = 60.0  # seconds in which the kernel hides a process's command line and environment
SLACK = 50.0  # seconds that a busy machine may add to any bound

ECHO = """
import sys
for line in sys.stdin:
    if line.startswith("Competition"):
        print(line.split()[-1], flush=True)
"""
"""Bids the prize's own value."""

ONCE = """
import os, signal, sys, time
card = int(input().split()[-1])
others = [other for other in range(1, 14) if other != card]
print(card, flush=True)
input(), input()
"""
"""Bids the first prize's own value and reads the bids; a test appends the rest."""


HOST_NUMBER = "(lambda parent: parent(parent(os.getpid())))(lambda of: int(open('/proc/%s/stat' % of).read().rpartition(')')[2].split()[1]))"
"""Computes the id of the host's process: the parent of the process that started the program."""


def command_line(path: Path | str, *words: str) -> str:
    """Return the command line that runs a program in a file."""
    return shlex.join([*PYTHON[:-1], str(path), *words])


def program(
    text: str,
    codec: Codec,
    mark: str = "",
    folder: Path | None = None,
    log: IO[bytes] | None = None,
) -> Program:
    """Start a small program in Python."""
    environment = {**os.environ, MARK: mark}
    return Program(partial(Process, [*PYTHON, text], folder, environment, log), codec)


@define
class RecordingObserver(Observer):
    """Records all that it observes."""

    told_: list[tuple[int | None, Any]] = field(factory=list)
    answers: list[AcceptedAnswer] = field(factory=list)
    failures: list[tuple[int, Verdict]] = field(factory=list)
    outcome: Outcome | None = None

    def on_event(self, seat: int | None, event: Any) -> None:
        self.told_.append((seat, event))

    def on_answer(self, answer: AcceptedAnswer) -> None:
        self.answers.append(answer)

    def on_verdict(self, seat: int, verdict: Verdict) -> None:
        self.failures.append((seat, verdict))

    def on_outcome(self, outcome: Outcome) -> None:
        self.outcome = outcome


@define
class HostedMatch:
    """A finished match, and its duration in seconds."""

    outcome: Outcome
    match: Match
    players: Sequence[Player]
    seen: RecordingObserver
    took: float

    @property
    def verdict(self) -> Verdict:
        """Return the only verdict."""
        (verdict,) = self.outcome.verdicts.values()
        return verdict

    def program(self, seat: int) -> Program:
        """Return a seat's program."""
        player = self.players[seat]
        assert isinstance(player, Program)
        return player


def host(
    players: Sequence[Player],
    variant: Variant | None = None,
    limits: Limits = LIMITS,
    seed: str = "seed",
    game: str = "gops",
) -> HostedMatch:
    """Host a match of these players."""
    play, seen = Play.deal(variant or Gops(), len(players), seed), RecordingObserver()
    match = Match(play, players, limits, game=game, observers=[seen])
    start = monotonic()
    outcome = match.run()
    return HostedMatch(outcome, match, players, seen, monotonic() - start)


def host_gops(text: str, seats: int = 3, limits: Limits = LIMITS, mark: str = "") -> HostedMatch:
    """Host GOPS with a small program on seat 1, a bot of this process on seat 0, and echoes behind.

    Where a program may be late, those behind are of this process, too: none of them ever is.
    """
    players: list[Player] = [BotPlayer(Matching()), program(text, RubyQuiz116(1), mark)]
    for seat in range(2, seats):
        is_patient = limits.move == LIMITS.move and limits.bank == LIMITS.bank
        players.append(
            program(ECHO, RubyQuiz116(seat), mark) if is_patient else BotPlayer(Matching())
        )
    return host(players, limits=limits)


def list_command_lines(mark: str) -> list[str]:
    """Return the command lines of all running processes that were started with this mark.

    But not those of `multiprocessing`'s resource trackers, each of which ends by itself a moment
    after the last process that has its pipe: that it does is seen where the fixture `mark` ends.
    """
    lines = find_processes(mark).values()
    return [line for line in lines if "multiprocessing.resource_tracker" not in line]


def find_processes(mark: str) -> dict[int, str]:
    """Return the ids and command lines of all running processes with this mark.

    One that ends between the looks at its environment and at its command line shows none.
    """
    marked = f"{MARK}={mark}".encode()
    return {
        int(path.name): line.replace(b"\0", b" ").decode(errors="replace")
        for path in Path("/proc").iterdir()
        if path.name.isdigit()
        and int(path.name) != os.getpid()
        and marked in _environ(path).split(b"\0")
        and not _is_starter(path)
        and (line := _text(path / "cmdline"))
    }


def _is_starter(process: Path) -> bool:
    """Return whether a process is the starter of a host that still runs."""
    fields = _text(process / "stat").rpartition(b")")[2].split()
    return _text(process / "comm") == b"arena-starter\n" and fields[1:2] != [b"1"]


def wait_for_end(mark: str) -> dict[int, str]:
    """Wait for all processes with this mark to end; return those that do not."""
    while (found := find_processes(mark)) and not list_lasting(found):
        pass
    return found


def list_lasting(processes: Iterable[int]) -> list[int]:
    """Return the processes that do not end in time."""
    found = []
    for process in processes:
        with suppress(ProcessLookupError):
            ended = os.pidfd_open(process)
            found += [] if select.select([ended], [], [], TIMEOUT)[0] else [process]
            os.close(ended)
    return found


def _environ(process: Path) -> bytes:
    """Return a process's environment, which the kernel hides during execve."""
    until = monotonic() + MOMENT
    while not (found := _text(process / "environ")) and monotonic() < until:
        if not os.path.exists(process / "exe"):  # noqa: PTH110  # of another user it is false, too
            break
        if _text(process / "cmdline"):  # execve is over
            return _text(process / "environ")
    return found


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it has ended, or belongs to another user
        return b""


def environment(mark: str, **more: str) -> Mapping[str, str]:
    """Return an environment with this mark, plain and without colours."""
    return {**os.environ, MARK: mark, "COLUMNS": "200", "NO_COLOR": "1", **more}
