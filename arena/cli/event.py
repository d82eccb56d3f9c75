"""What commands about an event share: they take its file, or its database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from arena.tournament.store import Store

the_event = click.argument("event", metavar="EVENT")


def the_store(event: str) -> Store:
    """Open an event for reading: by its file, its database's, or a server's address."""
    from arena.tournament.event import SUFFIX, load
    from arena.tournament.store import Store

    address = load(Path(event)).database if event.endswith(SUFFIX) else event
    return Store.open(address, write=False)
