"""A person at the terminal: `arena play`, driven through a real one, and through a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.command import Cli, Install
from tests.support.programs import ECHO
from tests.support.terminal import Terminal


@pytest.fixture
def play(mark: str, tmp_path: Path) -> Iterator[Terminal]:
    """Sit down to a hand of Kuhn poker."""
    with Terminal(
        "play", "kuhn", "--against", "careful", "--seed", "1", mark=mark, folder=tmp_path
    ) as terminal:
        yield terminal


def test_a_hand_at_the_terminal(play: Terminal) -> None:
    """What cannot be is asked again, kindly; then the hand is played, and another is offered."""
    shown = play.read_until("> ")
    assert "You hold the" in shown
    assert "(pass | bet)" in shown
    play.type("perhaps\n")
    assert "Invalid: 'perhaps' is not one of: pass, bet" in play.read_until("> ")
    play.type("\n")
    assert "Invalid: " in play.read_until("> ")
    play.type("BET\n")
    shown = play.read_until("Play again? (y/n)\n> ")
    assert "You bet.\n" in shown
    assert "Finished after 1 hand." in shown
    play.type("n\n")
    assert play.wait_for_exit() == 0


def test_playing_again(play: Terminal) -> None:
    """Only a yes is one."""
    for answer in ("y", "YES", "what?"):
        play.read_until("> ")
        play.type("yes\n")
        play.read_until("Play again? (y/n)\n> ")
        play.type(f"{answer}\n")
    assert play.wait_for_exit() == 0
    assert play.shown.count("Finished after") == 3


@pytest.mark.parametrize("stdin", ["x\nyes\r\nno\r\n", "  YES  \n\n", "yes"])
def test_a_pipe_will_do(cli: Cli, stdin: str) -> None:
    """What comes through a pipe is read as what is typed; the last line needs no newline."""
    done = cli("play", "kuhn", "--against", "careful", "--seed", "1", stdin=stdin)
    assert done.returncode == 0
    assert "Finished after 1 hand." in done.stdout
    assert done.stderr == ""


OPENLY = """
from attrs import evolve
from arena import RandomBot, hookimpl
from tests.testing.games.openly import AUCTION, WORDS

@hookimpl
def arena_games():
    return [AUCTION, evolve(WORDS, bots={"random": RandomBot})]
"""


def test_a_number_is_typed_as_a_number(cli: Cli, install: Install) -> None:
    """The limits are told, and what is no number or beyond them is asked for again."""
    path = f"{install('openly', OPENLY)}:{ROOT}"
    typed = "lots\n2.5\n1000001\n250000\n1000000\n"
    done = cli(
        "play", "auction", "--against", "random", "--seed", "1", stdin=typed, PYTHONPATH=path
    )
    assert "  (a whole number from 0 to 1000000)\n" in done.stdout
    for refused in ("'lots'", "'2.5'", "1000001"):
        assert f"Invalid: {refused} is not a whole number from 0 to 1000000\n" in done.stdout
    assert "what 250000\n" in done.stdout
    assert "Finished after 2 rounds." in done.stdout


def test_the_pattern_of_a_text_is_told_and_help_is_no_text(cli: Cli, install: Install) -> None:
    """The pattern stands by the question, before any mistake; `help` asks it again."""
    path = f"{install('openly', OPENLY)}:{ROOT}"
    words = ("play", "words", "--against", "random", "--seed", "1")
    done = cli(*words, stdin="help\nHELP ME\nhelp me\n", PYTHONPATH=path)
    asked, helped, refused = done.stdout.split("\n> ")[:3]
    assert "(a text that matches [a-z ]{1,20})" in asked
    assert "Type help to see this" in helped
    assert "(a text that matches [a-z ]{1,20})" in helped
    assert "Invalid: 'HELP ME' does not match [a-z ]{1,20}" in refused
    assert "Finished after 1 round." in done.stdout


def test_nothing_at_all_is_leaving(cli: Cli) -> None:
    """An empty input is somebody who has left."""
    done = cli("play", "kuhn", "--against", "careful")
    assert done.returncode == 0
    assert "You left the table" in done.stdout


def test_lines_typed_ahead_are_kept_for_the_next_game(cli: Cli) -> None:
    """Nothing typed is lost between games."""
    done = cli(
        "play", "kuhn", "--against", "careful", "--seed", "1", stdin="yes\ny\nyes\ny\nyes\nn\n"
    )
    assert done.stdout.count("Finished after") == 3


def test_what_was_played_is_recorded(cli: Cli, quick: Cli, tmp_path: Path) -> None:
    """Each match into a file of its own, which holds; into what is not a folder it is refused."""
    words = ("play", "kuhn", "--against", "careful", "--seed", "1", "--transcripts")
    cli(*words, "mine", stdin="yes\ny\nyes\nn\n")
    assert len([*(tmp_path / "mine").iterdir()]) == 2
    assert quick("verify", "mine").stdout == "2 of 2 transcripts verified\n"
    (tmp_path / "file").touch()
    done = cli(*words, "file", stdin="yes\nn\n")
    assert (done.returncode, "cannot be written" in done.stderr) == (2, True)


def test_against_a_program(cli: Cli, tmp_path: Path) -> None:
    """A person has all the time there is; a bot that fails is shown with its verdict."""
    (tmp_path / "echo.py").write_text(ECHO)
    (tmp_path / "bad.py").write_text("print('ten', flush=True); input()")
    cards = "".join(f"{card}\n" for card in range(1, 14))
    done = cli("play", "gops", "--against", "echo.py", "--seed", "1", stdin=cards + "n\n")
    assert done.stdout.count("Your hand") == 13
    assert "Play again" in done.stdout
    done = cli("play", "gops", "--against", "bad.py", "--seed", "1", stdin=cards)
    assert "*** bad: malformed, a bid is a number" in done.stdout
    done = cli("play", "bs", "--against", "honest,liar", "--seed", "1", stdin="me\n")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
