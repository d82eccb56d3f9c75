"""The benchmarks of the GOPS solver give all their figures, here of the smallest games."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from attrs import evolve
from click.testing import CliRunner

from arena_gops_solver import Parallelism, SolvedGame, TableSpec, solve
from arena_web.http.security import MAX_REQUESTS_PER_ADDRESS
from benchmarks import in_process, insights, starting, web
from benchmarks.gops import results
from benchmarks.gops.checks import check_layer
from benchmarks.gops.methods import METHODS
from benchmarks.gops.play import compute_differences, time_moves
from benchmarks.gops.solver import measure_solve, render_tables, run_in_process
from benchmarks.tuning import planted
from benchmarks.web_streams import measure_crowds
from benchmarks.web_watched import measure_watching

SMALLEST = Parallelism(threads=1, lanes=2)
RECURSION = METHODS[0]


def test_a_solve_has_all_its_figures() -> None:
    """Three cards keep 12 values of 21 stages, in a page of the file and 8 bytes each."""
    figures = run_in_process(measure_solve, TableSpec(3), SMALLEST)
    assert (figures.values, figures.stages, figures.size) == (12, 21, 4096 + 12 * 8)
    assert figures.seconds > 0
    assert figures.peak > figures.size


@pytest.mark.release
def test_the_tables_have_a_row_for_each_game() -> None:
    """Each game that is solved has a row, each that another method solves has one, and they agree."""
    method = evolve(RECURSION, plan={"win": (3,)})
    lines = [*render_tables({"points": (2,), "win": (3,)}, [method], SMALLEST)]
    rows = [line.strip("| ").split(" | ") for line in "\n".join(lines).splitlines()]
    games = [row[0] for row in rows if len(row) == 7][2:]
    others = [row for row in rows if len(row) == 6][2:]
    assert games == ["points, 2 cards", "win, 3 cards"]
    assert [row[1] for row in others] == ["win, 3 cards"]
    assert all(float(row[-1]) < 1e-9 for row in others)


def test_a_method_says_which_packages_it_misses() -> None:
    """Packages that are installed are not among them."""
    assert evolve(RECURSION, needs=("numpy", "no_such_package")).missing == ["no_such_package"]


def test_every_move_of_a_game_is_timed(tmp_path: Path) -> None:
    """Two games of three cards have six moves, with three cards held to one."""
    solve(TableSpec(3), tmp_path / "table", SMALLEST)
    times = time_moves(3, tmp_path / "table", count=4)
    assert [held for held, _ in times] == [3, 2, 1, 3, 2, 1]
    assert all(seconds > 0 for _, seconds in times)


@pytest.mark.release
def test_exploring_leaves_the_plateau() -> None:
    """Each share of the budget is measured on it; without exploring, no run gets anywhere."""
    methods = [method for method in planted.list_methods() if method.startswith("arena tune")]
    without, default = (planted.measure((method, "plateau", 3, 2_000)) for method in methods)
    assert without == pytest.approx(planted.DEFAULT_CHANCE, abs=0.01)
    assert default > 0.5


def test_a_table_of_16_bits_passes_its_checks(tmp_path: Path) -> None:
    """Where the stage and the value are both rounded, their errors add up."""
    table = solve(TableSpec(5, "win", "int16"), tmp_path / "table", SMALLEST)
    for held in table.kind.layers:
        errors = check_layer(SolvedGame(table), held, 5, Random(1))
        assert errors.mirrored == errors.falls == 0
        assert errors.stages < 2 * 1.6e-5
        assert errors.response < 2 * 1.6e-5 * held


@pytest.mark.release
def test_the_page_of_results_is_written_with_its_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the published weight of the top card, and shows each picture that is drawn."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    words = ["--cards", "5", "--games", "3", "--docs", str(tmp_path)]
    CliRunner().invoke(results.main, words, catch_exceptions=False)
    page = (tmp_path / "explanation" / "gops-results.md").read_text("utf-8")
    assert "| 0.840 | 3.0 |" in page
    pictures = {file.name for file in (tmp_path / "_static").iterdir()}
    assert {*re.findall(r"/([\w-]+\.svg)\)", page)} == pictures


@pytest.mark.parametrize("objective", ["points", "win"])
def test_single_precision_is_off_by_little_and_by_something(tmp_path: Path, objective: str) -> None:
    """For five cards some value differs from the double one, and none by more than 1e-6."""
    double = solve(TableSpec(5, objective), tmp_path / "double", SMALLEST)
    single = solve(TableSpec(5, objective, "float32"), tmp_path / "single", SMALLEST)
    layers = [*compute_differences(double, single)]
    assert len(layers) == 4
    assert 0 < max(layers) < 1e-6


@pytest.mark.release
def test_the_whole_command_is_measured_beside_the_matches_alone() -> None:
    """GOPS in one process has three figures; that of the command includes its start."""
    figures = in_process.measure(games=20)
    assert len(figures) == 3
    assert all(figure.value > 0 for figure in figures)


@pytest.mark.release
def test_every_start_is_measured_beside_a_bare_interpreter() -> None:
    """Each command has a ratio."""
    figures = starting.measure()
    assert len(figures) == len(starting.CALLS)
    assert all(figure.value > 0 for figure in figures)


@pytest.mark.release
def test_every_kind_of_page_is_measured_beside_a_bare_one(tmp_path: Path) -> None:
    """Pages, their 304, lists, and replays of two games are measured."""
    web.prepare(tmp_path, matches=100, replays=3)
    found = {ratio.name: ratio.value for ratio in web.measure(tmp_path, calls=1, replays=3)}
    assert len(found) == 18
    assert all(value > 0 for value in found.values())
    assert sum("304" in name for name in found) == 4


@pytest.mark.release
def test_followers_and_watched_matches_are_measured() -> None:
    """Each crowd has five figures, and all frames arrive, also beside clients that never read.

    There are more of these than a server answers at once for one address.
    """
    deaf = MAX_REQUESTS_PER_ADDRESS + 1
    found = [ratio.value for ratio in measure_crowds(readers=2, deaf=deaf, many=3, seconds=0.1)]
    assert len(found) == 15
    assert found[2] == found[7] == found[12] == 1
    assert all(ratio.value > 0 for ratio in measure_watching(deals=2))


@pytest.mark.release
def test_playing_styles_have_all_their_figures(tmp_path: Path) -> None:
    """A tournament of a few matches is enough to reckon with."""
    database = insights.play_tournament("gops", 6, ["easy", "match"], tmp_path)
    figures = insights.measure("gops", database)
    assert len(figures) == 3
    assert all(figure.value > 0 for figure in figures)
