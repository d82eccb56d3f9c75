"""`arena gops analyse`: what it reads, what programs get, what it refuses."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena import UserError
from arena_gops_solver import TableSpec, solve
from tests.support.gops_analyses import parse_rows, record_matches, run_analysis

pytestmark = pytest.mark.usefixtures("apart")

DEAD = f"{sys.executable} -c pass"  # a program that ends at once


def total(row: Mapping[str, Any]) -> float:
    mine, theirs = row["losses"]
    return float(row["prize_luck"] - mine + theirs + row["meeting"])


def test_programs_get_every_round(folder: Path) -> None:
    """Each match is an object whose rounds lead from 0 to its result, by both objectives."""
    *matches, _ = parse_rows(folder)
    assert len(matches) == 20
    for match in matches:
        sign = (match["difference"] > 0) - (match["difference"] < 0)
        assert (match["points"]["result"], match["win"]["result"]) == (match["difference"], sign)
        for by in ("points", "win"):
            assert total(match[by]) == pytest.approx(match[by]["result"])
            assert match["rounds"][0][by]["before"] == 0
            assert match["rounds"][-1][by]["after"] == match[by]["result"]
            for round_ in match["rounds"]:
                now = round_[by]
                assert now["before"] + total(now) == pytest.approx(now["after"])
                assert min(now["losses"]) >= 0


def test_the_costliest_bids_come_first(folder: Path) -> None:
    """They are the costliest of all rounds, and say what the solution bids instead."""
    *matches, last = parse_rows(folder, "--worst", "3", "--objective", "points")
    every = [loss for match in matches for round_ in match["rounds"] for loss in round_["points"]["losses"]]  # fmt: skip
    worst = last["summary"]["points"]["worst"]
    assert [blunder["loss"] for blunder in worst] == sorted(every)[:-4:-1]
    for blunder in worst:
        match = next(match for match in matches if match["match"] == blunder["match"])
        played = match["rounds"][blunder["round"] - 1]
        assert played["bids"][blunder["seat"]] == blunder["bid"]
        assert played["hands"][blunder["seat"]] == blunder["hand"]
        assert sum(blunder["solution"].values()) == pytest.approx(1)
        assert str(blunder["bid"]) not in blunder["solution"]


def test_a_bot_that_bids_otherwise_is_doubted(tmp_path: Path) -> None:
    """People and programs are warned that what is corrected for its luck may be wrong."""
    folder = record_matches(tmp_path / "some", "easy medium -o cards=4", 60)
    for file in folder.iterdir():
        file.write_text(file.read_text().replace('"bot":"easy"', '"bot":"random"'))
    assert parse_rows(folder)[-1]["summary"]["doubted"] == ["random"]
    words = "The corrected results of random may be wrong: its bids do not match"
    assert words in run_analysis(folder).stdout


def test_a_tournament_is_read_by_its_file_and_its_database(hill: Path) -> None:
    """Both give each pair's results, with the deal as the unit of chance."""
    *matches, last = parse_rows(hill)
    found = last["summary"]
    assert [match["match"] for match in matches[:2]] == [f"{hill}: match 0.0", f"{hill}: match 0.1"]
    assert matches[0]["deal"] == matches[1]["deal"] != matches[2]["deal"]
    assert found["matches"] == sum(pair["games"] for pair in found["points"]["pairs"])
    assert {bot["name"] for bot in found["win"]["bots"]} == {"easy", "hard", "planner"}
    assert all(pair["deals"] == pair["games"] / 2 for pair in found["points"]["pairs"])
    assert found["not_asked"] == {}
    again = parse_rows(hill.with_suffix(".db"))[-1]["summary"]
    assert (again["points"]["pairs"], again["win"]["bots"]) == (
        found["points"]["pairs"],
        found["win"]["bots"],
    )


