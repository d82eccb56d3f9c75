"""`arena gops explore`: a walk through the solved game, at a prompt."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena import UserError
from arena.wires import to_printable
from arena_gops_solver.cli import gops
from arena_gops_solver.explorer import COMMANDS
from tests.support.programs import TIMEOUT

ARENA = str(Path(sys.executable).parent / "arena")
LATE = "--mine 1,3 --theirs 2,4 --prizes 2,3"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def seen(words: str, *typed: str) -> list[str]:
    """Walk so, and return what is shown at first and after each line."""
    lines = "".join(f"{line}\n" for line in typed)
    done = CliRunner().invoke(gops, ["explore", *words.split()], input=lines)
    assert done.exit_code == 0, done.output
    first, *others, end = done.stdout.split("\n> ")
    assert end == "\n"
    echoes = [screen.split("\n", 1) for screen in others]
    assert [echo for echo, _ in echoes] == [to_printable(line.rstrip()) for line in typed]
    return [first, *[screen for _, screen in echoes]]


def said(screen: str, what: str) -> str:
    """Return what a screen says of the hands, the prizes, the bids, the score or the value."""
    found = re.search(rf"^{what}: +(.*)$", screen, re.MULTILINE)
    assert found, screen
    return found[1]


def rows(screen: str) -> list[list[str]]:
    lines = [line for line in screen.splitlines() if line.startswith("│")]
    return [re.findall(r"[-+.0-9]+", line) for line in lines]


def test_a_prize_and_both_bids_lead_on() -> None:
    """The cards are gone from the hands, the bids are kept, and who won the prize is ahead."""
    screen = seen("--cards 4", "4", "2 3")[-1]
    assert said(screen, "Mine") == "1 3 4"
    assert said(screen, "Theirs") == "1 2 4"
    assert said(screen, "Prizes") == "1 2 3"
    assert said(screen, "Bids") == "2 to 3 for 4"
    assert said(screen, "Score") == "4 behind"


def test_a_bid_is_worth_the_value_to_who_makes_it() -> None:
    """Where all are made, mine bring what theirs lose."""
    screen = seen("--mine 1,3,4 --theirs 1,2,4 --prizes 1,2,3 --prize 2")[0]
    assert said(screen, "Value") == "+0.8421 (points)"
    assert {row[2] for row in rows(screen)} == {"+0.8421"}
    assert {row[5] for row in rows(screen)} == {"-0.8421"}


def test_the_value_is_the_mean_over_the_prizes() -> None:
    """Before one is turned up, each has its row."""
    screen = seen("--mine 1,3,4 --theirs 1,2,4 --prizes 1,2,3")[0]
    values = [float(value) for _, value in rows(screen)]
    assert float(said(screen, "Value").split()[0]) == pytest.approx(sum(values) / 3, abs=1e-4)


def test_the_other_side_sees_the_opposite() -> None:
    """Hands, bids, score and value, with the same prize up; twice round is back."""
    first, other, again = seen("--cards 4", "4", "2 3", "1", "other", "o")[-3:]
    assert said(other, "Mine") == said(first, "Theirs")
    assert said(other, "Theirs") == said(first, "Mine")
    assert said(other, "Bids") == "3 to 2 for 4"
    assert (said(first, "Score"), said(other, "Score")) == ("4 behind", "4 ahead")
    assert said(other, "Value") == said(first, "Value").translate(str.maketrans("+-", "-+"))
    assert again == first


def test_in_points_the_score_so_far_is_added_to_the_value() -> None:
    """Who is ahead sees what is to come, and what comes of the whole game; to win, that is one."""
    ahead, level = (seen(f"{LATE} --difference {points}")[0] for points in (5, 0))
    assert said(ahead, "Value") == "-2.6000 of the prizes left, +2.4000 in all (points)"
    assert said(level, "Value") == "-2.6000 (points)"
    won = seen(f"{LATE} --cards 4 --objective win --difference 5")[0]
    assert said(won, "Value") == "+0.5000 (win)"


def test_hands_are_all_cards_where_nothing_else_is_said() -> None:
    """A hand that is otherwise is enough."""
    screen = seen("--cards 3 --mine 2-4")[0]
    assert [said(screen, what) for what in ("Mine", "Theirs", "Prizes")] == [
        "2 3 4",
        *["1 2 3"] * 2,
    ]


def test_steps_are_taken_back() -> None:
    """One by one, all at once, and never beyond the first."""
    first, up, _, back, _, start, refused = seen("", "2", "3 1", "back", "3 1", "start", "back")
    assert back == up
    assert start == first
    assert "this is the first position" in refused


def test_what_if_another_prize_were_up() -> None:
    """It is turned up in place of the one that is."""
    first, other = seen("", "2", "prize 5")[1:]
    assert said(first, "Prizes") == "1 2 3 4 5, and 2 is up"
    assert said(other, "Prizes") == "1 2 3 4 5, and 5 is up"


def test_both_make_their_likeliest_bid() -> None:
    """For the highest prize of four that is the highest card."""
    assert said(seen("--cards 4", "4", "likeliest")[-1], "Bids") == "4 to 4 for 4"


def test_a_game_to_its_end() -> None:
    """Nothing is left to bid for, and the steps can still be taken back."""
    screens = seen(
        f"{LATE} --objective win --difference -1", "3", "3 2", "2", "likeliest", "likeliest", "ba"
    )
    last, over, refused, back = screens[-4:]
    assert said(over, "Score") == "level"
    assert "the game is over" in over
    assert "no prize is up; the game is over" in refused
    assert back == last


def test_the_matrix_of_a_stage() -> None:
    """Its rows are my bids: 3 beats 2 for the prize of 3, and loses the next one."""
    matrix = seen(f"{LATE} --prize 3", "matrix")[-1].splitlines()
    assert [line.split() for line in matrix[1:]] == [
        ["2", "4"],
        ["1", "-5.000", "-1.000"],
        ["3", "+1.000", "-5.000"],
    ]


def test_help_says_what_can_be_typed() -> None:
    """What is due, and each command."""
    for asked in ("help", "?"):
        screen = seen("", asked)[-1]
        assert "Now type the prize that is turned up, one of: 1 2 3 4 5" in screen
        assert re.findall(r"^  (\w+) ", screen, re.MULTILINE) == [
            "likeliest", "prize", "matrix", "other", "back", "start", "help", "quit",
        ]  # fmt: skip


def test_first_letters_do() -> None:
    """No two commands begin with the same one."""
    assert len({name[0] for name in COMMANDS}) == len(COMMANDS)


@pytest.mark.parametrize("line", ["quit", "q", "EXIT", " Quit "])
def test_quitting(line: str) -> None:
    """No line behind it is read."""
    done = CliRunner().invoke(gops, ["explore"], input=f"{line}\n3\n")
    assert done.exit_code == 0
    assert done.stdout.endswith(f"\n> {line.rstrip()}\n")
    assert done.stdout.count("> ") == 1


@pytest.mark.parametrize("line", ["3,1", " 3   1 ", "3 1\r", "03 1"])
def test_bids_are_read_kindly(line: str) -> None:
    """Commas, blanks and what another system puts at the end of a line do not matter."""
    assert said(seen("--prize 2", line)[-1], "Bids") == "3 to 1 for 2"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("6 1", "6 is not in my hand: 1 2 3 4 5"),
        ("1 6", "6 is not in their hand: 1 2 3 4 5"),
        ("4", "4: type both bids for prize 2, mine first; the likeliest are: 3 3"),
        ("1 2 3", "1 2 3: type both bids for prize 2, mine first; the likeliest are: 3 3"),
        ("prize", "name one prize, such as: prize 3"),
        ("prize 9", "9 is not one of the prizes left: 1 2 3 4 5"),
        ("back 2", "back takes no numbers"),
        ("3 x", "'x' is not a card"),
        ("best", "'best' is not a number or a command (likeliest, prize"),
        ("-1 2", "'-1' is not a number or a command (likeliest, prize, matrix, other, back, start, help, quit)"),
        ("\x1b[2J", "'\\x1b[2j' is not a number or a command (likeliest, prize, matrix, other"),
        ("9" * 5000, "is not a number or a command"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_in_a_line(line: str, why: str) -> None:
    """The walk stays where it is: an empty line shows that again."""
    first, refused, again = seen("--prize 2", line, "")
    assert refused.startswith("  Invalid: ")
    assert why in refused
    assert "\n" not in refused
    assert again == first


def test_no_bids_before_a_prize_is_up() -> None:
    """Neither two numbers, nor the likeliest, nor their matrix."""
    for line in ("1 2", "likeliest", "matrix"):
        assert "type the prize that is turned up, one of: 1 2 3 4 5" in seen("", line)[-1]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--mine 1,2", "mine: 2 cards, but 5 prizes left"),
        ("--mine 1,2 --theirs 1-3 --prizes 1-3", "mine: 2 cards, but 3 prizes left"),
        (f"{LATE} --prize 4", "4 is not one of the prizes left: 2 3"),
        ("--cards 12", "arena gops solve --cards 12"),
        ("--objective win --difference 1", "only 0 points have been played for"),
    ],
)
def test_a_walk_that_cannot_begin(words: str, why: str) -> None:
    """It is refused before anything is shown."""
    done = CliRunner().invoke(gops, ["explore", *words.split()])
    assert done.exit_code != 0
    assert done.stdout == ""
    assert why in f"{done.output} {done.exception}"
    assert isinstance(done.exception, SystemExit | UserError)


def test_through_a_pipe(tmp_path: Path) -> None:
    """What is no text is refused as what is no command, and the last line needs no end."""
    done = subprocess.run(
        [ARENA, "gops", "explore"], input=b"\xff\n2\n3 1", cwd=tmp_path,
        capture_output=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == b""
    shown = done.stdout.decode()
    assert "Invalid: '�' is not a number or a command" in shown
    assert said(shown.split("\n> ")[-2], "Bids") == "3 to 1 for 2"


def test_without_any_input(tmp_path: Path) -> None:
    """Where it was closed beforehand, that is the end of it."""
    done = subprocess.run(
        ["sh", "-c", f"{ARENA} gops explore <&-"], cwd=tmp_path,
        capture_output=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == b""
    assert done.stdout.endswith(b"\n> \n")


def test_at_a_terminal(tmp_path: Path) -> None:
    """It answers line by line, and Ctrl-D ends it without a word."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [ARENA, "gops", "explore"], stdin=slave, stdout=slave, stderr=slave, cwd=tmp_path
    )
    os.close(slave)
    shown = read_until(master, "> ")
    for line, due in (
        ("2", "both bids for prize 2"),
        ("1 1", "one of: 1 3 4 5"),
        ("q 1", "no numbers"),
    ):
        os.write(master, f"{line}\n".encode())
        shown = read_until(master, "> ")
        assert due in shown
    os.write(master, b"\x04")
    assert process.wait(TIMEOUT) == 0
    os.close(master)


def read_until(terminal: int, text: str) -> str:
    shown = b""
    while not shown.endswith(text.encode()):
        assert select.select([terminal], [], [], TIMEOUT)[0], shown
        shown += os.read(terminal, 4096)
    return shown.decode()
