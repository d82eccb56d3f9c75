"""Killing a program again and again while it keeps results, and looking at what is kept.

`python -m tests.support.tournaments.kills 200` does so with a tournament of the arena, two hundred times,
and prints what was found.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic
from uuid import uuid4

from attrs import define, field

from arena.tournament import Summary
from arena.tournament.store import Store
from tests.support.command import ARENA, RunningCommand, start_arena
from tests.support.examples import EXAMPLES
from tests.support.programs import environment, wait_for_end

LINES = 8  # said at most before the kill
LATE = 0.15  # seconds at most between the last line and the kill
PIPE_BYTES = 4096  # so few that it does not come to its end while nobody reads what it says
EARLY = 0.9  # seconds at most, where it is killed before it has said anything


@define
class Toll:
    """What was seen of many runs that were killed."""

    kills: int = 0
    acknowledged: list[str] = field(factory=list)  # the keys said to be kept, in order
    left: list[str] = field(factory=list)  # processes that outlived their host
    finished: bool = False


def run_with_kills(command: Sequence[str], folder: Path, times: int, draw: Random) -> Toll:
    """Run a command until it ends, killing it this many times before, each at a drawn moment.

    It says a line for each result that it has kept; the moment is a number of lines, and
    some time behind that.
    """
    toll = Toll()
    while toll.kills < times and not toll.finished:
        mark = uuid4().hex
        with _start(command, folder, environment(mark)) as run:
            lines = draw.randint(0, LINES)
            wait = draw.uniform(0, LATE if lines else EARLY)
            said = list(_heard(run, lines, wait))
            toll.finished = run.process.poll() is not None
            run.process.kill()
            said += run.stdout.read().splitlines()
        toll.kills += not toll.finished
        toll.acknowledged += [line for line in said if line]
        toll.left += wait_for_end(mark).values()
    return toll


@contextmanager
def _start(
    command: Sequence[str], folder: Path, variables: Mapping[str, str]
) -> Iterator[RunningCommand]:
    """Run a program for a block, `arena` in a fork: then it does not import for a second."""
    if command[0] == ARENA:
        with start_arena(command[1:], folder, variables, pipe_bytes=PIPE_BYTES) as run:
            yield run
        return
    with subprocess.Popen(
        command, cwd=folder, env=variables, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, pipesize=PIPE_BYTES,
    ) as process:  # fmt: skip
        assert process.stdout
        assert process.stderr
        yield RunningCommand(process, process.stdout, process.stderr)


def _heard(run: RunningCommand, lines: int, wait: float) -> Iterator[str]:
    """Return what it says, up to so many lines and so long behind the last of them."""
    for _ in range(lines):
        line = run.stdout.readline()
        if not line:
            return
        yield line.rstrip("\n")
    with suppress(subprocess.TimeoutExpired, TimeoutError):
        run.process.wait(wait)


TOURNAMENT = """
game = "bs"
format = "king-of-the-hill"
table = 3
matches = {matches}
seed = "7"
check = false
workers = 2
transcripts = "all"
[[entrant]]
bot = "counter"
[[entrant]]
bot = "liar"
[[entrant]]
bot = "caller"
[[entrant]]
bot = {program}
"""
"""Bots that keep nothing and are decided by their seed, one of them a program that starts fast."""


def tournament(folder: Path, matches: int) -> list[str]:
    """Write a tournament into a folder; return the command that runs it and says what it keeps."""
    program = json.dumps(str(EXAMPLES / "bots/bs-python"))
    (folder / "tournament.toml").write_text(TOURNAMENT.format(matches=matches, program=program))
    return [ARENA, "tournament", "run", "tournament.toml", "--json"]


def keys(line: str) -> str:
    """Return the key of a match that a run has acknowledged."""
    key: str = json.loads(line)["match"]
    return key


def standings(folder: Path) -> list[dict[str, object]]:
    """Return a tournament's standings."""
    with Store.open(folder / "tournament.db", write=False) as store:
        return [standing.pack() for standing in Summary.of(store).standings]


def main(times: int) -> None:
    """Kill a tournament so often, and say what became of it."""
    with TemporaryDirectory() as first, TemporaryDirectory() as second:
        folder, whole = Path(first), Path(second)
        began = monotonic()
        toll = run_with_kills(tournament(folder, 8 * times), folder, times, Random(1))
        for place in (folder, whole):
            subprocess.run(tournament(place, 8 * times), cwd=place, check=True, capture_output=True)
        said, kept = [keys(line) for line in toll.acknowledged], list_match_keys(folder)
        print(f"{toll.kills} kills in {monotonic() - began:.0f} s")  # noqa: T201
        print(f"{len(said)} matches acknowledged, lost {len(set(said) - set(kept))},")  # noqa: T201
        print(f"kept {len(kept)}, of these twice {len(kept) - len(set(kept))};")  # noqa: T201
        print(f"processes left: {len(toll.left)};")  # noqa: T201
        print(f"standings as without a kill: {standings(folder) == standings(whole)}")  # noqa: T201


def list_match_keys(folder: Path) -> list[str]:
    """Return the keys of all matches that a tournament in a folder has kept."""
    from arena.tournament.store import Store

    with Store.open(folder / "tournament.db", write=False) as store:
        return [match.match for match in store.matches.find_matches()]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
