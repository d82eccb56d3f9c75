"""The database of a tuning run: what is played again when the run is continued."""

from __future__ import annotations

from pathlib import Path

from arena.rules import End
from arena_tune.course import Generation, Pairing
from arena_tune.trial_store import CandidateMatch, TrialStore


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
    with TrialStore.open(str(tmp_path / "tune.db"), write=True) as store:
        for number in range(2):
            store.check_generation(Generation(number, "search", ({},), pairings), write=True)
        store.add_trials(played)
        store.drop_void_trials()
        assert store.read_trials(0) == played[:2]
        assert store.read_trials(1) == played[3:]
        assert store.count_void() == 1
