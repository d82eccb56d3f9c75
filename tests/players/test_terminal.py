"""Playing at a terminal: who is asked what, what can be typed, and what it looks like."""

from __future__ import annotations

import os
import re
import signal
import termios
from pathlib import Path

import pytest

from tests.support.command import Cli
from tests.support.terminal import Terminal

GOPS = ("play", "gops", "--against", "hard", "--seed", "1")
BS = ("play", "bs", "--against", "honest", "--seed", "1")
UP, LEFT, DELETE = "\x1b[A", "\x1b[D", "\x7f"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def test_whom_to_play_against_is_asked_for(mark: str, tmp_path: Path) -> None:
    """The bots are listed by their levels, a slip is asked again, and then it is played."""
    with Terminal("play", "gops", mark=mark, folder=tmp_path) as play:
        shown = play.read_until("\n> ")
        offered = re.findall(r"^  ([a-z]+) +([a-z-]+) ", shown, re.MULTILINE)
        assert offered[:3] == [("beginner", "ordered"), ("beginner", "random"), ("easy", "planner")]
        assert offered[8] == ("expert", "outbid")
        assert "Who do you want to play against? (Enter: planner)" in shown
        assert "did you mean hard?" in play.enter_line("hrad")
        assert "You and hard play GOPS" in play.enter_line("hard")


def test_enter_takes_the_first_and_as_many_as_are_needed(mark: str, tmp_path: Path) -> None:
    """Hearts is for three at least."""
    with Terminal("play", "hearts", mark=mark, folder=tmp_path) as play:
        play.read_until("\n> ")
        assert "low_1" in play.enter_line("") or "low" in play.shown
        play.type("\x04")
        play.wait_for_exit()
        assert play.shown.count("low") >= 2


def test_a_single_opponent_takes_all_other_seats(cli: Cli) -> None:
    """Hearts needs three players, and one bot is named on the command line."""
    done = cli("play", "hearts", "--against", "careful", "--seed", "1", stdin="")
    assert "careful_2" in done.stdout


def test_without_a_terminal_they_are_named(cli: Cli) -> None:
    """In one line that says who is there."""
    done = cli("play", "kuhn", stdin="careful\n")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "--against BOT (available: careful, optimal, random, search)" in line


def test_help_says_the_rules_and_asks_again(mark: str, tmp_path: Path) -> None:
    """Wherever it is typed: before a bid, and where a name could be."""
    with Terminal(*GOPS, mark=mark, folder=tmp_path) as play:
        assert "Type `help` for the rules" in play.read_until("\n> ")
        shown = play.enter_line("help")
        assert "the highest takes the" in shown
        assert "Ctrl-D leaves" in shown
        assert "Your hand: A 2 3 4 5 6 7 8 9 10 J Q K\nWhich card do you bid" in shown
    with Terminal(*BS, mark=mark, folder=tmp_path) as play:
        play.read_until("\n> ")
        assert "Peanut Butter is a boast" in play.enter_line("help")


def test_lines_are_edited_and_come_back(mark: str, tmp_path: Path) -> None:
    """Arrow keys move in a line, and bring the one before."""
    with Terminal(*GOPS, mark=mark, folder=tmp_path, TERM="xterm") as play:
        play.read_until("> ")
        play.type(f"35{LEFT}{LEFT}{DELETE}{LEFT}1\x05{DELETE}{DELETE}\n")
        assert "ou bid the ace" in play.read_until("> ")
        play.type(f"{UP}0\n")
        assert "ou bid the 10" in play.read_until("> ")


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_what_is_no_text_is_asked_again(mark: str, tmp_path: Path, locale: str) -> None:
    """As any other slip; the next line is read as ever."""
    with Terminal(*GOPS, mark=mark, folder=tmp_path, LC_ALL=locale) as play:
        play.read_until("\n> ")
        assert "Invalid: " in play.enter_line("\udcff")
        assert "ou bid the king" in play.enter_line("K")


def test_the_terminal_is_left_as_it_was_found(mark: str, tmp_path: Path) -> None:
    """Its modes, whether by Ctrl-D or by Ctrl-C."""
    for leave in ("\x04", "\x03"):
        with Terminal(*GOPS, mark=mark, folder=tmp_path) as play:
            play.read_until("> ")
            assert termios.tcgetattr(play.slave) != play.modes  # a line is edited
            assert os.get_blocking(play.slave)  # O_NONBLOCK would change the shell's, too
            _leave(play, leave)
            play.wait_for_exit()
            assert termios.tcgetattr(play.slave) == play.modes
            assert os.get_blocking(play.slave)


def _leave(play: Terminal, key: str) -> None:
    """Press Ctrl-D; or have the signal that Ctrl-C is where a shell has set up the terminal."""
    if key == "\x03":
        os.kill(play.process.pid, signal.SIGINT)
    else:
        play.type(key)


