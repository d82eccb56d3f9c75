"""The folders for a tournament's data."""

from __future__ import annotations

import stat
from contextlib import suppress
from pathlib import Path

from arena.rules import UserError
from arena.tournament.config.spec import TournamentSpec

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def get_data_folder(tournament: TournamentSpec) -> Path:
    """Return the folder next to the tournament file for copies of bots and the files they keep."""
    return tournament.data_folder or tournament.home / f"{tournament.stem}.arena"


def make_data_folder(tournament: TournamentSpec) -> None:
    """Make the folder for a tournament's data, in which nobody else may rename anything.

    Raises:
        UserError: where it cannot be made.
    """
    folder = get_data_folder(tournament)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(f"{folder} cannot be made: {problem.strerror}") from None
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & OTHERS_WRITE:
        with suppress(PermissionError):  # somebody else's, as the host has decided
            folder.chmod(mode & ~OTHERS_WRITE)
