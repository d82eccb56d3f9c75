"""The argument TOURNAMENT of several commands: a tournament file or a database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from arena.tournament.store import Store

tournament_argument = click.argument("tournament", metavar="TOURNAMENT")


def open_store(tournament: str) -> Store:
    """Open a tournament for reading, by its file, its database file, or a server's address."""
    from arena.tournament.file import SUFFIX, load
    from arena.tournament.store import Store

    address = load(Path(tournament)).database if tournament.endswith(SUFFIX) else tournament
    return Store.open(address, write=False)
