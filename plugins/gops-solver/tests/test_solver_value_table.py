"""Solved games in files: written so that nothing is lost, refused where they are none, found where they are kept."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any
from zlib import crc32

import numpy as np
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
    _native,
    solve,
    value_table,
)
from arena_gops_solver import solver as solving_module
from arena_gops_solver.table_cache import find_solution, get_cache_folder, get_table_path
from arena_gops_solver.value_table import (
    MAGIC,
    PAGE,
    LayerSection,
    Numbers,
    TableWriter,
    lock,
    measure_bounds,
    read_header,
)
from tests.support.programs import TIMEOUT

KIND = TableSpec(6)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return solve(KIND, tmp_path / "table").path


class _EnoughError(Exception):  # no error, but a sign
    pass


@pytest.mark.parametrize(
    "kind",
    [
        TableSpec(6, "points"),
        TableSpec(6, "win"),
        TableSpec(6, "win", "float32"),
        TableSpec(6, "win", "int16"),
        TableSpec(6, "win", "int16", lowest=4),
        TableSpec(6, "points", lowest=4),
    ],
)
def test_a_solve_goes_on_where_it_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: TableSpec
) -> None:
    """Interrupted before and after each chunk is written, a solve writes the same bytes."""
    whole = solve(kind, tmp_path / "whole").path.read_bytes()
    add_numbers, moments = TableWriter.add_numbers, iter([False, True] * 1000)

    def add_and_stop(writer: TableWriter, held: int, numbers: Numbers) -> None:
        if next(moments):
            add_numbers(writer, held, numbers)
        raise _EnoughError

    monkeypatch.setattr(solving_module, "CHUNK", 500)
    monkeypatch.setattr(TableWriter, "add_numbers", add_and_stop)
    table = tmp_path / "parts"
    for _ in range(2 * kind.cards):  # some layers have several chunks
        with pytest.raises(_EnoughError):
            solve(kind, table)
    while not read_header(table).is_complete:
        with suppress(_EnoughError):
            solve(kind, table)
    solve(kind, table)
    assert table.read_bytes() == whole
    assert {file.name for file in tmp_path.iterdir()} == {"whole", "parts"}


def test_what_was_half_written_is_written_again(tmp_path: Path) -> None:
    """Bytes that the header does not count yet do not matter."""
    kind = TableSpec(6, "win")
    whole = solve(kind, tmp_path / "whole").path.read_bytes()
    header = read_header(tmp_path / "whole")
    last = header.sections[-1]
    bounds = whole[header.get_layer_start(5) :][: measure_bounds(kind, 5)]
    begun = evolve(last, done=len(bounds), checksum=crc32(bounds))
    page = evolve(header, sections=(*header.sections[:-1], begun)).write_page()
    half = len(whole) - (last.size - len(bounds)) // 2
    (tmp_path / "parts").write_bytes(page + whole[PAGE:half] + bytes(len(whole) - half))
    solve(kind, tmp_path / "parts")
    assert (tmp_path / "parts").read_bytes() == whole


KILLED = """
import sys
from pathlib import Path
from arena_gops_solver import Parallelism, TableSpec, solve, solver
solver.CHUNK = 20000
solve(TableSpec(7, "win", "int16"), Path(sys.argv[1]), Parallelism(1),
      lambda progress: print(progress.share, flush=True))
"""


def test_a_solve_that_is_killed_goes_on(tmp_path: Path) -> None:
    """Killed again and again, it comes to its end, with the same bytes."""
    kind = TableSpec(7, "win", "int16")
    whole = solve(kind, tmp_path / "whole").path.read_bytes()
    command = [sys.executable, "-c", KILLED, str(tmp_path / "parts")]
    while not (tmp_path / "parts").exists() or not read_header(tmp_path / "parts").is_complete:
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.kill()
    assert (tmp_path / "parts").read_bytes() == whole


def test_a_disk_that_is_too_small_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers that are missing are counted before the first is solved."""
    free = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: free)
    with pytest.raises(UserError, match="bytes are needed, and 1,000 are free there"):
        solve(KIND, tmp_path / "table")


