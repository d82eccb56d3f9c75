"""Matches that are played again: the newest result counts, and the old one stays visible."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.rules import UserError
from arena.tournament.deals import Key, parse_match_key
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.match_record import VoidCause
from arena.tournament.run.tournament_run import run
from arena.tournament.store import Store
from arena.tournament.tournament import Tournament
from tests.support.command import Cli
from tests.support.tournaments.folders import SHORT as DUPLICATE
from tests.support.tournaments.folders import (
    RecordingMonitor,
    count_matches,
    list_matches,
    run_tournament,
    write_tournament,
)
from tests.support.tournaments.stored_matches import build_void_result

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]
SHORT = DUPLICATE + "duplicate = false\n"
ROUNDS = SHORT.replace("matches = 6", 'format = "{}"')


def spoil(program: TournamentSpec, key: Key, cause: VoidCause) -> None:
    """Store a match as void, as if the run before had done so."""
    with Store.open(program.database) as store:
        store.claim()
        deal = store.deals.find_deal(key[0])
        assert deal
        store.matches.reopen([key])
        with store.begin_write() as connection:
            connection.execute("DELETE FROM replaced")
        store.matches.record(build_void_result(*key, deal.rotate(key[1]), cause=cause))


def play(program: TournamentSpec, **options: Any) -> RecordingMonitor:
    monitor = RecordingMonitor()
    run(program, monitor, **options)
    return monitor


def list_outcomes(program: TournamentSpec) -> dict[str, list[str]]:
    """Return the outcomes of each match, those that were replaced first."""
    return {
        match["match"]: [*(result["outcome"] for result in match["replaced"]), match["outcome"]]
        for match in list_matches(program)
    }


def test_void_matches_are_played_again(tmp_path: Path) -> None:
    """A run plays void matches of the host's making again, or all with an option, and keeps their results."""
    program = write_tournament(tmp_path, SHORT, "random", "careful")
    run_tournament(program)
    before = list_matches(program)
    for deal, cause in enumerate(VoidCause):
        spoil(program, (deal, 0), cause)
    monitor = play(program)
    assert monitor.lines == ["2 void matches are played again"]
    assert sorted(done.match for done in monitor.records) == ["0.0", "1.0"]
    assert list_outcomes(program) == {
        "0.0": ["void", "finished"], "1.0": ["void", "finished"], "2.0": ["void"],
        "3.0": ["finished"], "4.0": ["finished"], "5.0": ["finished"],
    }  # fmt: skip
    assert play(program).records == []
    assert [done.match for done in play(program, replay_void=True).records] == ["2.0"]
    after = list_matches(program)
    assert [match["replaced"][0]["cause"] for match in after[:3]] == [*VoidCause]
    assert [_strip(match) for match in after] == [_strip(match) for match in before]


def _strip(match: dict[str, Any]) -> dict[str, Any]:
    seats = [{**seat, "seconds": None} for seat in match["seats"]]
    return {**match, "when": None, "seconds": None, "replaced": None, "seats": seats}


def test_a_match_is_played_again_as_often_as_the_host_likes(tmp_path: Path) -> None:
    """The last result counts, and `arena matches` shows all that it replaces, the oldest first."""
    program = write_tournament(tmp_path, SHORT, "random", "careful")
    run_tournament(program)
    for _ in range(2):
        assert [done.match for done in play(program, rerun=[(4, 0), (4, 0)]).records] == ["4.0"]
    (match,) = [match for match in list_matches(program) if match["match"] == "4.0"]
    assert [result["outcome"] for result in match["replaced"]] == ["finished", "finished"]
    assert match["replaced"][0]["when"] < match["replaced"][1]["when"] < match["when"]
    assert {seat["name"] for seat in match["replaced"][0]["seats"]} == {"random", "careful"}
    assert count_matches(program).stored == 6


@pytest.mark.parametrize("form", ["swiss:rounds=3", "elimination"])
def test_results_from_which_rounds_were_drawn_stay(tmp_path: Path, form: str) -> None:
    """A match from which later rounds were drawn cannot be played again, but one of the last round can."""
    program = write_tournament(
        tmp_path, ROUNDS.format(form), "random", "careful", one="random", two="careful"
    )
    run_tournament(program)
    last = list_matches(program)[-1]["match"]
    spoil(program, (0, 0), VoidCause.HOST)
    monitor = play(program)
    assert monitor.lines == ["1 void matches stay void: later rounds were drawn from them"]
    assert monitor.records == []
    with pytest.raises(UserError) as refusal:
        play(program, rerun=[(0, 0)])
    assert str(refusal.value) == (
        "match 0.0 cannot be played again: later rounds were drawn from its result"
    )
    assert play(program, rerun=[parse_match_key(last)]).records[0].match == last


def test_who_is_gone_plays_nothing_again(quick: Cli, tmp_path: Path) -> None:
    """The command refuses matches of an absent entrant in one line, and void ones stay as they are."""
    program = write_tournament(tmp_path, SHORT, "random", "careful", late="random")
    run_tournament(program)
    theirs = [match["match"] for match in list_matches(program) if "late" in str(match["seats"])]
    spoil(program, parse_match_key(theirs[0]), VoidCause.HOST)
    quick("tournament", "withdraw", "tournament.toml", "late")
    done = quick("tournament", "rerun", "tournament.toml", theirs[1], theirs[0])
    line = f"match {theirs[1]} cannot be played again: late no longer takes part in this version"
    assert (done.returncode, done.stderr) == (2, f"arena: {line}\n")
    assert not {done.match for done in play(program).records} & {*theirs}
    assert list_outcomes(program)[theirs[0]] == ["void"]
    done = quick("tournament", "rerun", "tournament.toml", "99.0")
    assert done.stderr == "arena: match 99.0 has not been played or does not exist\n"


def test_the_commands_play_matches_again(quick: Cli, tmp_path: Path) -> None:
    """The table of matches shows what a result replaces."""
    program = write_tournament(tmp_path, SHORT, "random", "careful")
    run_tournament(program)
    spoil(program, (2, 0), VoidCause.GAME)
    assert quick("tournament", "run", "tournament.toml", "--replay-void").returncode == 0
    assert quick("tournament", "rerun", "tournament.toml", "3.0").returncode == 0
    table = quick("matches", "tournament.toml").stdout
    assert re.search(r"replaces void it broke", table)
    assert re.search(r"replaces finished 1 \w+ [12] · 2 \w+ -[12]", table)


def test_python_plays_matches_again(tmp_path: Path) -> None:
    """`rerun` takes the keys of matches, whose records then have what was replaced."""
    tournament = Tournament("kuhn", ["random", "careful"], database=tmp_path / "t.db", matches=2,
                            workers=1, duplicate=False, check=False)  # fmt: skip
    tournament.run()
    tournament.rerun("1.0")
    assert [len(match.replaced) for match in tournament.matches()] == [1, 0]
    with pytest.raises(UserError, match="'x' is not the key of a match"):
        tournament.rerun("x")


def test_a_run_that_is_killed_before_the_replay_has_both(tmp_path: Path) -> None:
    """The next run plays a reopened match, whose old result is kept already."""
    program = write_tournament(tmp_path, SHORT, "random", "careful")
    run_tournament(program)
    with Store.open(program.database) as store:
        store.claim()
        store.matches.reopen([(0, 0)])
    with closing(sqlite3.connect(program.database)) as database:
        assert database.execute("SELECT count(*) FROM transcripts WHERE deal = 0").fetchone() == (
            0,
        )
    assert [done.match for done in run_tournament(program).records] == ["0.0"]
    assert list_outcomes(program)["0.0"] == ["finished", "finished"]
