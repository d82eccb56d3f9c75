"""Where a tournament keeps its data."""

from __future__ import annotations

from pathlib import Path

from arena.tournament.config.spec import TournamentSpec


def get_data_folder(tournament: TournamentSpec) -> Path:
    """Return the folder beside a tournament's file for copies of bots, and for what they keep."""
    return tournament.data_folder or tournament.home / f"{tournament.stem}.arena"
