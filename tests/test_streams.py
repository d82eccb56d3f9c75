"""What cannot be shown is no reason to lose a result, nor to end with a traceback."""

from __future__ import annotations

import json
import os
import select
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import ARENA
from tests.programs import TIMEOUT, alive, environment
from tests.recorded import recorded

PATIENCE = 20.0  # seconds
FAILS = """'sh -c "echo no such bid"'"""
CALLS = {
    "": 0,
    "--help": 0,
    "games": 0,
    "match gops random match --games 3": 0,
    "match gops random match --games 3 --json -vv": 0,
    f"match gops random {FAILS} --transcript here": 0,
    f"check gops {FAILS} --quick": 1,
    "demo": 0,
    "play gops --against match": 0,
    "replay match.jsonl": 0,
    "verify match.jsonl broken.jsonl": 1,
    "duel gops random match --pairs 2 --workers 1": 0,
    "tournament run cup.toml": 1,
    "matches cup.toml": 2,
}
"""What people call, and the exit status; in `cup` a bot is left out."""

SILENT = "matches cup.toml"  # on standard output
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
Run = Callable[[str], "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(mark: str, tmp_path: Path) -> Run:
    """Return a way to call `arena` from a shell, in a folder with some files."""
    (tmp_path / "match.jsonl").write_text("\n".join(recorded("kuhn")[1]))
    (tmp_path / "broken.jsonl").write_text("broken")
    (tmp_path / "cup.toml").write_text(CUP)

    def call(words: str) -> subprocess.CompletedProcess[str]:
        line = f"set -o pipefail; {ARENA} {words}"
        done = subprocess.run(["bash", "-c", line], env=environment(mark), cwd=tmp_path, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)  # fmt: skip
        for process in alive(mark):  # what ends with a run's pipes, where nobody reads its output
            with suppress(ProcessLookupError):
                select.select([os.pidfd_open(process)], [], [], PATIENCE)
        return done

    return call


@pytest.mark.parametrize("closed", ["2>/dev/full", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("call", "status"), CALLS.items(), ids=CALLS)
def test_streams_that_are_closed_change_nothing(
    run: Run, call: str, status: int, closed: str
) -> None:
    """Nor does a standard error on a full disk: the same status, and no traceback."""
    done = run(f"{call} {closed}")
    assert done.returncode == status, done
    assert "Traceback" not in done.stdout + done.stderr
    assert "Exception" not in done.stdout + done.stderr


@pytest.mark.parametrize("call", [call for call in CALLS if call != SILENT])
def test_a_standard_output_that_is_full_is_said_in_a_line(run: Run, call: str) -> None:
    """The status says that something was lost."""
    done = run(f"{call} >/dev/full")
    assert done.returncode == 2, done
    said = "arena: standard output cannot be written: No space left on device"
    assert done.stderr.splitlines()[-1] == said
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("call", "status"), CALLS.items(), ids=CALLS)
def test_who_stops_reading_has_seen_enough(run: Run, call: str, status: int) -> None:
    """A closed pipe is no error to be told."""
    done = run(f"{call} | true")
    assert done.returncode in (0, status), done
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert "Broken pipe" not in done.stderr


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full", "<&- 2>&-"])
def test_a_verdict_that_cannot_be_logged_is_a_result(run: Run, tmp_path: Path, closed: str) -> None:
    """The match is not void, and what was to go to the screen is not in the transcript."""
    done = run(f"match gops random {FAILS} -vv --json --transcript it.jsonl {closed}")
    result = json.loads(done.stdout)
    assert result["outcome"] == "forfeited"
    assert result["seats"][0]["place"] == 1 or result["seats"][1]["place"] == 1
    assert [json.loads(line) for line in (tmp_path / "it.jsonl").read_text().splitlines()]
    assert run("verify it.jsonl").returncode == 0


@pytest.mark.parametrize("closed", [">&- 2>&-", "2>/dev/full", "<&- >&-"])
def test_a_tournament_that_cannot_be_shown_is_played(run: Run, closed: str) -> None:
    """All its matches are in the database."""
    assert run(f"tournament run cup.toml {closed}").returncode == 1
    done = run("matches cup.toml --json")
    ends = [json.loads(line)["outcome"] for line in done.stdout.splitlines()]
    assert ends
    assert set(ends) == {"finished"}