def test_a_large_table_is_not_read_as_a_whole_to_open_it(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its checksums are compared by who solves it again, and not by a bot."""
    data = bytearray(table.read_bytes())
    data[PAGE] ^= 1
    table.write_bytes(data)
    monkeypatch.setattr(value_table, "LARGE", PAGE)
    ValueTable.open(table).check()
    with pytest.raises(UserError, match="the layer of 1 cards a hand is damaged"):
        solve(KIND, table)


def test_a_finished_table_is_not_solved_again(table: Path) -> None:
    """To solve into a finished table changes nothing in it."""
    before = table.stat().st_mtime_ns
    solve(KIND, table)
    assert table.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"PK\3\4", "not a table of GOPS"),
        (b"GOPS table 3\n{}", r"format 3 is not supported \(this version reads 2\)$"),
        (b"GOPS table 2\n00000000 {}", "header is damaged"),
        (b"GOPS table 2\n", "header is damaged"),
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


# what was opened when it was interrupted is not closed
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
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


def test_a_file_that_cannot_be_is_refused(table: Path, tmp_path: Path) -> None:
    """One of nowhere, of another game, or without its end, and lanes that there is no build of."""
    nowhere = tmp_path / "nowhere"
    with pytest.raises(UserError, match="nowhere/table: No such file"):
        solve(KIND, nowhere / "table")
    with pytest.raises(UserError, match="No such file"):
        ValueTable.open(nowhere)
    with pytest.raises(UserError, match="lanes: 3"):
        solve(KIND, nowhere, Parallelism(lanes=3))
    with pytest.raises(UserError, match=r"another game \(6 cards, points, float64\)"):
        solve(TableSpec(6, "win"), table)
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
    first = LayerSection(len(data), len(data), crc32(data))
    short = evolve(header, sections=(first, *header.sections[1:]))
    path.write_bytes(short.write_page() + data + path.read_bytes()[header.get_layer_start(2) :])
    with pytest.raises(UserError, match="the layer of 1 cards a hand has the wrong size"):
        ValueTable.open(path).check()


def test_an_unfinished_table_is_refused_until_it_is_finished(tmp_path: Path) -> None:
    """What a report raises stops the solve; the file is no table yet, and can be gone on with."""
    path = tmp_path / "table"

    def stop(progress: SolveProgress) -> None:
        assert 0 <= progress.share <= 1
        assert progress.seconds_left is None or progress.seconds_left >= 0
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


def test_ctrl_c_while_the_thread_starts_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for this thread, but it is told to stop, and its arrays stay until then."""
    start, threads, calls = threading.Thread.start, list[threading.Thread](), list[Any]()

    def start_and_interrupt(thread: threading.Thread) -> None:
        start(thread)
        threads.append(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", start_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        _native._run(lambda *words: calls.append(words), lambda _: None,
                     _native._pass(np.arange(3), np.int64))  # fmt: skip
    threads[0].join(TIMEOUT)
    ((array, progress),) = calls
    assert array.numbers.tolist() == [0, 1, 2]
    assert progress._obj.stop


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


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_a_small_game_is_solved_into_the_cache() -> None:
    """It is solved once, and then found: the file does not change, and the table is the same."""
    first = find_solution("points", 4)
    written = get_table_path(TableSpec(4)).stat().st_mtime_ns
    assert find_solution("points", 4).table is first.table
    assert get_table_path(TableSpec(4)).stat().st_mtime_ns == written


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_table_for_more_cards_does_as_well(precision: str) -> None:
    """A position of fewer cards is one of its positions, too, whatever the precision."""
    get_cache_folder().mkdir()
    solve(TableSpec(6, "win", precision), get_table_path(TableSpec(6, "win", precision)))
    assert find_solution("win", 4).table.kind == TableSpec(6, "win", precision)


def test_what_is_not_finished_is_not_taken() -> None:
    """A larger table that is still being solved is passed by."""
    get_cache_folder().mkdir()
    get_table_path(TableSpec(7)).touch()
    assert not TableWriter.start(get_table_path(TableSpec(7)), TableSpec(7)).header.is_complete
    assert find_solution("points", 5).table.kind == TableSpec(5)


def test_what_is_no_table_is_not_taken() -> None:
    """A file of an older format, or a damaged one, is passed by, and solved anew if it is small."""
    get_cache_folder().mkdir()
    for cards in (4, 6):
        get_table_path(TableSpec(cards)).write_text("GOPS table 0\n")
    assert find_solution("points", 4).table.kind == TableSpec(4)


def test_a_large_game_is_refused_with_the_command_that_solves_it() -> None:
    """The refusal is one line, for either objective."""
    with pytest.raises(UserError, match=r"arena gops solve --cards 13$"):
        find_solution("points", 13)
    with pytest.raises(UserError, match=r"arena gops solve --cards 10 --objective win$"):
        find_solution("win", 10)
    with pytest.raises(
        UserError, match=r"is not solved; at most 13 cards can be solved in an hour$"
    ):
        find_solution("win", 14)


def test_a_named_table_has_to_be_the_right_one(tmp_path: Path) -> None:
    """Its objective and its size are looked at, and so is whether it is there."""
    path = solve(TableSpec(5), tmp_path / "five").path
    assert find_solution("points", 5, path).table.path == path
    with pytest.raises(UserError, match="five: solved for points, not for win"):
        find_solution("win", 5, path)
    with pytest.raises(UserError, match="five: solved for 5 cards, not for 6"):
        find_solution("points", 6, path)
    with pytest.raises(UserError, match="none: No such file"):
        find_solution("points", 5, tmp_path / "none")


def test_a_table_of_another_game_is_not_taken() -> None:
    """Whatever its file is called."""
    get_cache_folder().mkdir()
    solve(TableSpec(4), get_table_path(TableSpec(4, "win")))
    solve(TableSpec(5), get_table_path(TableSpec(8)))
    assert find_solution("win", 4).table.kind == TableSpec(4, "win")
    assert find_solution("points", 7).table.kind == TableSpec(7)


def test_a_cache_that_cannot_be_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file where its folder should be, a folder where a table should be: each in one line."""
    (home / "file").touch()
    for wrong in (home / "file", Path("/dev/null"), Path("/proc")):
        monkeypatch.setenv("XDG_CACHE_HOME", str(wrong))
        with pytest.raises(UserError, match=f"^{wrong}/arena: (Not a directory|No such file)"):
            find_solution("points", 4)
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    get_table_path(TableSpec(4)).mkdir(parents=True)
    with pytest.raises(UserError, match=r"gops-points-4.table: Is a directory"):
        find_solution("points", 4)


def test_a_solve_that_was_killed_leaves_no_mess() -> None:
    """What it left is gone on with; there is the table, and the lock that all wait at."""
    get_cache_folder().mkdir()
    get_table_path(TableSpec(5)).touch()
    TableWriter.start(get_table_path(TableSpec(5)), TableSpec(5))
    assert find_solution("points", 5).table.kind == TableSpec(5)
    assert sorted(path.name for path in get_cache_folder().iterdir()) == [
        "gops-points-5.table",
        "solving.lock",
    ]


def test_several_may_want_the_same_game_at_once() -> None:
    """Each gets a whole table."""
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(find_solution("points", 7).table.kind.cards))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [7] * 4
