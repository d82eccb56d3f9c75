"""The setup of a run: its database is claimed or created, and its workers are provided.

It is the same for a tournament and for a duel.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from arena.rules import derive_seed, generate_seed
from arena.tournament.entries import Entry, ReadyEntry
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.store import Store, StoredSettings
from arena.tournament.workers.dispatcher import Dispatcher, choose_concurrency
from arena.tournament.workers.leftovers import RunMark
from arena.tournament.workers.match_batch import BatchSettings
from arena.tournament.workers.run_workers import RunWorkers


def claim_store(
    spec: TournamentSpec,
    settings: StoredSettings,
    read_entries: Callable[[], Sequence[Entry]],
    check: Callable[[Store, Sequence[str]], None],
) -> Store:
    """Open the database of a tournament and claim it; create it for the first run.

    Args:
        spec: the tournament.
        settings: those that must not change.
        read_entries: returns the first entrants, or raises UserError.
        check: raises UserError unless the database is that of this tournament; it gets the store,
            and a line for each setting that has changed.
    """

    def create() -> Store:
        seed = spec.file.seed
        secret = generate_seed() if seed is None else derive_seed(seed, "secret")
        return Store.create(spec.database, settings, secret, read_entries())

    def check_store(store: Store) -> None:
        check(store, store.settings.list_changes(settings, spec.game))

    return Store.claim_or_create(spec.database, check_store, create)


def build_dispatcher(
    spec: TournamentSpec, settings: BatchSettings, entrants: Collection[ReadyEntry], mark: RunMark
) -> Dispatcher:
    """Return the dispatcher of matches of these entrants to workers with this mark."""
    usual = choose_concurrency(spec.game, entrants, spec.seats_per_match)
    concurrency = spec.file.workers or spec.executors.places() or usual
    workers = RunWorkers.of(spec.executors, settings.bots, mark)
    return Dispatcher(workers, settings, concurrency)
