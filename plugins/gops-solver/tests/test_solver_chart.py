"""`arena gops analyse --picture`: what could be expected, drawn."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.gops_analyses import run_analysis

pytestmark = pytest.mark.usefixtures("apart")


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_a_picture_is_drawn(folder: Path, tmp_path: Path, suffix: str) -> None:
    """The file is of the kind that its name says, on a ground of its own."""
    file = tmp_path / f"expected{suffix}"
    assert run_analysis(folder, "--picture", file).exception is None
    content = file.read_bytes()
    if suffix == ".png":
        assert content.startswith(b"\x89PNG\r\n")
        return
    for words in ("rounds played", "Expected difference of points, hard", "#ffffff"):
        assert words.encode() in content
    assert b"mean of 20 matches, and the band that holds half of them" in content


def test_a_picture_of_many_names_their_lines(hill: Path, tmp_path: Path) -> None:
    """There is no band, and each name is there, once for each objective."""
    file = tmp_path / "expected.svg"
    assert run_analysis(hill, "--picture", file).exception is None
    content = file.read_text()
    assert "means of 12 matches" in content
    assert "band" not in content
    assert [content.count(f">{bot}</text>") for bot in ("easy", "hard", "planner")] == [2, 2, 2]


def test_names_stand_clear_of_each_other() -> None:
    """Close ones are pushed apart, in their order, and one by itself is left by its line."""
    from arena_gops_solver.chart import LINES, place_names

    means = {"a": 0.0, "b": 10.0, "c": 9.9, "d": 10.0}
    found = [{"bot": bot, "round": at, "mean": mean * at / 5}
             for bot, mean in means.items() for at in range(6)]  # fmt: skip
    placed = place_names(found)
    assert [(row["bot"], row["round"]) for row in placed] == [
        ("a", 5),
        ("c", 5),
        ("b", 5),
        ("d", 5),
    ]
    heights = [row["at"] for row in placed]
    assert heights[0] == 0
    assert all(high - low > 0.99 * 10 / LINES for low, high in pairwise(heights))


def test_a_picture_shows_what_could_be_expected(folder: Path) -> None:
    """Mean and middle half for each number of rounds played, for those who are named."""
    from arena_gops_solver.analysis import AnalysisResults, WholeGameSolution
    from arena_gops_solver.chart import build_rows as drawn
    from arena_gops_solver.recorded_matches import MatchCollection, find_transcripts
    from arena_gops_solver.table_cache import find_solution

    found = AnalysisResults(WholeGameSolution(find_solution("points", 5)), 0)
    for match in MatchCollection.of(find_transcripts([str(folder)])).matches:
        found.add(match, (None, None))
    points = [*drawn(found.accounts, {"hard": "who"})]
    assert [(row["bot"], row["round"]) for row in points] == [("who", n) for n in range(6)]
    assert points[0] | {"bot": ""} == {"bot": "", "round": 0, "mean": 0, "low": 0, "high": 0}
    results = [
        account.result * (1 - 2 * account.match.names.index("hard")) for account in found.accounts
    ]
    assert points[-1]["mean"] == pytest.approx(sum(results) / 20)
    assert all(row["low"] <= row["high"] for row in points)


def test_a_strangers_name_ends_no_program(folder: Path, tmp_path: Path) -> None:
    """What no picture may hold is a question mark in it."""
    text = min(folder.iterdir()).read_text()
    evil = text.replace('"name":"hard"', '"name":"<&\\u001b\\ud800\\ufffe>"')
    (tmp_path / "evil.jsonl").write_text(evil)
    file = tmp_path / "expected.svg"
    assert run_analysis(tmp_path / "evil.jsonl", "--picture", file).exception is None
    assert "points, &lt;&amp;???&gt; against planner" in file.read_text()


def test_long_names_are_cut(folder: Path, tmp_path: Path) -> None:
    """A picture of a name without end is as wide as any, and takes no longer."""
    text = min(folder.iterdir()).read_text()
    (tmp_path / "long.jsonl").write_text(text.replace('"name":"hard"', f'"name":"{"x" * 10_000}"'))
    file = tmp_path / "expected.svg"
    assert run_analysis(tmp_path / "long.jsonl", "--picture", file).exception is None
    assert f"points, {'x' * 29}… against planner" in file.read_text()


def test_names_that_are_cut_alike_are_told_apart() -> None:
    """By a number; the others stay what they are."""
    from arena_gops_solver.chart import disambiguate_names

    long = "x" * 40
    names = ["hard", f"{long}a", f"{long}b"]
    assert [*disambiguate_names(names).values()] == ["hard", f"{'x' * 29}…", f"{'x' * 29}… 3"]


def test_a_picture_needs_its_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without altair it is refused before anything is read, with what to install."""
    monkeypatch.setitem(sys.modules, "altair", None)
    refused = run_analysis(folder, "--picture", "expected.svg").exception
    assert "pip install 'arena-gops-solver[picture]'" in str(refused)
