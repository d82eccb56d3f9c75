"""Whole tournaments through the command, as their hosts hold them: the examples, a server."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support.command import Cli
from tests.support.example_bots import LANGUAGES
from tests.support.examples import copy_examples
from tests.support.requirements import require
from tests.support.tournaments.postgresql import Server

pytest_plugins = ["tests.support.tournaments.databases"]

pytestmark = pytest.mark.usefixtures("inline_workers")
MATCHES = 12
LEAGUE = """
game = "kuhn"
matches = 4
seed = "3"
workers = 1
check = false
database = "{database}"
[[entrant]]
bot = "random"
[[entrant]]
bot = "careful"
[[entrant]]
name = "third"
bot = "program:random"
"""


def parse_lines(done: CompletedProcess[str]) -> list[dict[str, object]]:
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """Return the examples' folder, with fewer matches; skip where a language is missing."""
    require(*LANGUAGES.values())
    return copy_examples(tmp_path, MATCHES) / "tournaments"


@pytest.mark.parametrize(
    ("name", "late"),
    [
        pytest.param("bs-koth.toml", "caller", marks=pytest.mark.release),  # the README runs it
        ("gops-league.toml", "x=easy"),
    ],
)
def test_an_example_runs_and_takes_a_late_entrant(
    name: str, late: str, examples: Path, quick: Cli
) -> None:
    """Bots in many languages play to the end; a late one gets its share; all are ranked."""
    file = examples / name
    first = quick("tournament", "run", file)
    assert first.returncode == 0, first.stderr
    before = parse_lines(quick("standings", file, "--json"))
    assert quick("tournament", "add", file, late).returncode == 0
    assert quick("tournament", "run", file).returncode == 0
    after = parse_lines(quick("standings", file, "--json"))
    assert len(after) == len(before) + 1
    for row in after:
        assert row["low"] <= row["rating"] <= row["high"]  # type: ignore[operator]
        assert row["verdicts"] == {}
    (entered,) = [row for row in after if row["name"] == late.partition("=")[0]]
    assert entered["matches"] >= min(row["matches"] for row in before)  # type: ignore[type-var, operator]


def test_a_server_keeps_what_a_file_keeps(server: Server, tmp_path: Path, quick: Cli) -> None:
    """The same tournament on PostgreSQL has the same standings, and goes on when run again."""
    (tmp_path / "file.toml").write_text(LEAGUE.format(database="file.db"))
    (tmp_path / "server.toml").write_text(LEAGUE.format(database=server.create_empty_database()))
    for name in ("file.toml", "server.toml", "server.toml"):
        assert quick("tournament", "run", name).returncode == 0
    kept = [
        parse_lines(quick("standings", name, "--json")) for name in ("file.toml", "server.toml")
    ]
    assert kept[0] == kept[1]
    assert len(kept[0]) == 3
    (tmp_path / "match.jsonl").write_text(quick("transcript", "server.toml", "1.1").stdout)
    assert "1 of 1 transcripts verified" in quick("verify", "match.jsonl").stdout
