"""Scripted programs, run for real behind pipes in a match of GOPS, and what became of them."""

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
from arena_gops.bots.simple import Matching

MARK = "ARENA_TEST_MARK"
PYTHON = (sys.executable, "-I", "-S", "-c")
TIMEOUT = 300.0  # seconds for what always comes, however busy the machine is
LIMITS = Limits(move=60.0, start=60.0, grace=30.0)  # nobody who plays as it should is late
DEAF = evolve(LIMITS, grace=1.0)  # for who does not end by itself
HASTY = evolve(DEAF, move=1.0)  # for who is to be late, behind its first answer
GONE = 60.0  # seconds until what was ended is gone, where the machine is very busy
MOMENT = 1000  # looks at who has neither a command line nor an environment
SLACK = 10.0  # seconds that a busy machine may add to any bound

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
"""Bids the first prize's own value and sees the bids; what a test writes behind it is done then."""


HOST_NUMBER = "(lambda parent: parent(parent(os.getpid())))(lambda of: int(open('/proc/%s/stat' % of).read().rpartition(')')[2].split()[1]))"
"""Finds the process that hosts a program: the parent of what has started it."""


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
class Watching(Observer):
    """Keeps what it sees."""

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
class Hosted:
    """A match that was hosted, and how long that took."""

    outcome: Outcome
    match: Match
    players: Sequence[Player]
    seen: Watching
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
) -> Hosted:
    """Host a match of these players."""
    play, seen = Play.deal(variant or Gops(), len(players), seed), Watching()
    match = Match(play, players, limits, game=game, observers=[seen])
    start = monotonic()
    outcome = match.run()
    return Hosted(outcome, match, players, seen, monotonic() - start)


def gops(text: str, seats: int = 3, limits: Limits = LIMITS, mark: str = "") -> Hosted:
    """Have a small program play GOPS on seat 1, a bot in this process before, one more behind it."""
    players: list[Player] = [
        BotPlayer(Matching()),
        *[
            program(text if seat == 1 else ECHO, RubyQuiz116(seat), mark)
            for seat in range(1, seats)
        ],
    ]
    return host(players, limits=limits)


def left(mark: str) -> list[str]:
    """Return the command lines of all processes alive that were started with this mark."""
    return [*alive(mark).values()]


def alive(mark: str) -> dict[int, str]:
    """Return the numbers and command lines of all processes alive with this mark."""
    marked = f"{MARK}={mark}".encode()
    return {
        int(path.name): _text(path / "cmdline").replace(b"\0", b" ").decode()
        for path in Path("/proc").iterdir()
        if path.name.isdigit()
        and int(path.name) != os.getpid()
        and marked in _environ(path).split(b"\0")
        and not _is_starter(path)
    }


def _is_starter(process: Path) -> bool:
    """Whether a process starts the programs of a host that is alive."""
    fields = _text(process / "stat").rpartition(b")")[2].split()
    return _text(process / "comm") == b"arena-starter\n" and fields[1:2] != [b"1"]


def outliving(mark: str) -> dict[int, str]:
    """Wait for all processes with this mark to end; return those that do not, as `alive` does."""
    while (found := alive(mark)) and not still_there(found):
        pass
    return found


def still_there(processes: Iterable[int]) -> list[int]:
    """Return those that do not end, though they are about to."""
    found = []
    for process in processes:
        with suppress(ProcessLookupError):
            ended = os.pidfd_open(process)
            found += [] if select.select([ended], [], [], GONE)[0] else [process]
            os.close(ended)
    return found


def _environ(process: Path) -> bytes:
    """Return its environment, which nobody can see while it is amid an exec."""
    for _ in range(MOMENT):
        if _text(process / "cmdline") or not os.path.exists(  # noqa: PTH110  # of another user it is false, too
            process / "exe"
        ):
            break
    return _text(process / "environ")


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it has ended, or is somebody else's
        return b""


def environment(mark: str, **more: str) -> Mapping[str, str]:
    """Return an environment with this mark, plain and without colours."""
    return {**os.environ, MARK: mark, "COLUMNS": "200", "NO_COLOR": "1", **more}
