"""A result is the sum of its parts: prizes, losses, and how the bids met."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from arena import UserError
from arena.cli.match import match as match_command
from arena.records import read_transcript
from arena_gops import Gops
from arena_gops_solver import SolvedGame, SolverPosition, TableSpec, solve
from arena_gops_solver.analysis import EndgameSolver, split_result
from arena_gops_solver.recorded_matches import (
    MatchCollection,
    RecordedMatch,
    find_transcripts,
    read_match,
)
from arena_gops_solver.solver import choose_subgame_size, count_games, solve_from
from tests.support.gops_analyses import parse_rows, record_matches, run_analysis

Solve = Callable[..., SolvedGame]
CARDS = 7
DEAD = f"{sys.executable} -c pass"  # a program that ends at once


def played(folder: Path, words: str, games: int = 1) -> Path:
    folder.mkdir()
    words = f"{words} --games {games} --seed 7 --json --transcript {folder}"
    done = CliRunner().invoke(match_command, shlex.split(words), catch_exceptions=False)
    assert done.stdout.count("\n") == games
    return folder


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> list[RecordedMatch]:
    folder = tmp_path_factory.mktemp("matches")
    pairs = ("hard planner", "medium hard-patterned", "random match", "easy ordered -o ties=split")
    names = [played(folder / str(at), f"gops {pair} -o cards={CARDS}", 10)
             for at, pair in enumerate(pairs)]  # fmt: skip
    return MatchCollection.of(find_transcripts(map(str, names))).matches


@pytest.mark.parametrize("objective", ["points", "win"])
def test_many_matches_add_up(solved: Solve, matches: list[RecordedMatch], objective: str) -> None:
    """From 0 each round leads exactly to the next, and the last one to the result."""
    assert len(matches) == 40
    for match in matches:
        steps = split_result(solved(CARDS, objective), match)
        ahead = match.difference
        assert steps[0].before == 0
        assert [step.after for step in steps[:-1]] == [step.before for step in steps[1:]]
        assert steps[-1].after == (ahead if objective == "points" else (ahead > 0) - (ahead < 0))
        parts = [(step.prize_luck, -step.losses[0], step.losses[1], step.meeting) for step in steps]
        assert sum(sum(part) for part in parts) == steps[-1].after


@pytest.mark.parametrize("objective", ["points", "win"])
def test_no_bid_gains_against_the_solution(
    solved: Solve, matches: list[RecordedMatch], objective: str
) -> None:
    """Losses are 0 or more, except for rounding, and some are not 0."""
    steps = [step for match in matches for step in split_result(solved(CARDS, objective), match)]
    losses = [float(loss) for step in steps for loss in step.losses]
    assert min(losses) > -1e-9
    assert max(losses) > 0.5


@pytest.mark.parametrize("objective", ["points", "win"])
def test_the_stage_holds_what_comes_after(
    solved: Solve, matches: list[RecordedMatch], objective: str
) -> None:
    """Where the bids meet in the matrix is the value after the round, with what they bring."""
    for match in matches:
        for step in split_result(solved(CARDS, objective), match):
            so_far = step.round.place.difference if objective == "points" else 0
            assert so_far + step.stage[step.round.cell] == pytest.approx(float(step.after))


def test_a_match_worked_out_by_hand(solved: Solve) -> None:
    """With 1 and 2 left each, to bid 1 for the prize of 2 costs the 1 point that follows."""
    match = RecordedMatch("here", "", ("a", "b"), ("a", "b"), Gops(2), (2, 1), ((1, 2), (2, 1)))
    first, last = split_result(solved(2), match)
    assert [*first.losses, first.prize_luck, first.meeting] == [1, 0, 0, 0]
    assert [first.before, first.after] == [0, -1]
    assert [*last.losses, last.after] == [0, 0, match.difference]


def test_losses_are_exact_fractions(solved: Solve, matches: list[RecordedMatch]) -> None:
    """Nothing is rounded on the way: every part is a fraction."""
    step = split_result(solved(CARDS), matches[0])[0]
    parts = [step.before, step.prize_luck, *step.losses, step.meeting, step.after]
    assert all(isinstance(part, Fraction) for part in parts)


def test_a_forfeited_match_has_no_result(tmp_path: Path) -> None:
    """Where a program has failed there is nothing to explain."""
    file = next(played(tmp_path / "dead", f"gops easy '{DEAD}'").iterdir())
    assert read_match(read_transcript(file), str(file), "") is None


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("kuhn random careful", "a match of kuhn; only matches of gops can be explained"),
        ("gops easy hard medium", "the GOPS solver supports 2 players, not 3"),
        (
            "gops easy hard -o ties=carry",
            "ties=carry: the GOPS solver supports only ties=discard and ties=split",
        ),
        ("gops easy hard -o prizes=ascending", "the GOPS solver supports only shuffled prizes"),
    ],
)
def test_what_is_not_solved_is_refused(tmp_path: Path, words: str, why: str) -> None:
    """The line names the file and what is solved."""
    file = next(played(tmp_path / "other", words).iterdir())
    with pytest.raises(UserError, match=why) as refused:
        read_match(read_transcript(file), str(file), "")
    assert str(refused.value).startswith(f"{file}: ")


def test_a_changed_transcript_is_refused(tmp_path: Path) -> None:
    """A bid that is not in the hand differs from the rules; the line is named."""
    file = next(played(tmp_path / "one", "gops easy hard -o cards=4").iterdir())
    text = file.read_text().replace('"answer":', '"answer":9', 1)
    file.write_text(text)
    with pytest.raises(UserError, match=r"jsonl: line \d+: the rules do not allow the answer"):
        read_match(read_transcript(file), str(file), "")


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
