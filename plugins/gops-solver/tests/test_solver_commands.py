"""`arena gops`: solving, and asking for strategies."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena import UserError
from arena_gops_solver.cli import gops


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "arena"


def ran(words: str) -> Result:
    return CliRunner().invoke(gops, words.split())


def test_a_published_strategy() -> None:
    """Four cards, first prize 3: bids 1, 3 and 4, as others have found."""
    done = ran("strategy --mine 1,2,3,4 --theirs 1,2,3,4 --prizes 1,2,3,4 --prize 3 --json")
    said = json.loads(done.stdout)
    assert said["value"] == pytest.approx(0, abs=1e-9)
    assert said["strategy"] == pytest.approx(
        {"1": 0.268731, "3": 0.513981, "4": 0.217288}, abs=1e-6
    )
    assert said["worth"]["2"] < 0


@pytest.mark.parametrize("mine", ["1,3,4,6", "6 4 3 1", "1, 3-4, 6", "1 3,4 6", "1-1 3-4 6"])
def test_cards_are_written_as_one_likes(mine: str) -> None:
    """With commas, blanks or ranges, in any order."""
    words = ["strategy", "--cards", "4", "--mine", mine, "--prize", "2", "--json"]
    done = CliRunner().invoke(gops, words)
    assert [*json.loads(done.stdout)["worth"]] == ["1", "3", "4", "6"]


def test_all_cards_need_not_be_written() -> None:
    """Where the number of cards is given, only what is otherwise has to be said."""
    short = ran("strategy --cards 4 --theirs 2-5 --prize 3 --json")
    whole = ran("strategy --mine 1,2,3,4 --theirs 2,3,4,5 --prizes 1,2,3,4 --prize 3 --json")
    assert short.stdout == whole.stdout


def test_who_is_ahead_is_told_what_comes_of_it_in_all() -> None:
    """In points: what the prizes left are worth, and that with what was won so far."""
    words = "strategy --mine 1,3,5 --theirs 2,4,5 --prizes 1,2,6 --prize 6"
    said = ran(f"{words} --difference 5").stdout.splitlines()
    assert said[0] == "Value: -1.6667 of the prizes left, +3.3333 in all (points)"
    assert said[1:] == ran(words).stdout.splitlines()[1:]


def test_people_see_a_table_with_bars() -> None:
    """Each bid has a row, whether it is made or not."""
    done = ran("strategy --mine 1,3,5 --theirs 2,4,5 --prizes 1,2,6 --prize 6")
    assert done.exit_code == 0
    assert "Value: -1.6667 (points)" in done.stdout
    assert "█" in done.stdout


def test_a_narrow_terminal_hides_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its table has no bars, and the same figures."""
    shown = {}
    for columns in ("80", "20"):
        monkeypatch.setenv("COLUMNS", columns)
        shown[columns] = ran("strategy --cards 4 --prize 3").stdout
    wide, narrow = ([re.findall(r"[-+.0-9]+", line) for line in some.splitlines() if "│" in line]
                    for some in shown.values())  # fmt: skip
    assert narrow == wide
    assert narrow[2][:2] == ["3", "0.5140"]
    assert "█" not in shown["20"]


def test_bars_are_drawn_without_blocks() -> None:
    """An encoding that has none has other characters: 20 of them would be a certain bid."""
    words = ["strategy", "--cards", "4", "--prize", "3"]
    done = CliRunner(charset="ascii").invoke(gops, words)
    assert done.exception is None
    assert re.findall("#+", done.stdout) == ["#" * 5, "#" * 10, "#" * 4]


def test_the_chance_to_win_depends_on_the_difference() -> None:
    """Who is ahead beyond reach has won, whatever is bid."""
    words = "strategy --mine 1,4 --theirs 1,4 --prizes 1,2 --prize 2 --objective win --json"
    ahead, level = (json.loads(ran(f"{words} {more}").stdout) for more in ("--difference 7", ""))
    assert ahead["value"] == pytest.approx(1)
    assert level["value"] == pytest.approx(0, abs=1e-9)


def test_a_table_is_solved_and_asked(tmp_path: Path) -> None:
    """It is kept in its file, and refused for another objective."""
    file = tmp_path / "six.table"
    *layers, solved = map(
        json.loads, ran(f"solve --cards 6 --out {file} --json").stdout.split("\n")[:-1]
    )
    assert [row["layer"] for row in layers] == [1, 2, 3, 4, 5]
    assert solved["bytes"] == file.stat().st_size
    words = f"strategy --mine 1,6 --theirs 2,5 --prizes 3,4 --prize 4 --table {file} --json"
    assert json.loads(ran(words).stdout)["objective"] == "points"
    refused = ran(f"{words} --objective win").exception
    assert isinstance(refused, UserError)
    assert "solved for points, not for win" in str(refused)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--cards 2 --prize 1 --mine 1,x", "'1,x' is not a list of cards such as 1,3,5 or 1-5"),
        ("--cards 2 --prize 1 --mine 2-1", "'2-1' is not a list of cards"),
        ("--cards 2 --prize 1 --mine 1-999999999", "is not a list of cards"),
        ("--cards 2 --prize 1 --mine 1_0,2", "'1_0,2' is not a list of cards"),
        ("--cards 2 --prize 1 --mine ١", "'١' is not a list of cards"),
        ("--cards 2 --prize 1 --mine ,", "',' is not a list of cards"),
        ("--cards 2 --prize 1 --mine 1,1-2", "each card once"),
        ("--cards 2 --prize 1 --mine 0-1", "the lowest card is 1"),
        ("--cards 2 --prize 3", "prize: 3 is not among the prizes 1 2"),
        ("--cards 2 --prize 2 --mine 1-5", "mine: 5 cards, but 2 prizes left"),
        ("--cards 2 --prize 2 --theirs 1", "theirs: 1 card, but 2 prizes left"),
        ("--prizes 1,2 --prize 2", "missing: --mine, --theirs (--cards N stands for 1-N in each)"),
        ("--mine 1,13 --theirs 1,2 --prizes 1,2 --prize 2", "arena gops solve --cards 13"),
        (
            "--mine 1,13 --theirs 1,2 --prizes 1,2 --prize 2",
            "(13 is the highest card here; --cards says otherwise)",
        ),
    ],
)
def test_what_cannot_be_is_one_line(words: str, said: str) -> None:
    """It says what was wrong, and what is allowed."""
    done = ran(f"strategy {words}")
    assert done.exit_code != 0
    assert said in f"{done.output} {done.exception}"