@pytest.mark.parametrize("key", ["\x04", "\x03"], ids=["Ctrl-D", "Ctrl-C"])
def test_who_leaves_is_told_the_score(mark: str, tmp_path: Path, key: str) -> None:
    """As it stands, with the rounds that were played."""
    with Terminal(*GOPS, mark=mark, folder=tmp_path) as play:
        play.read_until("\n> ")
        points = re.search(r"Points: you (\d+), hard (\d+)", play.enter_line("K"))
        assert points
        _leave(play, key)
        status = play.wait_for_exit()
        assert status == (130 if key == "\x03" else 0)
        assert "You left the table after 1 round. The score so far:" in play.shown
        for name, score in zip(("player", "hard"), points.groups(), strict=True):
            assert re.search(rf"^  \d\. {name}  {score}$", play.shown, re.MULTILINE)
        assert "Play again" not in play.shown
        assert "Traceback" not in play.shown


def test_the_score_is_that_of_the_moment(mark: str, tmp_path: Path) -> None:
    """Where several bots play on without the person, it is not what they come to."""
    with Terminal(
        "play", "bs", "--against", "honest,honest", "--seed", "1", mark=mark, folder=tmp_path
    ) as play:
        play.read_until("\n> ")
        play.type("\x04")
        assert play.wait_for_exit() == 0
        assert "You left the table after 0 turns. The score so far:" in play.shown
        assert "Finished" not in play.shown


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({"TERM": "xterm", "NO_COLOR": "1"}, False)],
    ids=["colours", "dumb", "NO_COLOR"],
)  # fmt: skip
def test_colour_is_where_the_terminal_has_it(
    mark: str, tmp_path: Path, variables: dict[str, str], coloured: bool
) -> None:
    """A round that is won is green, one that is lost is red; and nothing else changes."""
    with Terminal(*GOPS, mark=mark, folder=tmp_path, **variables) as play:
        play.read_until("> ")
        play.type("K\n")
        shown = play.read_until("Your hand")
        line = next(line for line in shown.splitlines() if "ou bid the king" in line)
        assert bool(COLOUR.search(line)) is coloured
        won = "You bid the king and take" in line
        assert ("\x1b[32m" in line) is (coloured and won)


def test_there_is_no_colour_in_a_pipe(cli: Cli) -> None:
    """Output to a pipe has no colours and no broken lines."""
    done = cli(*GOPS, stdin="K\n", TERM="xterm")
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) > 60


def test_lines_break_at_words(mark: str, tmp_path: Path) -> None:
    """A screen of 80 columns shows no line longer than that, however long the hand is."""
    with Terminal(
        "play", "bs", "--against", "honest", "--seed", "1", mark=mark, folder=tmp_path
    ) as play:
        shown = play.read_until("\n> ")
        hand = shown[shown.index("Your hand: ") :].splitlines()
        assert re.fullmatch(r"Your hand:( ([2-9JQKA]|10)[♠♣♥♦])+", hand[0])
        assert re.match(r"  ([2-9JQKA]|10)[♠♣♥♦]", hand[1])
        assert max(map(len, play.shown.splitlines())) <= 80


def test_after_an_honest_play_nobody_asks(mark: str, tmp_path: Path) -> None:
    """Peanut Butter, which would boast of a lie, is asked of liars only."""
    with Terminal(*BS, mark=mark, folder=tmp_path) as play:
        shown = play.read_until("\n> ")
        while "Which cards do you lay" not in shown:
            shown = play.enter_line("")
        asked = re.search(r"claim to be aces\?\n  \(such as: (A. ?)+\)", shown)
        assert asked, "this seed gives no ace"
        hand = re.findall(r"(\S)([♠♣♥♦])", shown[shown.rindex("Your hand") :])
        lie = "".join(next(card for card in hand if card[0] != "A"))
        assert "Peanut Butter" not in play.enter_line(asked[1]).partition("\n\n")[0]
        while "Which cards do you lay" not in (shown := play.enter_line("")):
            pass
        assert "Peanut Butter" in play.enter_line(lie)


def test_the_end_says_who_stands_where(cli: Cli) -> None:
    """With places and scores."""
    cards = "".join(f"{card}\n" for card in range(1, 14))
    done = cli(*GOPS, stdin=cards)
    assert re.search(r"Finished after 13 rounds\.\n  1\. \w+  \d+\n  2\. \w+  \d+\n", done.stdout)


def test_a_person_is_told_who_plays_with_it(cli: Cli) -> None:
    """The partner is named, or is the first of the opponents."""
    words = ("play", "briscola", "--table", "4", "--against", "counter", "--seed", "1")
    done = cli(*words, "--with", "thrifty", stdin="")
    assert done.returncode == 0, done.stderr
    assert "You play together with thrifty." in done.stdout
    assert "counter_2" in done.stdout
    assert "You play together with counter." in cli(*words, stdin="").stdout
