"""`arena check` on the command line: what it prints, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path

from arena.check import DEFAULT_LIMITS
from arena.cli.check import check_bot
from tests.support.command import Cli
from tests.support.programs import ECHO

KEYS = ["format", "game", "bot", "passed", "left_out", "parts", "findings", "facts"]
FINDING = {"kind", "fault", "situation", "seat", "ask", "sent", "answered", "allowed", "detail",
           "advice", "stderr", "again", "times"}  # fmt: skip
QUICK = ("--quick", "--players", "2", "--seed", "1")


def test_a_good_bot_passes(quick: Cli, tmp_path: Path) -> None:
    """Each part of the check is listed, and the status is 0."""
    (tmp_path / "echo.py").write_text(ECHO)
    done = quick("check", "gops", "echo.py", "--players", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert "  ok     3 players, in every seat\n" in done.stdout
    assert "  ok     two opponents always tie, and prizes are lost\n" in done.stdout
    assert "10 players" not in done.stdout
    assert done.stdout.endswith("\nPassed.\n")


def test_a_bad_bot_is_told_in_words(cli: Cli, tmp_path: Path) -> None:
    """Where, what it was sent, what it answered, what was allowed; the status is 1."""
    (tmp_path / "bad.py").write_text(ECHO.replace("line.split()[-1]", "'1 '"))
    done = cli("check", "gops", "bad.py", *QUICK, "-o", "cards=3")
    assert (done.returncode, done.stderr) == (1, "")
    assert "  wrong  2 players, in one seat: illegal\n" in done.stdout
    assert "     received     Opponent's bid: " in done.stdout
    assert "     answered     '1 '\n     allowed      2 or 3\n" in done.stdout
    assert "Play it again: arena match gops" in done.stdout
    assert done.stdout.endswith("\nFailed: one mistake.\n")


def test_one_object_and_nothing_else(quick: Cli, tmp_path: Path) -> None:
    """With exactly the keys that were promised, for good and bad alike."""
    (tmp_path / "bad.py").write_text("input()")
    for bot, passed in (("match", True), ("bad.py", False)):
        done = quick("check", "gops", bot, *QUICK, "--json")
        report = json.loads(done.stdout)
        assert (done.returncode, done.stderr) == (int(not passed), "")
        assert list(report) == KEYS
        assert (report["format"], report["game"], report["passed"]) == (1, "gops", passed)
        assert report["facts"]["seed"] == "1"
        for finding in report["findings"]:
            assert {*finding} == FINDING
            assert finding["sent"][0].startswith("Competition card: ")


def test_nothing_of_a_bot_moves_the_terminal(cli: Cli, tmp_path: Path) -> None:
    """Neither its lines nor what it writes to stderr."""
    text = "import sys\nsys.stderr.write('\\x1b[2Jevil\\u202e')\nprint('\\x1b[31mten\\x07')"
    (tmp_path / "bad.py").write_text(f"{text}\nraise SystemExit('\\x9b31m')")
    done = cli("check", "gops", "bad.py", *QUICK, PYTHONUTF8="1")
    assert done.returncode == 1
    assert not {"\x1b", "\x07", "\u202e", "\x9b"} & {*done.stdout, *done.stderr}


def test_the_environment_does_not_hide_that_nothing_is_flushed(cli: Cli, tmp_path: Path) -> None:
    """PYTHONUNBUFFERED may be set here, and not where the tournament is."""
    (tmp_path / "bad.py").write_text(ECHO.replace(", flush=True", ""))
    times = ("--move-time", "0.4", "--start-time", "0.1")
    done = cli("check", "gops", "bad.py", *QUICK, *times, PYTHONUNBUFFERED="1")
    assert done.returncode == 1
    assert "timeout" in done.stdout
    assert "The rest was skipped: it did not give a single answer.\n" in done.stdout


def test_what_cannot_be_checked(quick: Cli) -> None:
    """Said in one line, with status 2."""
    for words, said in (
        ("nonsense match", "unknown game 'nonsense'"),
        ("gops nonsense", "unknown bot 'nonsense'"),
        ("gops match --players 11", "gops is for 2 to 10 players, not 11"),
        ("gops match --option cards=x", "cards: 'x' is not a whole number"),
        ("gops match --move-time 0", "--move-time"),
    ):
        done = quick("check", *words.split())
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr


def test_the_help_names_the_usual_limits() -> None:
    """They are written where no check has to be imported, and are those of every check."""
    shown = {parameter.name: parameter.default for parameter in check_bot.params}
    assert (shown["move_time"], shown["start_time"]) == (DEFAULT_LIMITS.move, DEFAULT_LIMITS.start)
