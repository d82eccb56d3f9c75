"""The benchmarks give all their figures, here of the smallest games, and name what is dearer."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from arena_gops_solver import Parallelism, SolvedGame, TableSpec, solve
from arena_web.http.security import MAX_REQUESTS_PER_ADDRESS
from benchmarks import hosting, in_process, starting, table_duels, tuning, web
from benchmarks.figures import Comparison, format_figures, load_figures
from benchmarks.gops import results
from benchmarks.gops.checks import check_layer
from benchmarks.gops.solver import measure_solve, render_table, run_in_process
from benchmarks.web_streams import measure_crowds

SMALLEST = Parallelism(threads=1, lanes=2)


def test_a_solve_has_all_its_figures() -> None:
    """Three cards keep 12 values of 21 stages, in a page of the file and 8 bytes each."""
    figures = run_in_process(measure_solve, TableSpec(3), SMALLEST)
    assert (figures.values, figures.stages, figures.size) == (12, 21, 4096 + 12 * 8)
    assert figures.seconds > 0
    assert figures.peak > figures.size


@pytest.mark.release
def test_the_table_has_a_row_for_each_game() -> None:
    """Each game that is solved has a row."""
    lines = [*render_table({"points": (2,), "win": (3,)}, SMALLEST)]
    rows = [line.strip("| ").split(" | ") for line in "\n".join(lines).splitlines()]
    assert [row[0] for row in rows if len(row) == 7][2:] == ["points, 2 cards", "win, 3 cards"]


@pytest.mark.release
def test_exploring_leaves_the_plateau() -> None:
    """Each share of the budget is measured on it; without exploring, no run gets anywhere."""
    without, default = (tuning.measure(("plateau", 3, 2_000, share)) for share in tuning.SHARES)
    assert without == pytest.approx(tuning.DEFAULT_CHANCE, abs=0.01)
    assert default > 0.5


@pytest.mark.release
def test_the_stronger_bot_at_a_larger_table_is_accepted() -> None:
    """One seat against three; the weaker one is not."""
    for bots, decision in ((["counter", "random"], "H1"), (["random", "counter"], "H0")):
        done = CliRunner().invoke(table_duels.main, ["bs", *bots, "4"])
        assert done.output.splitlines()[-1].endswith(f"at a table of 4: {decision}")


def test_a_table_of_16_bits_passes_its_checks(tmp_path: Path) -> None:
    """Where the stage and the value are both rounded, their errors add up."""
    table = solve(TableSpec(4, "win", "int16"), tmp_path / "table", SMALLEST)
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


@pytest.mark.release
def test_games_in_process_are_measured_beside_bare_ones() -> None:
    """GOPS has three figures, that of the command with its start; Kuhn poker and BS have one."""
    figures = in_process.measure(games=20)
    assert len(figures) == 5
    assert all(figure.value > 0 for figure in figures)


@pytest.mark.release
def test_every_start_is_measured_beside_a_bare_interpreter(tmp_path: Path) -> None:
    """Each command has a ratio."""
    figures = starting.prepare(tmp_path)()
    assert len(figures) == len(starting.CALLS) + len(starting.REFUSALS)
    assert all(figure.value > 0 for figure in figures)


def test_what_is_dearer_by_more_than_a_third_is_named() -> None:
    """What is cheaper, a third dearer at most, new, or not measured here is not named."""
    comparison = Comparison(
        {"same": 3.0, "a third": 3.0, "dearer": 3.0, "cheaper": 3.0, "gone": 1.0},
        {"same": 3.0, "a third": 4.0, "dearer": 4.1, "cheaper": 1.0, "new": 9.0},
    )
    assert comparison.dearer == ["dearer"]
    rows = [row.split()[-1] for row in comparison.format_table().splitlines()[1:]]
    assert rows == ["1.00", "1.33", "DEARER", "0.33", "figure", "measured"]


def test_figures_are_read_as_they_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They keep three digits; before they were ever written there are none."""
    monkeypatch.setattr("benchmarks.figures.FIGURES", file := tmp_path / "figures.toml")
    assert load_figures() == {}
    file.write_text(format_figures({"start: arena --help / a bare interpreter": 6.6789, "b": 100}))
    assert load_figures() == {"start: arena --help / a bare interpreter": 6.68, "b": 100.0}


@pytest.mark.release
def test_programs_are_measured_beside_bare_starts() -> None:
    """A match of two programs costs something beside a start."""
    (figure,) = hosting.measure_programs(matches=20)
    assert figure.value > 0


@pytest.mark.release
def test_every_kind_of_page_is_measured_beside_a_bare_one(tmp_path: Path) -> None:
    """Pages, their 304, lists, and replays of two games are measured."""
    web.prepare(tmp_path, matches=100, replays=3)
    found = {ratio.name: ratio.value for ratio in web.measure(tmp_path, calls=1, replays=3)}
    assert len(found) == 18
    assert all(value > 0 for value in found.values())
    assert sum("304" in name for name in found) == 4


@pytest.mark.release
def test_followers_are_measured() -> None:
    """Each crowd has five figures, and all frames arrive, also beside clients that never read.

    There are more of these than a server answers at once for one address.
    """
    deaf = MAX_REQUESTS_PER_ADDRESS + 1
    found = [ratio.value for ratio in measure_crowds(readers=2, deaf=deaf, many=3, seconds=0.1)]
    assert len(found) == 15
    assert found[2] == found[7] == found[12] == 1
