"""Queries for the transcripts of deals that are over, for whoever reads all of them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from attrs import frozen
from sqlalchemy import bindparam, func, select

from arena.tournament.store.entrants import EntrantStore
from arena.tournament.store.match_writer import Key
from arena.tournament.store.schema import deals, matches, seats, transcripts


@frozen
class StoredTranscript:
    """A transcript as it is stored, with the players of its match."""

    key: Key  #: of the match
    entrants: tuple[int, ...]  #: the numbers of who sat there, in seat order
    blob: bytes  #: JSON lines, compressed

    def parse(self) -> list[dict[str, Any]]:
        """Return all lines as JSON, the header first."""
        text = zlib.decompress(self.blob).decode().removesuffix("\n")
        lines: list[dict[str, Any]] = json.loads(f"[{text.replace(chr(10), ',')}]")
        return lines


class TranscriptQueries(EntrantStore):
    """Queries for transcripts, deal by deal."""

    def list_settled_deals(self, start: int, without: Collection[int], limit: int) -> list[int]:
        """Return the first deals from this number on of which every rotation is settled."""
        some = _SETTLED.limit(limit + len(without))
        with self.begin_read() as connection:
            found = connection.scalars(some, {"start": start}).all()
        return [deal for deal in found if deal not in without][:limit]

    def iterate_transcripts(self, some: Sequence[int]) -> Iterator[StoredTranscript]:
        """Return the stored transcripts of these deals, without those of void matches."""
        with self.begin_read() as connection:
            rows = connection.execute(_TRANSCRIPTS, {"these": some}).all()
        for (deal, rotation), group in groupby(rows, itemgetter(0, 1)):
            seated = [*group]
            yield StoredTranscript(
                (deal, rotation), tuple(row.entrant for row in seated), seated[0].blob
            )


_SETTLED = (
    select(matches.c.deal)
    .join(deals)
    .where(matches.c.deal >= bindparam("start"))
    .group_by(matches.c.deal, deals.c.rotations)
    .having(func.count() == deals.c.rotations)
    .order_by(matches.c.deal)
)
_TRANSCRIPTS = (
    select(seats.c.deal, seats.c.rotation, seats.c.entrant, transcripts.c.blob)
    .join(
        transcripts,
        (transcripts.c.deal == seats.c.deal) & (transcripts.c.rotation == seats.c.rotation),
    )
    .where(seats.c.deal.in_(bindparam("these", expanding=True)), seats.c.place.is_not(None))
    .order_by(seats.c.deal, seats.c.rotation, seats.c.seat)
)
