"""The copies of bots that the threads of a judge share: they add, use and delete them in turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from attrs import field, frozen

from arena.tournament import State
from arena.tournament.bots.copies import get_copy_name
from arena.tournament.commands import EntryCommand
from arena.tournament.entries import get_version
from arena.tournament.store import Store
from arena_hill.db.store import HillStore
from arena_hill.file_locks import FileHeldError, hold_free_file
from arena_hill.hill import Hill
from arena_hill.submission_states import OPEN_STATES

PLAYABLE_STATES = (State.ACTIVE, State.WAITING, State.UNFIT)
"""The states of entrants that play or may play again; the host may fix unfit ones."""


@frozen(eq=False)
class SharedCopies:
    """The copies of a hill's bots; one thread of its judge at a time holds them."""

    hill: Hill
    store: HillStore
    _lock: Lock = field(factory=Lock, init=False)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the copies for a block that adds or uses some, once no other thread does."""
        with self._lock:
            yield

    def delete_unused(self) -> list[str]:
        """Delete the copies from which nobody plays any more; return their versions.

        A copy is needed as long as its version takes part or sits at a deal that is not over; and
        before that, from when it is made until the coordinator has let its version in. A version
        moves along that way while it is looked for. So it is looked for from the beginning of the
        way to its end, and none that is needed is missed. No copy is made meanwhile. Copies of the
        host's own entrants stay.

        Nothing is deleted while another thread holds the copies: a bot may be built meanwhile,
        which takes minutes, and the judge's own thread does not wait for that. Nor is anything
        deleted while a backup is made, whose databases may be older.

        Raises:
            StorageError: where a database does not say what is needed.
        """
        if not self._lock.acquire(blocking=False):
            return []
        try:
            with hold_free_file(self.hill.deletion_lock_file, "a backup is being made"):
                unused = self._list_unused()
                return [version for version in unused if self.hill.copies.discard(version)]
        except FileHeldError:
            return []
        finally:
            self._lock.release()

    def _list_unused(self) -> list[str]:
        copies = self.hill.copies.measure().keys()
        if not copies:
            return []
        open_versions = self.store.submissions.list_versions(OPEN_STATES)
        playing = self.hill.query_tournament(
            lambda tournament: {*_list_versions_in_use(tournament, self.store)}
        )
        if playing is None:
            return []
        needed = {*map(get_copy_name, open_versions | playing)}
        submitted = {*map(get_copy_name, self.store.submissions.list_versions())}
        return sorted((copies & submitted) - needed)


def _list_versions_in_use(tournament: Store, store: HillStore) -> Iterator[str]:
    """Yield the versions that are accepted and play, or may play soon."""
    last = tournament.facts.last_command
    yield from (
        command.entry.version
        for command in store.commands.fetch(last)
        if isinstance(command, EntryCommand)
    )
    entries = tournament.entries.list_all()
    yield from (entry.version for entry in entries if entry.state in PLAYABLE_STATES)
    yield from (
        get_version(entrant)
        for deal, rotation in tournament.deals.list_todo()
        for entrant in deal.rotate(rotation)
    )
