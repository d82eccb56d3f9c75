"""Results of teams in files: what is exported is rated as it was in its tournament."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.tournament import Summary
from arena.tournament.results.exported_results import write_results
from arena.tournament.results.result_files import ResultFileError, load_summary
from tests.support.command import Cli
from tests.support.lanterns import install_lanterns
from tests.support.tournaments.folders import open_results, run_tournament, write_tournament

pytestmark = pytest.mark.usefixtures("inline_workers")

DRAWN = """
game = "briscola"
table = 4
partners = "drawn"
matches = 24
seed = "1"
check = false
workers = 1
"""
LANTERNS = """
game = "lanterns"
table = 3
matches = 20
workers = 1
"""


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_an_export_says_who_played_together(tmp_path: Path, form: str) -> None:
    """So that the ratings of the file are those of the tournament."""
    bots = {"other": "random", "third": "random"}
    program = write_tournament(tmp_path, DRAWN, "counter", "random", **bots)
    run_tournament(program)
    file = tmp_path / f"results.{form}"
    with open_results(program) as store:
        write_results(store, form, file)
        expected = {row.name: row.rating.value for row in Summary.of(store).standings}
    found = {row.name: row.rating.value for row in load_summary(file).standings}
    assert found == pytest.approx(expected)


def test_an_export_of_a_cooperative_tournament_keeps_its_deals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is ranked by games won, over the deals that all have played."""
    install_lanterns(tmp_path, monkeypatch)
    program = write_tournament(tmp_path, LANTERNS, "steady", "random")
    run_tournament(program)
    file = tmp_path / "results.csv"
    with open_results(program) as store:
        write_results(store, "csv", file)
        expected = Summary.of(store)
    found = load_summary(file)
    assert found.ratings.measure == "won (%)"
    assert found.ratings.rating == pytest.approx(expected.ratings.rating)
    assert found.ratings.superiority == pytest.approx(expected.ratings.superiority)


def test_matches_of_teams_are_rated_by_entrant(quick: Cli, tmp_path: Path) -> None:
    """All seats of a team count once for who plays them; partners by name are rated together."""
    for bots, names, teams in (
        (["counter", "random"], {"counter", "random"}, None),
        (["counter", "random", "a=counter", "b=random"], {"counter", "random", "a", "b"},
         ((0, 1), (2, 3))),
    ):  # fmt: skip
        done = quick("match", "briscola", *bots, "--table", "4", "--games", "8", "--json")
        seats = json.loads(done.stdout.splitlines()[0])["seats"]
        assert [seat["team"] for seat in seats] == [0, 1, 0, 1]
        file = tmp_path / "matches.jsonl"
        file.write_text(done.stdout)
        found = load_summary(file)
        assert {row.name for row in found.standings} == names
        assert {row.matches for row in found.standings} == {8}
        assert found.rated_results.teams == teams


def test_a_verdict_in_a_void_match_does_not_count(tmp_path: Path) -> None:
    """What happened in a void match takes no fair match from an entrant."""
    file = tmp_path / "r.csv"
    file.write_text("match,name,place,verdict\n1,a,1,\n1,b,2,\n2,a,,crash\n2,b,,\n")
    totals = {row.name: row.totals for row in load_summary(file).standings}
    assert (totals["a"].matches, totals["a"].verdicts, totals["a"].fair_matches) == (1, {}, 1)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("1,a,1,x\n1,b,2,y\n1,c,2,\n", "line 2: the match has a team for some of its seats only"),
        ("1,a,1,x\n1,b,1,x\n1,c,2,y\n1,d,2,y\n2,a,1,x\n2,b,2,y\n",
         "line 6: its teams are not those of the others"),
    ],
)  # fmt: skip
def test_a_mistake_in_teams_names_its_line(tmp_path: Path, rows: str, problem: str) -> None:
    """As every mistake in a file of results does."""
    file = tmp_path / "r.csv"
    file.write_text(f"match,name,place,team\n{rows}")
    with pytest.raises(ResultFileError, match=problem):
        load_summary(file)
