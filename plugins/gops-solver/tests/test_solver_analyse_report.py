"""`arena gops analyse` for people: sums, tables, the costliest bids, and pictures."""

from __future__ import annotations

import re
import shlex
import sys
from itertools import combinations, pairwise, product, takewhile
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena_gops_solver import TableSpec, solve
from arena_gops_solver.cli import gops
from arena_gops_solver.cli.analyse_report import format_runs, label_matches
from tests.support.gops_analyses import parse_rows, record_matches, run_analysis

pytestmark = pytest.mark.usefixtures("apart")


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
    assert "20 matches (points: difference of points)" in done.stdout
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
    from arena_gops_solver.cli.analyse_report import disambiguate_names

    long = "x" * 40
    names = ["hard", f"{long}a", f"{long}b"]
    assert [*disambiguate_names(names).values()] == ["hard", f"{'x' * 29}…", f"{'x' * 29}… 3"]


def test_a_picture_needs_its_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without altair it is refused before anything is read, with what to install."""
    monkeypatch.setitem(sys.modules, "altair", None)
    refused = run_analysis(folder, "--picture", "expected.svg").exception
    assert "pip install 'arena-gops-solver[picture]'" in str(refused)
