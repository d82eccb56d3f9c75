"""The transcripts as they are stored: JSON lines, compressed."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from attrs import frozen

from arena.rules import spread_over_seats
from arena.tournament.deals import Key
from arena.tournament.store.connection import format_marks
from arena.tournament.store.schema import OF_MATCH
from arena.tournament.store.tournament_database import StorePart

TRANSCRIPTS = """
SELECT seats.deal, seats.rotation, entrant, blob FROM seats JOIN transcripts
    ON transcripts.deal = seats.deal AND transcripts.rotation = seats.rotation
WHERE seats.deal IN ({deals}) AND place IS NOT NULL
ORDER BY seats.deal, seats.rotation, seat
"""


@frozen
class StoredTranscript:
    """A transcript as it is stored, with the players of its match."""

    key: Key  #: of the match
    numbers: tuple[int, ...]  #: of the entrants that sat there, in seat order
    blob: bytes  #: JSON lines, compressed

    def parse(self) -> list[dict[str, Any]]:
        """Return all lines as JSON, the header first."""
        text = zlib.decompress(self.blob).decode().removesuffix("\n")
        lines: list[dict[str, Any]] = json.loads(f"[{text.replace(chr(10), ',')}]")
        return lines


@frozen(eq=False)
class Transcripts(StorePart):
    """The transcripts of a tournament, of those matches of which one is kept."""

    def load(self, deal: int, rotation: int) -> bytes | None:
        """Return a match's transcript, JSON lines; None if none was kept."""
        with self._database.begin_read() as connection:
            blob = connection.read_value(
                f"SELECT blob FROM transcripts {OF_MATCH}", (deal, rotation)
            )
        return None if blob is None else zlib.decompress(blob)

    def measure_bytes(self) -> int:
        """Return the compressed size of all transcripts in bytes; slow if there are many."""
        with self._database.begin_read() as connection:
            return int(connection.read_value("SELECT SUM(LENGTH(blob)) FROM transcripts") or 0)

    def iterate(self, some: Sequence[int]) -> Iterator[StoredTranscript]:
        """Yield the stored transcripts of these deals, without those of void matches."""
        with self._database.begin_read() as connection:
            rows = connection.read_rows(TRANSCRIPTS.format(deals=format_marks(some)), some)
        teams = self._database.settings.teams
        for key, group in groupby(rows, itemgetter(0, 1)):
            rows_of_match = [*group]
            seated = tuple([number for _, _, number, _ in rows_of_match])
            numbers = spread_over_seats(teams, seated) if teams else seated
            yield StoredTranscript(key, numbers, rows_of_match[0][-1])
