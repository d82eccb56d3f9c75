"""The progress of a tournament: how many matches are over, and when they were."""

from __future__ import annotations

from attrs import frozen

from arena.rules import End
from arena.tournament.deals import Key
from arena.tournament.entries import Id
from arena.tournament.match_record import CANCELLED
from arena.tournament.store.counts import MatchCounts
from arena.tournament.store.tournament_database import StorePart

FIRST_TIME = 'SELECT stored FROM matches WHERE "end" <> ? ORDER BY stored LIMIT 1'
LAST_TIME = 'SELECT stored FROM matches WHERE "end" <> ? ORDER BY stored DESC LIMIT 1'
"""The times of the first and the last result, by an index, without a scan of all matches."""
OF_ENTRANT = """
SELECT stored FROM matches JOIN seats
    ON seats.deal = matches.deal AND seats.rotation = matches.rotation
WHERE entrant = ?
"""


@frozen(eq=False)
class Progress(StorePart):
    """How far a tournament has come."""

    def count_matches(self) -> MatchCounts:
        """Return the counts of matches by their state."""
        with self._database.begin_read() as connection:
            total = connection.read_value("SELECT SUM(rotations) FROM deals") or 0
            by_end = 'SELECT "end", COUNT(*) FROM matches GROUP BY "end"'
            counts: dict[str, int] = dict(connection.read_rows(by_end))
        cancelled = counts.pop(CANCELLED, 0)
        return MatchCounts(total, sum(counts.values()), counts.get(End.VOID, 0), cancelled)

    def count_replaced_results(self) -> int:
        """Return the number of results that were replaced by playing a match again."""
        with self._database.begin_read() as connection:
            return int(connection.read_value("SELECT COUNT(*) FROM replaced"))

    def find_first_and_last(self) -> tuple[str, str] | None:
        """Return the end times of the first and last match (ISO 8601, UTC); None before any."""
        with self._database.begin_read() as connection:
            first = connection.read_value(FIRST_TIME, (CANCELLED,))
            last = connection.read_value(LAST_TIME, (CANCELLED,))
        return None if first is None else (first, last)

    def has_results(self, entrant: Id, number: int) -> bool:
        """Return whether an entrant has at least so many results, without void matches."""
        query = (
            "SELECT COUNT(*) FROM"
            " (SELECT 1 FROM seats WHERE entrant = ? AND place IS NOT NULL LIMIT ?) AS own"
        )
        values = self._directory.find_number(entrant), number
        with self._database.begin_read() as connection:
            return bool(connection.read_value(query, values) >= number)

    def find_debut(self, entrant: Id) -> str | None:
        """Return the time of an entrant's first result (ISO 8601, UTC); None before that."""
        query = f"{OF_ENTRANT} ORDER BY seats.deal, seats.rotation LIMIT 1"
        with self._database.begin_read() as connection:
            time: str | None = connection.read_value(query, (self._directory.find_number(entrant),))
        return time

    def find_last_time(self, entrant: Id) -> str | None:
        """Return the time of an entrant's last result (ISO 8601, UTC); None without any."""
        query = f"{OF_ENTRANT} ORDER BY seats.deal DESC, seats.rotation DESC LIMIT 1"
        with self._database.begin_read() as connection:
            time: str | None = connection.read_value(query, (self._directory.find_number(entrant),))
        return time

    def find_deal_time(self, deal: int) -> str | None:
        """Return the time of a deal's first result (ISO 8601, UTC); None before that."""
        query = "SELECT MIN(stored) FROM matches WHERE deal = ?"
        with self._database.begin_read() as connection:
            time: str | None = connection.read_value(query, (deal,))
        return time

    def find_longest(self) -> tuple[Key, int] | None:
        """Return the first of the longest matches and its rounds; None if all are as long."""
        lengths = 'SELECT MIN(rounds), MAX(rounds) FROM matches WHERE "end" = ?'
        first = (
            'SELECT deal, rotation FROM matches WHERE "end" = ? AND rounds = ?'
            " ORDER BY deal, rotation LIMIT 1"
        )
        end = str(End.FINISHED)
        with self._database.begin_read() as connection:
            ((shortest, longest),) = connection.read_rows(lengths, (end,))
            if longest == shortest:
                return None
            ((deal, rotation),) = connection.read_rows(first, (end, longest))
        return (deal, rotation), longest
