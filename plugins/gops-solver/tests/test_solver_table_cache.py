from __future__ import annotations

import threading
from pathlib import Path

import pytest

from arena import UserError
from arena_gops_solver import TableSpec, solve
from arena_gops_solver.table_cache import find_solution, get_cache_folder, get_table_path
from arena_gops_solver.value_table import TableWriter


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
    with pytest.raises(UserError, match=r"arena gops solve --cards 13 --objective points$"):
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
