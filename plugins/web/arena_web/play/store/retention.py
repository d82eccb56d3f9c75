"""How long tables are kept, and how many: of all visitors, and of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from attrs import frozen

from arena.tournament.store.connection import Connection
from arena_web.http.clients import compute_share, find_networks, iter_full_networks

KEPT_DAYS = 30
"""The days for which a table is kept after its last answer, unless the host says otherwise."""
MAX_KEPT_TABLES = 10_000
MAX_KEPT_TABLES_PER_ADDRESS = 1_000  # behind which a course may sit
DAY = 86_400  # seconds


@frozen
class Retention:
    """Which tables are kept."""

    days: float = KEPT_DAYS  #: after the last answer
    max_tables: int = MAX_KEPT_TABLES
    max_per_address: int = MAX_KEPT_TABLES_PER_ADDRESS  #: fewer where there is little room

    def delete_expired(self, connection: Connection, now: float) -> None:
        """Delete the tables that were kept for long enough."""
        oldest = now - DAY * self.days
        connection.execute("DELETE FROM tables WHERE changed < ?", (oldest,))

    def make_room(self, connection: Connection, address: str) -> None:
        """Delete the oldest table of a visitor who has a full share, or the oldest of all."""
        count = "SELECT address, COUNT(*) FROM tables GROUP BY address"
        counts: Counter[str] = Counter(dict(connection.read_rows(count)))
        limit = compute_share(self.max_tables - counts.total(), self.max_per_address)

        def list_addresses(network: str) -> list[str]:
            return [other for other in counts if network in find_networks(other)]

        def count_tables(network: str) -> int:
            return sum(counts[other] for other in list_addresses(network))

        if address:
            for network in iter_full_networks(address, limit, count_tables):
                self._delete_oldest(connection, list_addresses(network))
                return
        if counts.total() >= self.max_tables:
            self._delete_oldest(connection, counts)

    @staticmethod
    def _delete_oldest(connection: Connection, addresses: Collection[str]) -> None:
        """Delete the oldest of these tables, a finished one rather than a running one."""
        tables = "SELECT key, address FROM tables ORDER BY result IS NULL, changed"
        rows = connection.read_rows(tables)
        key = next(key for key, address in rows if address in addresses)
        connection.execute("DELETE FROM tables WHERE key = ?", (key,))


DEFAULT_RETENTION = Retention()
