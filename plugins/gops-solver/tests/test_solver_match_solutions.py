"""Matches without a table: their last rounds are explained, from what they can still come to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arena import UserError
from arena_gops_solver import SolvedGame, SolverPosition, TableSpec, solve
from arena_gops_solver.analysis import EndgameSolver, split_result
from arena_gops_solver.recorded_matches import MatchCollection, find_transcripts
from arena_gops_solver.solver import choose_subgame_size, count_games, solve_from
from tests.support.gops_analyses import parse_rows, record_matches, run_analysis

pytestmark = pytest.mark.usefixtures("apart")
REACHED = {"points": 9, "win": 7}  # cards left: less than within seconds, and as deep for a test


@pytest.fixture
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    most = {objective: count_games(cards) for objective, cards in REACHED.items()}
    monkeypatch.setattr("arena_gops_solver.solver.MOST_GAMES", most)


@pytest.mark.parametrize("objective", ["points", "win"])
def test_each_round_is_explained_as_by_the_whole_table(objective: str, tmp_path: Path) -> None:
    """From whichever round on it is solved: all values and stages are those of the table."""
    table = SolvedGame(solve(TableSpec(7, objective), tmp_path / "7.table"))
    found = MatchCollection.of(
        find_transcripts([str(record_matches(tmp_path / "some", "hard easy -o cards=7", 4))])
    )
    for match in found.matches:
        for first, round_ in enumerate(match.rounds):
            gone = sum(match.prizes[:first])
            late = split_result(solve_from(round_.place, objective, gone), match, first)
            for whole, part in zip(split_result(table, match, first), late, strict=True):
                assert part.before == pytest.approx(whole.before, abs=1e-9)
                assert np.allclose(part.stage, whole.stage, rtol=0, atol=1e-9)


@pytest.mark.usefixtures("_hurried")
def test_the_last_rounds_of_a_large_game_are_explained(tmp_path: Path) -> None:
    """By both objectives; the rest is one number, and it is said how to get all rounds."""
    folder = record_matches(tmp_path / "large", "easy hard")
    match, last = parse_rows(folder)
    for by, number in REACHED.items():
        assert [by in round_ for round_ in match["rounds"]] == [False] * (13 - number) + [
            True
        ] * number
        some = match[by]
        total = some["left_out"] + some["prize_luck"] + some["meeting"]
        assert total - some["losses"][0] + some["losses"][1] == pytest.approx(some["result"])
        assert some["left_out"] == match["rounds"][13 - number][by]["before"]
        assert {blunder["round"] for blunder in last["summary"][by]["worst"]} <= {
            *range(14 - number, 14)
        }
    done = run_analysis(folder)
    assert "only the last 9 rounds (points)" in done.stderr
    assert "arena gops solve --cards 13" in done.stderr
    words = " ".join(done.stdout.split())
    assert "from round 5 on" in words
    assert "(expected after round 6)" in words
    assert "arena gops explore" not in done.stdout  # which would need the table


@pytest.mark.usefixtures("_hurried")
def test_several_matches_add_up(tmp_path: Path) -> None:
    """What the rounds that are left out have brought has a column of its own."""
    folder = record_matches(tmp_path / "some", "easy hard", 3)
    assert "left out" in run_analysis(folder, "--objective", "points").stdout
    for bot in parse_rows(folder, "--objective", "points")[-1]["summary"]["points"]["bots"]:
        parts = bot["left_out"] + bot["prize_luck"] + bot["lost_by_others"] + bot["meeting"]
        assert parts - sum(bot["lost_by_third"]) == pytest.approx(bot["result"]["mean"])


def test_a_place_that_was_not_reached_is_refused() -> None:
    """A card that was played before is none of the game from there on."""
    game = solve_from(SolverPosition([1, 5], [2, 3], [4, 6]), "points", 11)
    with pytest.raises(UserError, match="mine: 1 4 are not different cards of 1 5"):
        game.compute_value(SolverPosition([1, 4], [2, 3], [4, 6]))


def test_more_matches_are_solved_less_deep() -> None:
    """All of them together take no longer than one may; the last round is always explained."""
    assert count_games(2) == 10
    assert (choose_subgame_size("points", 1), choose_subgame_size("win", 1)) == (11, 9)
    for objective in ("points", "win"):
        depths = [
            EndgameSolver.of(objective, number).rounds for number in (1, 10, 100, 10**6, 10**12)
        ]
        assert depths == sorted(depths, reverse=True)
        assert depths[-1] == 1
        assert 100 * count_games(choose_subgame_size(objective, 100)) <= count_games(depths[0] + 1)
