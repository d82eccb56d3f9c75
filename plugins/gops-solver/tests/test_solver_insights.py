"""What bids cost against the exact solution, as a part of a bot's playing style."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena import Insights
from arena.host import play_match
from arena.plugins import get_plugins
from arena_gops_solver import TableSpec, solve
from arena_gops_solver.analysis import split_result
from arena_gops_solver.commentary import COST, COST_BY_PRIZE, build_insights
from arena_gops_solver.recorded_matches import read_match
from arena_gops_solver.table_cache import find_finished_solution, get_table_path

Lines = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def solve_into_cache(cards: int) -> Insights:
    """Solve a game, and return what is observed with it."""
    path = get_table_path(TableSpec(cards, "points"))
    path.parent.mkdir(parents=True, exist_ok=True)
    solve(TableSpec(cards, "points"), path)
    (part,) = build_insights()
    return part


def build_lines(*rounds: tuple[int, tuple[int, ...]], fallback: int = -1, **variant: Any) -> Lines:
    """Return a transcript in which these prizes were bid for; one seat has the fallback bot."""
    seats = len(rounds[0][1])
    lines: Lines = [{"variant": {"cards": len(rounds), **variant}, "seats": [{}] * seats}]
    for prize, bids in rounds:
        lines.append({"to": None, "event": {"tell": "Prize", "card": prize}})
        lines += [
            {"from": seat, "answer": bid, "fallback": seat == fallback}
            for seat, bid in enumerate(bids)
        ]
        lines.append({"to": None, "event": {"tell": "Bids", "cards": [*bids]}})
    return lines


def observe(part: Insights, lines: Lines) -> list[tuple[Any, ...]]:
    seen = [*part.observe(lines)]
    by_prize: list[tuple[Any, ...]] = [
        (found.seat, found.value, found.x) for found in seen if found.key == COST_BY_PRIZE
    ]
    assert [found[:2] for found in by_prize] == [
        (found.seat, found.value) for found in seen if found.key == COST
    ]
    return by_prize


def test_a_match_of_two_cards_has_known_costs() -> None:
    """To bid the 1 for the prize of 2 gives away 2 points and wins the other prize back."""
    part = solve_into_cache(2)
    assert observe(part, build_lines((2, (1, 2)), (1, (2, 1)))) == [
        (0, pytest.approx(1), 2), (1, 0, 2), (0, 0, 1), (1, 0, 1),
    ]  # fmt: skip
    assert observe(part, build_lines((1, (1, 2)), (2, (2, 1)))) == [
        (0, 0, 1), (1, pytest.approx(1), 1), (0, 0, 2), (1, 0, 2),
    ]  # fmt: skip


def test_costs_are_those_of_the_analysis() -> None:
    """They are the losses by which a replay explains a match, with a table of more cards, too."""
    part = solve_into_cache(6)
    transcript = play_match("gops", ["easy", "hard"], seed="3", options={"cards": 5}).transcript
    assert transcript
    match, solved = read_match(transcript, "", ""), find_finished_solution("points", 5)
    assert match
    assert solved
    expected = [
        (seat, pytest.approx(max(0, float(step.losses[seat])), abs=1e-9), step.round.prize)
        for step in split_result(solved, match)
        for seat in (0, 1)
    ]
    lines = [*map(json.loads, transcript.text.splitlines())]
    assert observe(part, lines) == expected
    assert any(cost > 0.1 for _, cost, _ in observe(part, lines))


def test_what_the_fallback_bot_bids_is_not_observed() -> None:
    """The game goes on from its bids."""
    part = solve_into_cache(2)
    found = observe(part, build_lines((2, (1, 2)), (1, (2, 1)), fallback=0))
    assert found == [(1, 0, 2), (1, 0, 1)]


@pytest.mark.parametrize(
    "lines",
    [
        build_lines((2, (1, 2, 2)), (1, (2, 1, 1))),
        build_lines((3, (1, 2)), (1, (2, 1)), (2, (3, 3))),
        build_lines((2, (1, 2)), (1, (2, 1)), ties="carry"),
        build_lines((2, (1, 2)), (1, (2, 1)), prizes="descending"),
    ],
    ids=["three players", "more cards", "ties carry", "ordered prizes"],
)
def test_nothing_is_observed_of_what_is_not_solved(lines: Lines) -> None:
    """The other statistics of such a match are observed as ever."""
    assert observe(solve_into_cache(2), lines) == []


def test_there_is_nothing_to_observe_without_a_solved_game() -> None:
    """Once one is solved, or a larger one, matches are observed anew."""
    assert build_insights() == []
    assert len(get_plugins().list_insights("gops")) == 2
    small, large = solve_into_cache(2), solve_into_cache(3)
    assert small.version != large.version
    assert len(get_plugins().list_insights("gops")) == 3
