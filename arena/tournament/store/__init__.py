"""What a tournament is kept in: one database, in an SQLite file or on a PostgreSQL server.

A match is over when it is stored: one transaction for each, which is on the disk when
`record` returns, whatever happens to the process or the machine then; and none is stored
twice. One process at a time may write, see `Store.claim`; any number may read meanwhile.

Importing this is slow (SQLAlchemy), so it is imported where a database is needed.
"""

from __future__ import annotations

from arena.tournament.store.columns import Columns
from arena.tournament.store.listing import Filter, Listing
from arena.tournament.store.reading import Counts, Reading
from arena.tournament.store.tallies import Tallies, Tally
from arena.tournament.store.writing import GONE, Key, Writing

__all__ = ["GONE", "Counts", "Filter", "Key", "Store", "Tally"]


class Store(Writing, Reading, Columns, Listing, Tallies):
    """A tournament's database: `Store.open(address)`, then ask; `claim()`, then write."""
