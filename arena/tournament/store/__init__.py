"""The store of a tournament: a database in an SQLite file or on a PostgreSQL server.

A match is over when it is stored: one transaction for each, which is on the disk when
`record` returns, whatever happens to the process or the machine then; and none is stored
twice. One process at a time may write, see `Store.claim`; any number may read meanwhile.
"""

from __future__ import annotations

from arena.tournament.store.counts import EntrantTotals, MatchCounts
from arena.tournament.store.facts import Facts
from arena.tournament.store.match_filter import MatchFilter
from arena.tournament.store.settings import LastHillSettings, StoredSettings
from arena.tournament.store.store import Store
from arena.tournament.store.transcripts import StoredTranscript

__all__ = [
    "EntrantTotals",
    "Facts",
    "LastHillSettings",
    "MatchCounts",
    "MatchFilter",
    "Store",
    "StoredSettings",
    "StoredTranscript",
]
