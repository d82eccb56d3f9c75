"""`arena gops analyse`: what it reads, what programs get, what it refuses."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping
from itertools import combinations, pairwise, product, takewhile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arena import UserError
from arena_gops_solver import TableSpec, solve
from arena_gops_solver.cli import gops
from arena_gops_solver.cli.analyse_report import format_runs, label_matches
from tests.support.gops_analyses import parse_rows, record_matches, run_analysis

pytestmark = pytest.mark.usefixtures("apart")

DEAD = f"{sys.executable} -c pass"  # a program that ends at once


def total(row: Mapping[str, Any]) -> float:
    mine, theirs = row["losses"]
    return float(row["prize_luck"] - mine + theirs + row["meeting"])


def test_programs_get_every_round(folder: Path) -> None:
    """Each match is an object whose rounds lead from 0 to its result, by both objectives."""
    *matches, _ = parse_rows(folder)
    assert len(matches) == 10
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
    folder = record_matches(tmp_path / "some", "easy medium -o cards=4", 240)
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
    assert parse_rows(first, *again, folder)[-1]["summary"]["matches"] == 10
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


def test_a_match_is_an_equation(folder: Path) -> None:
    """For each objective people see the rounds, and the result as a sum that adds up as printed."""
    for file in sorted(folder.iterdir())[:5]:
        done = run_analysis(file)
        equations = re.findall(r"^(-?\d+) = (.*(?:\n[+-] .*)*)", done.stdout, re.MULTILINE)
        assert len(equations) == 2
        for result, words in equations:
            terms = re.findall(r"([+-] |^-?)(\d+\.\d+) \(", words)
            assert all(float(term) for _, term in terms)
            assert max(map(len, words.splitlines())) <= 80
            total = sum(float(sign.strip() + term) for sign, term in terms)
            assert total == pytest.approx(float(result))
        assert done.stdout.count(" : ") == 2 * 5


def test_people_see_bots_and_blunders(folder: Path) -> None:
    """Several matches come to tables of results, of what they are made of, and of bids."""
    done = run_analysis(folder, "--objective", "points", "--worst", "1")
    assert "10 matches (points: difference of points)" in done.stdout
    assert "what the results are made of, a game (points)" in done.stdout
    assert "the costliest bids (points)" in done.stdout
    assert "head to head" not in done.stdout
    assert "win" not in done.stdout


def table(words: str, title: str) -> dict[str, list[str]]:
    """Read a table that was printed: its rows by their first cell."""
    lines = words[words.index(title) :].splitlines()
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in takewhile(
        lambda line: not line.startswith("└"), lines) if line.startswith("│")]  # fmt: skip
    return {row[0]: row[1:] for row in rows}


def test_what_results_are_made_of_adds_up(folder: Path, hill: Path) -> None:
    """As printed each row adds up to the result, and so it says."""
    both = run_analysis(folder), run_analysis(hill)
    for done, objective in product(both, ("points", "win")):
        results = table(done.stdout, f" matches ({objective}")
        made = table(done.stdout, f"what the results are made of, a game ({objective})")
        assert [*made] == [*results]
        for bot, parts in made.items():
            assert len(parts) == 7
            assert sum(map(float, parts)) == pytest.approx(float(results[bot][1].split()[0]))
        assert "Each row adds up to the result." in done.stdout


def test_a_meeting_is_split_where_both_are_asked(tmp_path: Path) -> None:
    """Who met a program keeps how the bids met; the others' is luck and guessing."""
    bot = f"json:{sys.executable} -m arena.bot gops easy"
    folder = record_matches(tmp_path / "some", f"hard '{bot}' -o cards=4", 2)
    record_matches(tmp_path / "more", "planner match -o cards=4", 2)
    words = folder, tmp_path / "more", "--objective", "points"
    made = table(run_analysis(*words).stdout, "what the results are made of")
    split = {name: [cell != "" for cell in row[-3:]] for name, row in made.items()}
    assert split["planner"] == split["match"] == [True, True, False]
    assert split["hard"] == [False, False, True]
    for row in parse_rows(*words)[-1]["summary"]["points"]["bots"]:
        if row["name"] in ("planner", "match"):
            assert row["bids_luck"] + row["outguessed"] == pytest.approx(row["meeting"])
        else:
            assert (row["bids_luck"], row["outguessed"]) == (None, None)


def test_who_is_better_is_said(tmp_path: Path) -> None:
    """Of two bots the better one is named with its interval, or how many games would tell."""
    clear = record_matches(tmp_path / "clear", "random match -o cards=4", 40)
    best = parse_rows(clear, "--objective", "points")[-1]["summary"]["points"]["bots"][-1][
        "corrected"
    ]
    assert f"\nmatch is better (corrected {best['mean']:+.2f} ± " in run_analysis(clear).stdout
    few = run_analysis(
        record_matches(tmp_path / "few", "easy medium -o cards=4", 6), "--objective", "points"
    )
    said = re.search(
        r"better: if the true difference is as large as it seems, about ([\d,]+) ", few.stdout
    )
    assert said
    assert int(said[1].replace(",", "")) > 6
    single = run_analysis(
        record_matches(tmp_path / "deal", "easy medium -o cards=4", 2), "--objective", "points"
    )
    assert "It is too early to say which bot is better.\n" in single.stdout


