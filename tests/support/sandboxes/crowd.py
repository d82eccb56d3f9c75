"""Many matches at once, of programs that behave well and of others that do not, in sandboxes."""

from __future__ import annotations

import os
import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from time import monotonic

from attrs import define, evolve, field, frozen

from arena.host import Entrant, HostConfig, Limits, Result, Series, host, parse_entrant
from arena.players import PollLoop
from arena.sandbox import Resources, Sandbox
from arena.sandbox.kernel.cgroup import HOST_GROUP, PROGRAM_GROUP
from arena.sandbox.processes.process_tree import iter_descendants
from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT
from arena_gops import GAME, Gops
from tests.support.programs import TIMEOUT

AT_ONCE = 100
LIMITS = Limits(move=300.0, start=300.0, grace=1.0)  # nobody is late only because it is slow
RESOURCES = Resources(memory_mb=64, processes=8, disk_mb=4, files=100)
CPU_SECONDS = 0.5  # of a program that does nothing but use the processor
GOOD, SPINS = "good", "spins"
CARDS = 3
POLL_SECONDS = 0.01  # between two looks at what is left
BIDS = """
import os, sys, time
for line in sys.stdin:
    if line.startswith("Competition"):
        {}
        print(line.split()[-1], flush=True)
"""
PROGRAMS = {  # what each does at each bid, and the verdict that it earns
    GOOD: ("pass", None),
    SPINS: ("while True: pass", "crashed"),
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


@frozen
class Member:
    """A program of a crowd, and which verdicts it may earn."""

    entrant: Entrant
    earns: frozenset[str | None]
    harmless: bool = False  #: does it mean well, so that everybody may meet it?
    limits: Limits | None = None  #: where it is to be late: then it meets nobody else who could be


@define
class Crowd:
    """What came of it."""

    matches: int = 0
    void: Counter[str] = field(factory=Counter)
    verdicts: Counter[tuple[str, str | None]] = field(factory=Counter)  # by program and kind
    unearned: Counter[str] = field(factory=Counter)  # verdicts that a program has not earned
    escapes: Counter[str] = field(factory=Counter)  # what attackers say that they got
    memory: list[int] = field(factory=list)  # bytes resident of this process, from time to time
    left: dict[str, list[str]] = field(factory=dict)  # there at the end, and not at the beginning

    @property
    def wrong(self) -> int:
        """How much was wrong."""
        counted = self.void.total() + self.unearned.total() + self.escapes.total()
        return counted + sum(map(len, self.left.values()))

    def add(self, result: Result, cast: Mapping[str, Member]) -> None:
        """Count a match."""
        self.matches += 1
        if result.problem:
            self.void[str(result.problem)] += 1
            return
        for name, verdict, said in zip(
            result.spec.names, result.verdicts, result.errors, strict=True
        ):
            if name in cast:
                kind = verdict.kind.value if verdict else None
                self.verdicts[name, kind] += 1
                if kind not in cast[name].earns:
                    self.unearned[f"{name}: {kind}: {verdict.detail if verdict else said}"] += 1
                for line in said.splitlines():
                    self.escapes[f"{name}: {line}"] += "GOT" in line


def simple_cast(tier: str, folder: Path) -> dict[str, Member]:
    """Write the programs of this module into a folder; return them as members of a crowd."""
    cast = {}
    for name, (text, kind) in PROGRAMS.items():
        path = folder / f"{name}.py"
        path.write_text(BIDS.format(text))
        words = f"{name}={sys.executable} -I -S {path}"
        cpu_seconds = CPU_SECONDS if name == SPINS else None  # a start may take as long
        resources = evolve(RESOURCES, cpu_seconds=cpu_seconds)
        made = parse_entrant(GAME, words, Sandbox(tier, resources))
        cast[name] = Member(made, frozenset({kind}), harmless=name == GOOD)
    return cast


def crowd(cast: Mapping[str, Member], room: Path, seconds: float, at_once: int = AT_ONCE) -> Crowd:
    """Host matches for so long, so many at once; all is over when this returns.

    Args:
        cast: who plays; each match has at least one of those who mean well.
        room: the folder in which matches work, and nobody else does.
        seconds: until no match is begun any more.
        at_once: how many matches there are at any time.
    """
    found, lock, until = Crowd(), threading.Lock(), monotonic() + seconds
    bystander = parse_entrant(GAME, "match")
    harmless = [member.entrant for member in cast.values() if member.harmless]
    PollLoop()  # starts the host's clock, which stays
    SUPERVISOR_CLIENT.find_shortcomings()  # starts the supervisor, which stays
    SUPERVISOR_CLIENT.end_idle()
    before = list_resources(room)

    def play(number: int) -> None:
        draw = random.Random(number)
        begun = False
        while not begun or monotonic() < until:
            begun = True
            member = cast[draw.choice([*cast])]
            result = _play(member, bystander if member.limits else draw.choice(harmless), draw)
            with lock:
                found.add(result, cast)
                if found.matches % at_once == 0:
                    found.memory.append(measure_memory_bytes(os.getpid()))

    players = [threading.Thread(target=play, args=(number,)) for number in range(at_once)]
    for player in players:
        player.start()
    for player in players:
        player.join()
    SUPERVISOR_CLIENT.end_idle()
    found.left = find_leftovers(room, before)
    return found


def find_leftovers(room: Path, before: Mapping[str, set[str]]) -> dict[str, list[str]]:
    """Return what is there and was not before; wait for what is being removed.

    On a busy machine the supervisor comes late to the launchers that have ended.
    """
    until = monotonic() + TIMEOUT
    while True:
        now = list_resources(room)
        left = {resource: sorted(there - before[resource]) for resource, there in now.items()}
        if not any(left.values()) or monotonic() > until:
            return left
        Event().wait(POLL_SECONDS)


def _play(member: Member, other: Entrant, draw: random.Random) -> Result:
    """Host a match of two, in any order."""
    two = [other, member.entrant]
    draw.shuffle(two)
    ((spec, seated),) = Series.create(GAME, Gops(CARDS), tuple(two), None).iter_matches(1)
    return host(spec, seated, HostConfig(member.limits or LIMITS))


def measure_memory_bytes(process: int) -> int:
    """Return the bytes of memory that a process has."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def working_in(room: Path) -> Iterator[Path]:
    """Have matches work in this folder, where nobody else does."""
    room.mkdir(mode=0o711)
    before, tempfile.tempdir = tempfile.tempdir, str(room)
    try:
        yield room
    finally:
        tempfile.tempdir = before


def list_resources(room: Path) -> dict[str, set[str]]:
    """Return all that matches could leave, of this process and of its supervisor.

    A program's user is taken by a descriptor of its keeper, so it goes with that.
    """
    supervisor = SUPERVISOR_CLIENT._process
    assert supervisor
    return {
        "descriptors": {*list_open_files(os.getpid())},
        "descriptors of the supervisor": {*list_open_files(supervisor.pid)},
        "threads": {str(thread.ident) for thread in threading.enumerate()},
        "processes": {str(process) for process, _ in iter_descendants(os.getpid())},
        "folders": {path.name for path in room.iterdir()},
        "mounts": {*list_mounts(os.getpid(), room), *list_mounts(supervisor.pid, room)},
        "control groups": {*list_control_groups(supervisor.pid)},
    }


def list_open_files(process: int) -> Iterator[str]:
    """Give what the descriptors of a process lead to.

    Nothing of a supervisor that is root in a user namespace: only root may look.
    """
    with suppress(PermissionError):
        for path in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):  # the one that lists them is closed again
                yield str(path.readlink())


def list_mounts(process: int, room: Path) -> Iterator[str]:
    """Give what is mounted in a folder for a process, a line each."""
    for line in Path(f"/proc/{process}/mountinfo").read_text().splitlines():
        if str(room) in line:
            yield line


def list_control_groups(process: int) -> Iterator[str]:
    """Give the names of the groups beside that of a supervisor whose keepers have ended."""
    for line in Path(f"/proc/{process}/cgroup").read_text().splitlines():
        path = Path("/sys/fs/cgroup" + line.removeprefix("0::").removesuffix(f"/{HOST_GROUP}"))
        if line.startswith("0::") and path.is_dir():
            for found in path.glob(f"{PROGRAM_GROUP}*"):
                if not Path("/proc", found.name.removeprefix(PROGRAM_GROUP)).exists():
                    yield found.name
