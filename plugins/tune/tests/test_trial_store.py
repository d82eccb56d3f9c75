"""The database of a tuning run: what is played again when the run is continued."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from arena.rules import End
from arena_tune.match_store import CandidateMatch, MatchStore
from arena_tune.run import tabulate_results
from arena_tune.staged_search import SEARCH, Generation, Pairing
from tests.support.tournaments.statement_kills import assert_nothing_is_half


def build_trial(generation: int, pairing: int, end: End) -> CandidateMatch:
    score = None if end is End.VOID else 0.5
    return CandidateMatch(generation, 0, pairing, str(end), score, None, None, None, "", 0.1)


def test_void_matches_of_the_last_generation_are_played_again(tmp_path: Path) -> None:
    """Those of earlier ones stay, since the next candidates were chosen from what was there."""
    pairings = tuple(Pairing(deal, 0, (0,)) for deal in range(2))
    played = [
        build_trial(generation, pairing, end)
        for generation in range(2)
        for pairing, end in enumerate((End.VOID, End.FINISHED))
    ]
    with MatchStore.open(str(tmp_path / "tune.db"), write=True) as store:
        for number in range(2):
            store.check_generation(Generation(number, "search", ({},), pairings), write=True)
        store.add_matches(played)
        store.drop_void_matches()
        assert store.read_matches(0) == played[:2]
        assert store.read_matches(1) == played[3:]
        assert store.count_void() == 1


def test_a_kill_at_any_statement_leaves_a_whole_run(tmp_path: Path) -> None:
    """Facts, generations and matches are stored together, or not at all."""
    generation = Generation(0, "search", ({},), (Pairing(0, 0, (0,)),))
    played = [build_trial(0, pairing, end) for pairing, end in enumerate((End.VOID, End.FINISHED))]
    assert_nothing_is_half(
        tmp_path / "tune.db",
        lambda path: MatchStore.open(str(path), write=True),
        [
            lambda store: store.add_facts({"seed": 1, "terms": {}}),
            lambda store: store.replace_facts({"seed": 2, "terms": [3]}),
            lambda store: store.check_generation(generation, write=True),
            lambda store: store.add_matches(played),
            lambda store: store.drop_void_matches(),
        ],
    )


NAN = np.nan
PAIRINGS = tuple(Pairing(number, number % 2, (0,)) for number in range(6))


def store_match(
    pairing: int, score: float | None, points: str | None, verdict: str | None = None
) -> CandidateMatch:
    return CandidateMatch(0, 0, pairing, "finished", score, points, verdict, None, "", 0.1)


def test_margins_are_those_of_the_candidate() -> None:
    """Void matches, matches with a verdict and tables of more than two have none."""
    found = [
        store_match(0, 1.0, "[50, 41]"),
        store_match(1, 0.0, "[50, 41]"),
        store_match(2, None, "[50, 41]"),
        store_match(3, 0.0, "[0, 3]", verdict="timed out"),
        store_match(4, 1.0, "[3, 2, 1]"),
    ]
    results = tabulate_results(Generation(0, SEARCH, ({},), PAIRINGS), found)
    np.testing.assert_array_equal(results.scores, [[1, 0, NAN, 0, 1, NAN]])
    np.testing.assert_array_equal(results.margins, [[9, -9, NAN, NAN, NAN, NAN]])
