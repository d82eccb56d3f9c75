"""Matches as a worker plays them, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.host import Limits
from arena.plugins import Game
from arena.rules import End, Variant
from arena.tournament.entries import Entry, ReadyEntry
from arena.tournament.kept_transcripts import KeptTranscripts
from arena.tournament.workers.match_batch import (
    BatchSettings,
    MatchBatch,
    PlannedMatch,
)
from arena.tournament.workers.match_play import play_batch


def test_the_variant_of_a_match_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match builds one variant, which its players and its host share."""
    variants: list[Variant] = []
    read_variant = Game.read_variant

    def record_variant(game: Game, options: Mapping[str, Any]) -> Variant:
        variants.append(read_variant(game, options))
        return variants[-1]

    monkeypatch.setattr(Game, "read_variant", record_variant)
    seats = tuple(ReadyEntry(Entry(f"bot{n}", "1", "random"), None) for n in range(2))
    settings = BatchSettings(
        "kuhn",
        {},
        "1",
        Limits(),
        KeptTranscripts.NONE,
        home=tmp_path,
        bots=tmp_path,
        kept_folders=tmp_path,
    )
    batch = MatchBatch((PlannedMatch(0, 0, seats), PlannedMatch(0, 1, seats)), settings)
    assert [record.end for record in play_batch(batch)] == [End.FINISHED, End.FINISHED]
    assert len(variants) == 2


def test_no_retry_has_the_deal_of_another_start() -> None:
    """Who may remember gets a new deal however often a match was begun before."""
    keeper = (ReadyEntry(Entry("bot", "1", "random", keeps=True), None),)
    attempts = []
    for start in range(3):
        match = PlannedMatch(0, 0, keeper, start)
        for _ in range(40):
            attempts.append(match.replay)
            match = match.renew()
    assert len({*attempts}) == len(attempts) == 120
