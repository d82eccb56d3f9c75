from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import FrameType
from zlib import crc32

import pytest
from attrs import evolve

from arena import UserError
from arena_gops_solver import (
    Parallelism,
    SolvedGame,
    SolveProgress,
    SolverPosition,
    TableSpec,
    ValueTable,
    solve,
)
from arena_gops_solver import solver as solving_module
from arena_gops_solver.value_table import MAGIC, PAGE, LayerSection, lock, read_header
from tests.support.programs import TIMEOUT

KIND = TableSpec(6)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return solve(KIND, tmp_path / "table").path


class _EnoughError(Exception):  # no error, but a sign
    pass


@pytest.mark.parametrize("objective", ["points", "win"])
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_solve_goes_on_where_it_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, objective: str, precision: str
) -> None:
    """Interrupted after each layer and begun again, a solve writes the same bytes."""
    kind = TableSpec(6, objective, precision)
    whole = solve(kind, tmp_path / "whole").path.read_bytes()
    fill = solving_module.fill

    def fill_and_stop(*task: object) -> None:
        fill(*task)  # type: ignore[arg-type]
        if task[1] == len(read_header(tmp_path / "parts").sections) + 1 and task[1] not in seen:
            seen.add(task[1])
            raise _EnoughError

    seen: set[object] = set()
    monkeypatch.setattr(solving_module, "fill", fill_and_stop)
    for _ in range(1, kind.cards):
        with pytest.raises(_EnoughError):
            solve(kind, tmp_path / "parts")
    solve(kind, tmp_path / "parts")
    assert (tmp_path / "parts").read_bytes() == whole


def test_a_finished_table_is_not_solved_again(table: Path) -> None:
    """To solve into a finished table changes nothing in it."""
    before = table.stat().st_mtime_ns
    solve(KIND, table)
    assert table.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"PK\3\4", "not a table of GOPS"),
        (b"GOPS table 2\n{}", "not a table of GOPS, or one of another format"),
        (b"GOPS table 1\n00000000 {}", "header is damaged"),
        (b"GOPS table 1\n", "header is damaged"),
    ],
)
def test_a_foreign_file_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    """What is no table is neither opened nor written over."""
    path = tmp_path / "table"
    path.write_bytes(content)
    for use in (ValueTable.open, lambda path: solve(KIND, path)):
        with pytest.raises(UserError, match=why):
            use(path)
    assert path.read_bytes() == content


def test_two_do_not_solve_into_one_file(tmp_path: Path) -> None:
    """The second is told that the first is at it."""
    path = tmp_path / "table"
    with path.open("ab") as file:
        lock(file)
        with pytest.raises(UserError, match="another process is solving it"):
            solve(KIND, path)
    assert solve(KIND, path).kind == KIND


@pytest.mark.filterwarnings(
    "ignore:unclosed file:ResourceWarning"
)  # opened when it was interrupted
def test_an_interrupt_at_any_moment_leaves_no_file_locked(tmp_path: Path) -> None:
    """The next solve finds the file free, also while the traceback of the interrupt is kept."""
    path = tmp_path / "table"
    solve(KIND, path)
    for moment in count():
        interrupt = interrupt_at(moment, lambda: solve(KIND, path))
        solve(KIND, path)
        if not interrupt:
            break
    assert moment > 100


def interrupt_at(moment: int, work: Callable[[], object]) -> KeyboardInterrupt | None:
    """Interrupt some work at its nth call or return; return the interrupt, unless it is done."""
    events = count()

    def watch(_: FrameType, event: str, __: object) -> None:
        if event in {"call", "return"} and next(events) == moment:
            raise KeyboardInterrupt

    sys.setprofile(watch)
    try:
        work()
    except KeyboardInterrupt as interrupt:
        return interrupt
    finally:
        sys.setprofile(None)
    return None


def test_a_file_that_cannot_be_is_refused(tmp_path: Path) -> None:
    """A folder that is not there is named."""
    with pytest.raises(UserError, match="nowhere/table: No such file"):
        solve(KIND, tmp_path / "nowhere" / "table")


def test_a_short_file_is_refused(table: Path) -> None:
    """A table that lost its end is refused."""
    table.write_bytes(table.read_bytes()[:-1])
    with pytest.raises(UserError, match="too short"):
        ValueTable.open(table)