def test_more_than_two_are_shown_head_to_head(hill: Path) -> None:
    """Each pair is seen by who stands higher in the table of results."""
    done = run_analysis(hill, "--objective", "points")
    order = [*table(done.stdout, " matches (points")]
    head = done.stdout[done.stdout.index("head to head") :]
    pairs = re.findall(r"^│ (\w+) +│ (\w+) +│ +4 │", head, re.MULTILINE)
    assert pairs == [*combinations(order, 2)]
    assert "better" not in done.stdout


@pytest.mark.each("objective", "named")
@pytest.mark.parametrize("objective", ["points", "win"])
@pytest.mark.parametrize("named", [False, True])
def test_the_costliest_bid_can_be_explored(
    folder: Path, tmp_path: Path, objective: str, named: bool
) -> None:
    """The command that is printed shows the position, and what its bidder gave away."""
    file = tmp_path / "a table"
    solve(TableSpec(6, objective), file)
    options = ["--table", str(file)] if named else ["--objective", objective]
    worst = parse_rows(folder, *options)[-1]["summary"][objective]["worst"][0]
    said = re.search(
        r"^To see the first one: arena gops (.*)$",
        run_analysis(folder, *options).stdout,
        re.MULTILINE,
    )
    assert said
    done = CliRunner().invoke(gops, shlex.split(said[1]), catch_exceptions=False)
    assert f"Mine:   {' '.join(map(str, worst['hand']))}\n" in done.stdout
    assert f"{worst['prize']} is up" in done.stdout
    value = re.search(r"^Value: +(\S+)", done.stdout, re.MULTILINE)
    worth = re.search(rf"^│ +{worst['bid']} │ 0.0000 │ +│ (\S+) │", done.stdout, re.MULTILINE)
    assert value
    assert worth
    assert float(value[1]) - float(worth[1]) == pytest.approx(worst["loss"], abs=2e-4)


def test_a_narrow_terminal_hides_nothing(hill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables are wider than it, rather than without names or figures."""
    wide = run_analysis(hill).stdout
    monkeypatch.setenv("COLUMNS", "40")
    narrow = run_analysis(hill).stdout
    for shown in (wide, narrow):
        assert "…" not in shown.replace(" …", "")
    for title in (" matches (points", "what the results are made of"):
        assert table(narrow, title) == table(wide, title)


def test_an_encoding_without_signs(hill: Path) -> None:
    """What stands for them is as readable, and a stranger's letters are question marks."""
    words = ["analyse", str(hill)]
    done = CliRunner(charset="ascii").invoke(gops, words)
    assert done.exception is None
    assert re.search(r"\| planner +\| +8 \| [-+]\d+\.\d\d \+- \d", done.stdout)


@pytest.mark.parametrize(
    ("places", "called"),
    [
        (["a/0019-1b2c.jsonl", "a/0020-1b2c.jsonl"], ["0019", "0020"]),
        (["t.toml: match 0.1", "t.toml: match 11.0"], ["0.1", "11.0"]),
        (["a/hard-1.jsonl", "hard-2.jsonl"], ["hard-1", "hard-2"]),
        (["a/0001-x.jsonl", "a/0001-y.jsonl"], ["0001-x", "0001-y"]),
        (["a/0001-x.jsonl", "b/0001-x.jsonl"], ["a/0001-x.jsonl", "b/0001-x.jsonl"]),
    ],
)
def test_matches_are_named_in_short(places: list[str], called: list[str]) -> None:
    """The number of a file or the key of a match will do, unless two have the same."""
    assert [*label_matches(places).values()] == called


@pytest.mark.parametrize(
    ("cards", "words"),
    [((7,), "7"), ((1, 2), "1 2"), ((1, 2, 3), "1-3"), ((1, 3, 4, 6, 7, 8, 13), "1 3 4 6-8 13")],
)
def test_cards_in_a_row_are_written_in_short(cards: tuple[int, ...], words: str) -> None:
    """Three or more are first and last."""
    assert format_runs(cards) == words


def test_a_strangers_words_do_no_harm(folder: Path, tmp_path: Path) -> None:
    """Names in a transcript are shown without control characters, and are no markup."""
    text = min(folder.iterdir()).read_text()
    (tmp_path / "evil.jsonl").write_text(text.replace('"name":"hard"', '"name":"[/b]\\u001b[31m"'))
    done = run_analysis(tmp_path / "evil.jsonl")
    assert done.exception is None
    assert "[/b]?[31m against planner" in done.stdout


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
    assert b"mean of 10 matches, and the band that holds half of them" in content


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
    from arena_gops_solver.cli.analyse_report import LINES, place_names

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
    from arena_gops_solver.cli.analyse_report import build_rows as drawn
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
    assert points[-1]["mean"] == pytest.approx(sum(results) / 10)
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
    from arena_gops_solver.cli.analyse_report import disambiguate_names

    long = "x" * 40
    names = ["hard", f"{long}a", f"{long}b"]
    assert [*disambiguate_names(names).values()] == ["hard", f"{'x' * 29}…", f"{'x' * 29}… 3"]


def test_a_picture_needs_its_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without altair it is refused before anything is read, with what to install."""
    monkeypatch.setitem(sys.modules, "altair", None)
    refused = run_analysis(folder, "--picture", "expected.svg").exception
    assert "pip install 'arena-gops-solver[picture]'" in str(refused)
