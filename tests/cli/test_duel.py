"""`arena duel`: two bots, deal after deal, each with the seats swapped, until it is known."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from arena.tournament import DuelScore, Sprt, play_duel
from arena.tournament.duel_score import AnyDuelScore
from tests.support.command import Cli
from tests.support.programs import ECHO, PYTHON

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]

ALONE = ("--workers", "1")
KUHN = ("duel", "kuhn", "random", "careful", "--seed", "1")


def packed(quick: Cli, *words: str) -> dict[str, Any]:
    """Return the one object that a duel prints."""
    done = quick(*words, "--json")
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_seed_says_how_a_duel_comes_out(quick: Cli) -> None:
    """With one worker or two; all that was asked for is played."""
    one, two = (packed(quick, *KUHN, "--pairs", "15", "--workers", many) for many in "12")
    assert one == two
    assert one["names"] == ["random", "careful"]
    assert sum(one["pairs"]) == 15
    assert one["won"] + one["level"] + one["lost"] == 30
    assert one["void"] == 0
    other = packed(quick, *KUHN[:-1], "2", "--pairs", "15", *ALONE)
    assert other != one


def test_a_test_stops_when_it_is_decided(quick: Cli) -> None:
    """At the same pair whatever worker was faster; and it says how it was decided."""
    test = ("duel", "gops", "match", "random", "--seed", "1", "--sprt", "elo0=0", "elo1=400")
    found = packed(quick, *test)
    assert found["accepted"] == "H1"
    assert found["llr"] > found["bounds"][1]
    assert sum(found["pairs"]) < 100
    assert packed(quick, *test, *ALONE) == found
    said = quick(*test, *ALONE).stdout.splitlines()
    assert said[-1] == "H1 is accepted: match is stronger."
    assert "| LLR " in said[-2]
    assert quick(*test, *ALONE, "--pairs", "1").stdout.splitlines()[-1] == "Not decided."


def test_verdicts_are_counted(quick: Cli) -> None:
    """So that nobody takes a bot that crashes for a weak one."""
    words = ("duel", "gops", "random", "fails=false", *ALONE, "--pairs", "2")
    found = packed(quick, *words)
    assert found["verdicts"] == {"fails crashed": 4}
    assert found["won"] == 4
    said = quick(*words).stdout
    assert said.rstrip().endswith("| fails crashed 4 times")


def test_a_duel_can_be_recorded(quick: Cli, tmp_path: Path) -> None:
    """A transcript for each match, called by its deal and turn, which holds and can be shown."""
    words = (*KUHN, "--pairs", "3", "--transcripts", "new/matches")
    found = packed(quick, *words)
    files = sorted((tmp_path / "new" / "matches").iterdir())
    assert [file.name for file in files] == [
        f"000{deal}.{rotation}.jsonl" for deal in range(3) for rotation in range(2)
    ]
    assert quick("verify", "new/matches").stdout == "6 of 6 transcripts verified\n"
    assert found == packed(quick, *KUHN, "--pairs", "3")
    header = json.loads(files[1].read_text().partition("\n")[0])
    assert [seat["name"] for seat in header["seats"]] == ["careful", "random"]


LETHAL = '''
import os, signal
from pathlib import Path
from arena_kuhn import Careful

class Lethal(Careful):
    """Ends its host with a signal at the answer whose number is in a file."""

    def choose(self, question):
        with open("answers", "a") as answers:
            answers.write("x")
            answers.flush()
            if Path("end").exists() and Path("end").read_text().split()[0] == str(answers.tell()):
                os.kill(os.getppid(), int(Path("end").read_text().split()[1]))
        return super().choose(question)
'''


def test_an_interrupted_duel_continues(cli: Cli, tmp_path: Path) -> None:
    """Its result is that of one without interruption, byte for byte, and so are its matches."""
    (tmp_path / "lethal.py").write_text(LETHAL)
    words = ("duel", "kuhn", "lethal.py:Lethal", "random", "--pairs", "15", "--seed", "1")
    whole = cli(*words, *ALONE, "--file", "whole.db", "--json")
    for answer, number in ((1, signal.SIGKILL), (9, signal.SIGKILL), (5, signal.SIGINT)):
        (tmp_path / "answers").unlink()
        (tmp_path / "end").write_text(f"{answer} {int(number)}")
        stopped = cli(*words, *ALONE, "--file", "duel.db", "--json")
        is_told = number == signal.SIGINT
        assert (stopped.returncode, stopped.stdout) == (130 if is_told else -number, "")
        assert ("the same command continues" in stopped.stderr) is is_told
    (tmp_path / "end").unlink()
    again = cli(*words, "--file", "duel.db", "--json")
    assert (again.returncode, again.stdout, again.stderr) == (0, whole.stdout, "")
    rows = [
        [line.split(",")[:6] for line in cli("export", file).stdout.splitlines()]
        for file in ("whole.db", "duel.db")
    ]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 1 + 15 * 4


def test_a_file_has_one_duel(quick: Cli, tmp_path: Path) -> None:
    """It goes on with more pairs; another question is refused with what has changed."""
    (tmp_path / "mine.py").write_text(ECHO)
    duel = ("duel", "gops", f"{PYTHON[0]} mine.py", "random", "--file", "duel.db")
    words = (*duel, "--seed", "1")
    few = packed(quick, *words, *ALONE, "--pairs", "2")
    more = packed(quick, *words, *ALONE, "--pairs", "3")
    assert (sum(few["pairs"]), sum(more["pairs"])) == (2, 3)
    assert packed(quick, *words, *ALONE, "--pairs", "2") == few
    for other, said in {
        ("--bank", "4"): "time.bank was not set, now 4.0",
        ("-o", "cards=9"): "options.cards was 13, now 9",
        ("--sprt", "elo0=0", "elo1=9"): 'sprt was not set, now {"elo0":0.0,"elo1":9.0,',
        ("--seed", "2"): 'seed was "1", now "2"',
    }.items():
        done = quick(*(duel if "--seed" in other else words), *other)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert f"duel.db has another duel: {said}" in done.stderr
    (tmp_path / "mine.py").write_text(f"{ECHO}\n# another version\n")
    assert re.search(r"duel: mine was version \w+, now \w+\. Restore", quick(*words).stderr)
    assert "bot was" in quick(*words[:3], "match", *words[4:]).stderr


def test_a_duel_keeps_clocks(quick: Cli, tmp_path: Path) -> None:
    """All limits that `arena match` has are those of a duel, too."""
    (tmp_path / "late.py").write_text("import time\ninput(), time.sleep(99)\n")
    late = f"{PYTHON[0]} late.py"
    for limits in (
        ("--start-time", "0", "--move-time", "0.2"),
        ("--start-time", "0", "--bank", "0.2"),
    ):
        found = packed(quick, "duel", "gops", late, "random", *ALONE, "--pairs", "1", *limits)
        assert found["verdicts"] == {"late timeout": 2}


def test_python_plays_the_same_duel(quick: Cli) -> None:
    """In one call; it tells the score after each pair, and an interrupt ends it with what it has."""
    shown: list[int] = []

    def show(score: AnyDuelScore) -> None:
        assert isinstance(score, DuelScore)
        shown.append(sum(score.counts))
        if len(shown) == 4:
            raise KeyboardInterrupt

    score = play_duel("kuhn", "random", "careful", pairs=3, seed=1, workers=1, progress=show)
    assert score.pack() == packed(quick, *KUHN, "--pairs", "3")
    assert (
        str(score) == quick(*KUHN, "--pairs", "3").stdout.splitlines()[-1]
    )  # slow ones print more
    assert (shown, score.interrupted) == ([1, 2, 3], False)
    score = play_duel("kuhn", "random", "careful", sprt=Sprt(0, 5), workers=1, progress=show)
    assert isinstance(score, DuelScore)
    assert (score.interrupted, sum(score.counts), score.accepted) == (True, 1, None)


def test_the_same_bot_twice(quick: Cli) -> None:
    """They are told apart, and a folder or a file may be either."""
    assert packed(quick, *KUHN[:2], "random", "random", *ALONE, "--pairs", "1")["names"] == [
        "random", "random_2",
    ]  # fmt: skip
    Path("mine.py").write_text(ECHO)
    command = f"{PYTHON[0]} mine.py"
    found = packed(quick, "duel", "gops", command, command, *ALONE, "--pairs", "1")
    assert found["names"] == ["mine", "mine_2"]
    assert found["verdicts"] == {}


def test_a_duel_is_said_in_a_line(quick: Cli) -> None:
    """The last line of a duel has the format that testers of chess engines know."""
    *_, line = quick(*KUHN, "--pairs", "3").stdout.splitlines()
    assert line.startswith("random vs careful: 6 games, ")
    assert " | pairs [" in line
    assert " | Elo " in line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("gosp random match", "unknown game 'gosp'; did you mean gops?"),
        ("gops random nobody", "unknown bot 'nobody'"),
        ("gops random", "missing argument B"),
        ("gops random match --pairs 0", "--pairs"),
        (
            "gops random match --transcripts /dev/null/x",
            "/dev/null/x is not a folder: Not a direct",
        ),
        ("gops random match --workers 0", "--workers"),
        ("gops random match --move-time nan", "--move-time"),
        ("gops random match --alpha 0.5", "--alpha"),
        ("gops random match --sprt elo0=0", "--sprt"),
        ("gops random match --sprt elo0=0 elo=5", "unknown parameter 'elo'; did you mean elo1?"),
        ("gops random match --sprt elo0=x elo1=5", "elo0: 'x' is not a number"),
        ("gops random match --sprt elo0=5 elo1=0", "elo0: 5 is not a number below elo1 (0)"),
        (
            "gops random match --option cards=0",
            "gops: cards: 0 is not a whole number from 1 to 1000",
        ),
    ],
)
def test_what_cannot_be(quick: Cli, words: str, said: str) -> None:
    """It is said in one line, with exit status 2."""
    done = quick("duel", *words.split())
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr
