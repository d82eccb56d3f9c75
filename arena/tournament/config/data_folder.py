"""The folders for a tournament's data."""

from __future__ import annotations

from pathlib import Path

from arena.tournament.config.spec import TournamentSpec


def get_data_folder(tournament: TournamentSpec) -> Path:
    """Return the folder next to the tournament file for copies of bots and the files they keep."""
    return tournament.data_folder or tournament.home / f"{tournament.stem}.arena"
