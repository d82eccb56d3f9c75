"""A result is the sum of its parts: prizes, losses, and how the bids met."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena import UserError
from arena.cli.match import match as match_command
from arena.records import read_transcript
from arena_gops import Gops
from arena_gops_solver import SolvedGame
from arena_gops_solver.analysis import split_result
from arena_gops_solver.recorded_matches import (
    MatchCollection,
    RecordedMatch,
    find_transcripts,
    read_match,
)

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
    names = [played(folder / str(at), f"gops {pair} -o cards={CARDS}", 25)
             for at, pair in enumerate(pairs)]  # fmt: skip
    return MatchCollection.of(find_transcripts(map(str, names))).matches


@pytest.mark.parametrize("objective", ["points", "win"])
def test_a_hundred_matches_add_up(
    solved: Solve, matches: list[RecordedMatch], objective: str
) -> None:
    """From 0 each round leads exactly to the next, and the last one to the result."""
    assert len(matches) == 100
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


def test_nash_loses_nothing(solved: Solve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who plays the solution never bids what it would not."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = played(tmp_path / "matches", "gops nash hard -o cards=5", 20)
    for match in MatchCollection.of(find_transcripts([str(folder)])).matches:
        seat = match.names.index("nash")
        assert all(abs(step.losses[seat]) < 1e-9 for step in split_result(solved(5), match))


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
