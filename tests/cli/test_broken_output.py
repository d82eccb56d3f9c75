"""What cannot be shown is no reason to lose a result, nor to end with a traceback."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable, Container, Iterable
from pathlib import Path
from typing import Any

import pytest

from arena.tournament.store import Store
from tests.support.command import ARENA, UNREAD, Cli, run_arena
from tests.support.programs import TIMEOUT, environment, wait_for_end
from tests.support.transcripts import load_recorded_match

pytestmark = pytest.mark.slow
FAILS = """'sh -c "echo no such bid"'"""
LOGS = "match gops random match --games 3 --json -vv"
CALLS = {
    "--help": 0,
    "games": 0,
    LOGS: 0,
    f"match gops random {FAILS} --transcript here": 0,
    f"check gops {FAILS} --quick": 1,
    "demo": 0,
    "play gops --against match": 0,
    "replay match.jsonl": 0,
    "verify match.jsonl broken.jsonl": 1,
}
"""What people call, and the exit status."""

SPEAKING = {LOGS: 0, f"check gops {FAILS} --quick": 1, "replay nowhere.jsonl": 2}
"""What speaks on standard error."""

LONG = ["duel gops random match --pairs 1 --workers 1", "tournament run cup.toml"]
"""What takes longer; beside nasty bots, and where it is interrupted, its streams are closed, too."""

CHECK = f"check gops {FAILS} --quick"
USUAL_CLOSED = {LOGS, CHECK, "play gops --against match"}
USUAL_FULL = {"--help", "replay match.jsonl"}
USUAL_PIPED = {"games", LOGS, "verify match.jsonl broken.jsonl"}
"""What is tried in every run, most commands with one of them; the rest is left to a release."""

ALL_CLOSED, ERRORS_FULL = dict.fromkeys(range(3)), {2: "/dev/full"}
CUP = """
game = "gops"
format = "round-robin:rounds=1"
workers = 1
unfit = "leave-out"
[[entrant]]
bot = "random"
[[entrant]]
bot = "match"
[[entrant]]
name = "broken"
bot = "sh -c true"
"""
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def leave_to_release(calls: Iterable[str], usual: Container[str]) -> list[Any]:
    """Return calls as parameters, of which all but the usual ones are for a release."""
    return [
        call if call in usual else pytest.param(call, marks=pytest.mark.release) for call in calls
    ]


@pytest.fixture
def run(mark: str, tmp_path: Path) -> Run:
    """Return a way to call `arena` with some streams, in a folder with some files."""
    (tmp_path / "match.jsonl").write_text("\n".join(load_recorded_match("kuhn")[1]))
    (tmp_path / "broken.jsonl").write_text("broken")
    (tmp_path / "cup.toml").write_text(CUP)

    def call(words: str, streams: Any) -> subprocess.CompletedProcess[str]:
        done = run_arena(shlex.split(words), tmp_path, environment(mark), streams=streams)
        assert wait_for_end(mark) == {}  # some end with a run's pipes
        return done

    return call


@pytest.mark.parametrize("call", leave_to_release(CALLS, USUAL_CLOSED))
def test_streams_that_are_closed_change_nothing(run: Run, call: str) -> None:
    """The status is the same, and there is no traceback."""
    check_quiet(run(call, ALL_CLOSED), CALLS[call])


@pytest.mark.parametrize("call", SPEAKING)
def test_a_standard_error_that_is_full_changes_nothing(run: Run, call: str) -> None:
    """The status is the same, and there is no traceback."""
    check_quiet(run(call, ERRORS_FULL), SPEAKING[call])


def check_quiet(done: subprocess.CompletedProcess[str], status: int) -> None:
    """Check that a command ended with a status, and without a traceback."""
    assert done.returncode == status, done
    assert "Traceback" not in done.stdout + done.stderr
    assert "Exception" not in done.stdout + done.stderr


@pytest.mark.parametrize("call", leave_to_release([*CALLS, *LONG], USUAL_FULL))
def test_a_standard_output_that_is_full_is_said_in_a_line(run: Run, call: str) -> None:
    """The status says that something was lost."""
    done = run(call, {1: "/dev/full"})
    assert done.returncode == 2, done
    said = "arena: standard output cannot be written: No space left on device"
    assert done.stderr.splitlines()[-1] == said
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("call", leave_to_release(CALLS, USUAL_PIPED))
def test_who_stops_reading_has_seen_enough(run: Run, call: str) -> None:
    """A closed pipe is no error to be told."""
    done = run(call, {1: UNREAD})
    assert done.returncode in (0, CALLS[call]), done
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert "Broken pipe" not in done.stderr


@pytest.mark.parametrize(
    ("streams", "status"), [("<&- >&- 2>&-", 0), (">/dev/full", 2), ("| true", 0)]
)
def test_a_new_interpreter_minds_its_streams_as_little(streams: str, status: int) -> None:
    """What is closed, full or not read when Python starts is no more trouble than later on."""
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {ARENA} games {streams}"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip
    check_quiet(done, status)


@pytest.mark.parametrize(
    "closed", [ERRORS_FULL, pytest.param({0: None, 2: None}, marks=pytest.mark.release)]
)
def test_a_verdict_that_cannot_be_logged_is_a_result(
    run: Run, quick: Cli, tmp_path: Path, closed: Any
) -> None:
    """The match is not void, and what was to go to the screen is not in the transcript."""
    done = run(f"match gops random {FAILS} -vv --json --transcript it.jsonl", closed)
    result = json.loads(done.stdout)
    assert done.returncode == 0
    assert result["outcome"] == "forfeited"
    assert result["seats"][0]["place"] == 1 or result["seats"][1]["place"] == 1
    assert [json.loads(line) for line in (tmp_path / "it.jsonl").read_text().splitlines()]
    assert quick("verify", "it.jsonl").returncode == 0


@pytest.mark.parametrize(
    "closed", [ALL_CLOSED, pytest.param(ERRORS_FULL, marks=pytest.mark.release)]
)
def test_a_tournament_that_cannot_be_shown_is_played(run: Run, tmp_path: Path, closed: Any) -> None:
    """All its matches are in the database."""
    done = run("tournament run cup.toml", closed)
    assert (done.returncode, done.stderr) == (1, "")
    assert "Traceback" not in done.stdout
    with Store.open(tmp_path / "cup.db", write=False) as store:
        ends = [match.end for match in store.matches.find_matches()]
    assert ends
    assert set(ends) == {"finished"}
