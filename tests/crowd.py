"""Many matches at once, of programs that behave well and of others that do not, in sandboxes.

For seconds in the tests; longer by `python -m tests.crowd 600`, which prints its figures.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

from attrs import define, field

from arena.host import Entrant, HostConfig, Limits, Series, entrant, host
from arena.players import Loop
from arena.sandbox import Resources, sandbox
from arena_gops import GAME, Gops
from tests.programs import still_there

AT_ONCE = 100
LIMITS = Limits(move=60.0, start=60.0, grace=1.0)  # who gets a verdict by these is never slow only
RESOURCES = Resources(memory_mb=64, cpu_seconds=0.5, processes=8, disk_mb=4, files=100)
GOOD = "good"
BIDS = """
import os, sys, time
for line in sys.stdin:
    if line.startswith("Competition"):
        {}
        print(line.split()[-1], flush=True)
"""
PROGRAMS = {  # what each does at each bid, and the verdict that it earns
    GOOD: ("pass", None),
    "spins": ("while True: pass", "crashed"),
    "floods": ("while True: os.write(1, b'x' * 65536)", "flooded"),
    "floods_errors": ("for _ in range(99): os.write(2, b'x' * 65536)", None),
    "crashes": ("os.abort()", "crashed"),
    "grows": ("a = bytearray(10 ** 9)", "crashed"),
    "forks": ("while True: os.fork()", "crashed"),
    "fills": ("while True: os.write(os.open('f', os.O_CREAT | os.O_RDWR), b'x' * 10 ** 7)", "crashed"),
    "lingers": ("os.fork() or (os.setsid(), os.fork() or time.sleep(999), os._exit(0))", None),
    "lies": ("print('ten')", "malformed"),
    "leaves": ("sys.exit()", "crashed"),
}  # fmt: skip


@define
class Crowd:
    """What came of it."""

    matches: int = 0
    void: Counter[str] = field(factory=Counter)
    verdicts: Counter[tuple[str, str | None]] = field(factory=Counter)  # by program and kind
    memory: list[int] = field(factory=list)  # bytes resident of this process, from time to time
    left: dict[str, set[str]] = field(factory=dict)  # there at the end, and not at the beginning

    @property
    def unearned(self) -> dict[tuple[str, str | None], int]:
        """Return the verdicts that a program has not earned, or has escaped."""
        return {
            (name, kind): number
            for (name, kind), number in self.verdicts.items()
            if kind != PROGRAMS[name][1]
        }


def crowd(tier: str, seconds: float, at_once: int = AT_ONCE) -> Crowd:
    """Host matches for so long, so many at once; all is over when this returns."""
    found, lock, until = Crowd(), threading.Lock(), monotonic() + seconds
    inside = sandbox(tier, RESOURCES)
    assert inside
    with tempfile.TemporaryDirectory() as folder, working_in(Path(folder, "room")) as room:
        Path(folder).chmod(0o755)
        bots: dict[str, Entrant] = {}
        for name, (text, _) in PROGRAMS.items():
            path = Path(folder, f"{name}.py")
            path.write_text(BIDS.format(text))
            bots[name] = entrant(GAME, f"{name}={sys.executable} -I -S {path}", inside)
        Loop()  # starts the host's clock, which stays
        before = resources(room)

        def play(number: int) -> None:
            draw = random.Random(number)
            while monotonic() < until:
                two = [bots[GOOD], bots[draw.choice([*PROGRAMS])]]
                draw.shuffle(two)
                ((spec, seated),) = Series.seated(GAME, Gops(cards=3), tuple(two), None).matches(1)
                result = host(spec, seated, HostConfig(LIMITS))
                with lock:
                    found.matches += 1
                    if result.problem:
                        found.void[str(result.problem)] += 1
                    else:
                        for name, verdict in zip(spec.names, result.verdicts, strict=True):
                            found.verdicts[name, str(verdict.kind) if verdict else None] += 1
                    if found.matches % at_once == 0:
                        found.memory.append(resident())

        players = [threading.Thread(target=play, args=(number,)) for number in range(at_once)]
        for one in players:
            one.start()
        for one in players:
            one.join()
        found.left = {what: there - before[what] for what, there in resources(room).items()}
        found.left["processes"] = {*map(str, still_there(map(int, found.left["processes"])))}
    return found


def resident() -> int:
    """Return the bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def working_in(room: Path) -> Iterator[Path]:
    """Have matches work in this folder, where nobody else does."""
    room.mkdir(mode=0o711)
    before, tempfile.tempdir = tempfile.tempdir, str(room)
    try:
        yield room
    finally:
        tempfile.tempdir = before


def resources(room: Path) -> dict[str, set[str]]:
    """Return what matches could leave: descriptors, threads, processes, folders."""
    return {
        "descriptors": set(opened()),
        "threads": {str(thread.ident) for thread in threading.enumerate()},
        "processes": {str(process) for process in below(os.getpid())},
        "folders": {path.name for path in room.iterdir()},
    }


def opened() -> Iterator[str]:
    """Give what this process's descriptors lead to."""
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the one that lists them is closed again
            yield str(path.readlink())


def below(process: int) -> list[int]:
    """Return the processes that have come from this one and are there."""
    found, waiting = [], [process]
    while waiting:
        for path in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            children = [int(child) for child in path.read_text().split()]
            found += children
            waiting += children
    return found


if __name__ == "__main__":
    for name in ("namespaces", "landlock"):
        done = crowd(name, float(sys.argv[1]))
        print(f"{name}: {done.matches} matches, void {dict(done.void)}, left {done.left}")  # noqa: T201
        for (who, kind), times in sorted(done.verdicts.items(), key=str):
            print(f"  {who:14} {kind or '-':10} {times}")  # noqa: T201
        sizes = [size >> 20 for size in done.memory]
        print(f"  resident MB: {sizes[:: max(1, len(sizes) // 10)]}; unearned: {done.unearned}")  # noqa: T201