def test_a_damaged_layer_is_refused_when_it_is_used(table: Path) -> None:
    """A changed byte is found when its layer is first read."""
    data = bytearray(table.read_bytes())
    data[PAGE] ^= 1
    table.write_bytes(data)
    opened = SolvedGame(ValueTable.open(table))
    assert opened.compute_value(SolverPosition([1, 2], [3, 4], [5, 6])) < 0
    with pytest.raises(UserError, match="the layer of 1 cards a hand is damaged"):
        opened.compute_value(SolverPosition([1], [2], [3]))


@pytest.mark.parametrize("held", [1, 4])
def test_a_damaged_layer_is_not_gone_on_from(tmp_path: Path, held: int) -> None:
    """To solve again into a file with a damaged layer is refused, whichever layer it is."""
    path = solve(KIND, tmp_path / "table").path
    data = bytearray(path.read_bytes())
    data[read_header(path).get_layer_start(held)] ^= 1
    path.write_bytes(data)
    with pytest.raises(UserError, match=f"the layer of {held} cards a hand is damaged; delete it"):
        solve(KIND, path)


@pytest.mark.parametrize(
    "text",
    [
        b"[]",
        b"no JSON",
        b'{"kind": {"cards": 99, "objective": "points", "precision": "float64"}, "sections": []}',
        b'{"kind": {"cards": 4, "objective": "points", "precision": "float64"}, "sections": [1]}',
        b'{"kind": {"cards": 4, "objective": "points"}, "sections": [{"size": -8, "checksum": 0}]}',
    ],
)
def test_a_header_that_cannot_be_is_refused(tmp_path: Path, text: bytes) -> None:
    """Even where its checksum is right."""
    (tmp_path / "table").write_bytes(MAGIC + f"{crc32(text):08x} ".encode() + text)
    with pytest.raises(UserError, match="its header is not valid; delete it"):
        ValueTable.open(tmp_path / "table")


@pytest.mark.parametrize("objective", ["points", "win"])
def test_a_layer_of_another_size_is_refused(tmp_path: Path, objective: str) -> None:
    """Where the header says so, and the checksum fits it."""
    path = solve(TableSpec(4, objective), tmp_path / "table").path
    header = read_header(path)
    data = path.read_bytes()[header.get_layer_start(1) :][: header.sections[0].size - 8]
    short = evolve(header, sections=(LayerSection(len(data), crc32(data)), *header.sections[1:]))
    path.write_bytes(short.write_page() + data + path.read_bytes()[header.get_layer_start(2) :])
    with pytest.raises(UserError, match="the layer of 1 cards a hand has the wrong size"):
        ValueTable.open(path).check()


def test_a_table_of_another_game_is_refused(table: Path) -> None:
    """To solve another game into the same file is refused, and says what is there."""
    with pytest.raises(UserError, match=r"another game \(6 cards, points, float64\)"):
        solve(TableSpec(6, "win"), table)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """A file that is not there is refused in words."""
    with pytest.raises(UserError, match="No such file"):
        ValueTable.open(tmp_path / "nothing")


def test_lanes_that_cannot_be_are_refused(tmp_path: Path) -> None:
    """A number of lanes that there is no build of is refused."""
    with pytest.raises(UserError, match="lanes: 3"):
        solve(KIND, tmp_path / "table", Parallelism(lanes=3))


def test_an_unfinished_table_is_refused_until_it_is_finished(tmp_path: Path) -> None:
    """What a report raises stops the solve; the file is no table yet, and can be gone on with."""
    path = tmp_path / "table"

    def stop(progress: SolveProgress) -> None:
        assert 0 <= progress.share <= 1
        assert progress.seconds_left >= 0
        raise _EnoughError

    with pytest.raises(_EnoughError):
        solve(TableSpec(11), path, Parallelism(threads=1, lanes=2), stop)
    with pytest.raises(UserError, match="not finished"):
        ValueTable.open(path)


SOLVE = """
import os, signal, sys, time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from arena_gops_solver import TableSpec, solve
pressed = []
def note(number, frame):
    pressed.append(time.process_time())
    raise KeyboardInterrupt
signal.signal(signal.SIGINT, note)
try:
    solve(TableSpec(13), Path(sys.argv[1]), report=lambda progress: print(progress, flush=True))
except KeyboardInterrupt:
    sys.exit(9 if time.process_time() - pressed[0] < len(os.sched_getaffinity(0)) else 1)
"""


def test_ctrl_c_stops_the_threads_within_a_second(tmp_path: Path) -> None:
    """On SIGINT each thread works on for a second at most; finished layers stay."""
    path = tmp_path / "table"
    command = [sys.executable, "-c", SOLVE, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=TIMEOUT) == 9
    assert not read_header(path).is_complete
