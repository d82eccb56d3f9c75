"""The file of a tournament that has begun: what must not change does not, and all else may."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.rules import UserError
from arena.tournament.file.reader import load
from tests.support.tournaments.folders import SHORT, list_matches, run_tournament, write_tournament

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]


def test_a_time_without_an_end_is_allowed(tmp_path: Path) -> None:
    """A host may let bots think without a limit."""
    program = write_tournament(
        tmp_path, f"{SHORT}time = {{move = inf, bank = inf}}\n", "random", "careful"
    )
    assert len(run_tournament(program).records) == 6
    assert len(run_tournament(load(tmp_path / "tournament.toml")).records) == 0  # it is unchanged


def test_what_is_begun_stays_as_it_is(tmp_path: Path) -> None:
    """A run with other settings is refused with a clause for each change, and nothing is played."""
    run_tournament(write_tournament(tmp_path, SHORT, "random", "careful"))
    changed = SHORT.replace('seed = "1"', 'seed = "2"') + "[time]\nmove = 5\n"
    with pytest.raises(UserError) as problem:
        run_tournament(write_tournament(tmp_path, changed, "random", "careful", "program:random"))
    message = str(problem.value)
    assert 'seed was "1", now "2"' in message
    assert "time.move was 30.0, now 5.0;" in message
    assert 'entrant[2] was not set, now {"bot":"program:random"}. Restore' in message
    assert "Restore that, or set another database. To change entrants, use" in message
    assert len(list_matches(write_tournament(tmp_path, SHORT, "random", "careful"))) == 6


def test_what_does_no_harm_may_change(tmp_path: Path) -> None:
    """A tournament goes on with another number of matches, level, executor or number of workers."""
    run_tournament(write_tournament(tmp_path, SHORT, "random", "careful"))
    (tmp_path / "tournament.db").rename(tmp_path / "moved.db")
    more = SHORT.replace("6", "8").replace("false", "true").replace("workers = 1\n", "")
    more += 'database = "moved.db"\nworkers = 2\nlevel = 0.9\nunfit = "stop"\nstop = "matches"\n'
    program = write_tournament(tmp_path, more, "random", "careful")
    assert len(run_tournament(program).records) == 2
    assert len(list_matches(program)) == 8


def test_an_option_that_a_game_has_gained_is_no_change(tmp_path: Path) -> None:
    """An option that a database does not know was at its default; another value is refused."""
    short = SHORT.replace("kuhn", "gops") + "[options]\ncards = 3\n"
    program = write_tournament(tmp_path, short, "random", "hard")
    run_tournament(program)
    _forget_option(program.database, "ties")
    assert len(run_tournament(program).records) == 0
    _forget_option(program.database, "cards")
    with pytest.raises(UserError, match=r"options\.cards was 13, now 3\."):
        run_tournament(program)


def _forget_option(file: str, name: str) -> None:
    """Edit a database as if its game had not had this option yet."""
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute(
            "UPDATE facts SET value = json_remove(value, ?) WHERE name = 'tournament'",
            (f"$.options.{name}",),
        )
