"""Which copies of submissions nobody plays from any more, so that they can be deleted."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock

from arena.tournament import State
from arena.tournament.bots.copies import get_copy_name
from arena.tournament.commands import EntryCommand
from arena.tournament.entries import get_version
from arena.tournament.store import Store
from arena_hill.db.database import HillDatabase
from arena_hill.db.submissions import OPEN_STATES
from arena_hill.hill import Hill

COPIES_LOCK = Lock()
"""Held by the threads of the judge while they add, use or delete copies of bots."""
PLAYABLE_STATES = (State.ACTIVE, State.WAITING, State.UNFIT)
"""The states of entrants that play or may play again; the host may fix unfit ones."""


def delete_unused_copies(hill: Hill, database: HillDatabase) -> list[str]:
    """Delete the copies of submissions from which nobody plays any more; return their versions.

    A copy is needed as long as its version takes part or sits at a deal that is not over; and
    before that, from when it is made until the coordinator has let its version in. A version moves
    along that way while it is looked for. So it is looked for from the beginning of the way to its
    end, and none that is needed is missed. No copy is made meanwhile. Copies of the host's own
    entrants stay.

    Raises:
        StorageError: where a database does not say what is needed.
    """
    with COPIES_LOCK:
        there = hill.copies.measure().keys()
        if not there:
            return []
        on_their_way = database.list_versions(OPEN_STATES)
        playing = hill.query_tournament(lambda store: {*_list_versions_in_use(store, database)})
        if playing is None:
            return []
        needed = {*map(get_copy_name, on_their_way | playing)}
        sent = {*map(get_copy_name, database.list_versions())}
        unneeded = sorted((there & sent) - needed)
        return [version for version in unneeded if hill.copies.discard(version)]


def _list_versions_in_use(store: Store, database: HillDatabase) -> Iterator[str]:
    """Yield the versions that are accepted and play, or may play soon."""
    last = store.facts.last_command
    yield from (
        command.entry.version
        for command in database.commands.fetch(last)
        if isinstance(command, EntryCommand)
    )
    may_play = (entry for entry in store.entries.list_all() if entry.state in PLAYABLE_STATES)
    yield from (entry.version for entry in may_play)
    yield from (
        get_version(entrant)
        for deal, rotation in store.deals.list_todo()
        for entrant in deal.rotate(rotation)
    )