def test_a_transcript_may_come_through_a_pipe(folder: Path) -> None:
    """As from `cat` or a process substitution, whose bytes can be read but once."""
    file = min(folder.iterdir())
    ours, its = os.pipe()
    os.write(its, file.read_bytes())
    os.close(its)
    read = parse_rows(f"/dev/fd/{ours}")
    os.close(ours)
    assert read[0] == parse_rows(file)[0] | {"match": f"/dev/fd/{ours}"}


def test_what_is_named_twice_counts_once(folder: Path, tmp_path: Path) -> None:
    """A match that is named twice, by whatever path, counts once."""
    (tmp_path / "link").symlink_to(folder)
    first = min(folder.iterdir())
    again = f"{folder}/../{folder.name}/{first.name}", tmp_path / "link"
    assert parse_rows(first, *again, folder)[-1]["summary"]["matches"] == 20
    assert len(parse_rows(first, first)) == 2


def test_one_name_of_several_bots(tmp_path: Path) -> None:
    """They are told apart by what they are, and who has a name alone keeps it."""
    record_matches(tmp_path / "here", "x=hard easy -o cards=4", 2)
    record_matches(tmp_path / "there", "x=random easy -o cards=4", 2)
    found = parse_rows(tmp_path / "here", tmp_path / "there")[-1]["summary"]["points"]
    games = {bot["name"]: bot["games"] for bot in found["bots"]}
    assert games == {"x (hard)": 2, "x (random)": 2, "easy": 4}


def test_a_table_decides_the_objective(folder: Path, tmp_path: Path) -> None:
    """A file that was solved for one objective explains by that one only."""
    file = tmp_path / "five.table"
    solve(TableSpec(5, "win"), file)
    *matches, last = parse_rows(folder, "--table", file)
    assert "points" not in last["summary"]
    assert total(matches[0]["win"]) == pytest.approx(matches[0]["win"]["result"])


def test_matches_without_a_result_are_counted(tmp_path: Path) -> None:
    """Forfeited matches are left out, and people and programs are told how many."""
    folder = record_matches(tmp_path / "both", "easy hard -o cards=4", 2)
    record_matches(folder, f"easy '{DEAD}' -o cards=4", 3)
    assert parse_rows(folder)[-1]["summary"]["unfinished"] == 3
    assert "Left out: 3 void or forfeited matches." in run_analysis(folder).stdout


def test_who_cannot_be_asked_is_named(tmp_path: Path) -> None:
    """A program's bids stay as lucky as they were, and the last line says whose and why."""
    bot = f"json:{sys.executable} -m arena.bot gops easy"
    done = run_analysis(record_matches(tmp_path / "one", f"hard '{bot}' -o cards=4", 2))
    words = f"Not corrected for the luck of its bids: {bot} (not one of the bundled bots)."
    assert done.stdout.endswith(f"{words}\n")


REFUSED = [
    (["nowhere.jsonl"], "nowhere.jsonl: No such file"),
    (["empty"], "empty: contains no transcripts"),
    (["broken.jsonl"], "broken.jsonl: line 1: not JSON"),
    (["nowhere.toml"], "nowhere.toml"),
    (["dead"], "nothing to explain: every match is void or forfeited"),
    (["dead", "--picture", "expected.pdf"], "expected.pdf: use the suffix .svg or .png"),
    (
        ["dead", "--picture", "nowhere/expected.svg"],
        "nowhere/expected.svg cannot be written: the folder nowhere does not exist",
    ),
    (["large", "--picture", "late.svg"], "late.svg: the chart needs all rounds"),
    (["one", "--picture", "loop.svg"], "loop.svg cannot be written: Too many levels"),
]


def test_what_cannot_be_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what and where."""
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("broken.jsonl").write_text("{")
    Path("loop.svg").symlink_to("loop.svg")
    record_matches(Path("dead"), f"easy '{DEAD}' -o cards=4")
    record_matches(Path("one"), "easy hard -o cards=4")
    record_matches(Path("large"), "easy hard")
    for words, why in REFUSED:
        refused = run_analysis(*words).exception
        assert isinstance(refused, UserError)
        assert why in str(refused)
        assert "\n" not in str(refused)
