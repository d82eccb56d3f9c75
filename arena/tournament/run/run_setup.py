"""The setup of a run: its database is created, and its workers are provided.

It is the same for a tournament and for a duel.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from arena.rules import derive_seed, generate_seed
from arena.tournament.entries import Entry, ReadyEntry
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.store import Store, StoredSettings
from arena.tournament.workers.dispatcher import Dispatcher, choose_concurrency
from arena.tournament.workers.leftovers import RunMark
from arena.tournament.workers.match_batch import BatchSettings
from arena.tournament.workers.run_workers import RunWorkers


def create_store(spec: TournamentSpec, settings: StoredSettings, entries: Iterable[Entry]) -> Store:
    """Create and claim the database of a tournament, with settings that must not change."""
    seed = spec.file.seed
    secret = generate_seed() if seed is None else derive_seed(seed, "secret")
    return Store.create(spec.database, settings, secret, entries)


def build_dispatcher(
    spec: TournamentSpec,
    settings: BatchSettings,
    ready_entries: Collection[ReadyEntry],
    mark: RunMark,
) -> Dispatcher:
    """Return the dispatcher of matches of these entrants to workers with this mark."""
    usual = choose_concurrency(spec.game, ready_entries, spec.seats_per_match)
    concurrency = spec.file.workers or spec.executors.places() or usual
    workers = RunWorkers.of(spec.executors, settings.bots, mark)
    return Dispatcher(workers, settings, concurrency)
