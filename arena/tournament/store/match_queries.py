"""Queries for matches: those that pass a filter, page by page."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from attrs import frozen
from sqlalchemy import FromClause, Select, bindparam, exists, func, select, tuple_, union

from arena.records import pack_match, pack_seat
from arena.rules import UnknownNameError, UserError
from arena.tournament.models.schedule import get_name
from arena.tournament.store.entrants import EntrantStore
from arena.tournament.store.match_writer import Key
from arena.tournament.store.schema import (
    CANCELLED,
    deals,
    entrants,
    matches,
    replaced,
    seats,
    transcripts,
)

PAGE_MATCHES = 500  # matches
WON, LOST = "won", "lost"  # what a match was for a bot


@frozen
class MatchFilter:
    """A filter and an order of matches; the newest are those of the latest deals."""

    bot: str | None = None  #: a name, for all its versions; or an id, for one
    verdict: str | None = None  #: of this kind: against that bot, or where none is named anybody
    end: str | None = None  #: cancelled ones are given only when they are asked for
    stage: str | None = None  #: of the tournament, such as `final`
    limit: int | None = None  #: at most so many
    newest: bool = False  #: these first?
    against: str | None = None  #: who sat there, too: a name or an id
    result: str | None = None  #: `won` (perhaps with others) or `lost` by that bot
    after: Key | None = None  #: only those that come behind this one, in that order

    def select_keys(
        self, numbers: Sequence[int], others: Sequence[int], after: Key | None, size: int
    ) -> Select[Any]:
        """Select the keys of the page after a key; `numbers` are those of the bot, if one is named.

        `others` are the numbers of whom it is against.

        Each number walks its own way along an index, so that a page costs the same however
        many matches there are.
        """
        if len(numbers) <= 1:
            number = numbers[0] if numbers else None
            return self._page(self._select(number, others), after, size)
        ways = [
            self._page(self._select(number, others), after, size).subquery() for number in numbers
        ]
        both = union(*(select(way.c.deal, way.c.rotation) for way in ways)).subquery()
        return self._limit(select(both.c.deal, both.c.rotation), size)

    def _select(self, number: int | None, others: Sequence[int]) -> Select[Any]:
        """Select the keys that pass the filter, from the most selective table."""
        by_seat = number is not None or self.verdict is not None
        table = seats if by_seat else matches
        joined: FromClause = table
        if by_seat and self.end is not None:
            joined = joined.join(matches)
        if self.stage is not None:
            joined = joined.join(deals, deals.c.number == table.c.deal)
        some = select(table.c.deal, table.c.rotation).distinct().select_from(joined)
        wanted = {
            seats.c.entrant: number,
            seats.c.kind: self.verdict,
            matches.c.end: self.end,
            deals.c.stage: self.stage,
        }
        some = some.where(
            *(column == value for column, value in wanted.items() if value is not None)
        )
        if number is not None and self.result is not None:
            some = some.where(seats.c.place == 1 if self.result == WON else seats.c.place > 1)
        if others:
            there = _THERE.c.deal == table.c.deal, _THERE.c.rotation == table.c.rotation
            some = some.where(exists().where(*there, _THERE.c.entrant.in_(others)))
        hidden = not by_seat and self.end is None
        return some.where(matches.c.end != CANCELLED) if hidden else some

    def _page(self, some: Select[Any], after: Key | None, size: int) -> Select[Any]:
        if after is not None:
            here = tuple_(*some.selected_columns)
            some = some.where(here < after if self.newest else here > after)
        return self._limit(some, size)

    def _limit(self, some: Select[Any], size: int) -> Select[Any]:
        columns = some.selected_columns
        order = [column.desc() for column in columns] if self.newest else columns
        return some.order_by(*order).limit(size)


class MatchQueries(EntrantStore):
    """Queries for matches as JSON."""

    def find_matches(self, which: MatchFilter | None = None) -> Iterator[dict[str, Any]]:
        """Return matches as `arena matches` prints them; raise UnknownNameError for a bot."""
        which = which or MatchFilter()
        numbers = [] if which.bot is None else self._find_numbers(which.bot)
        others = [] if which.against is None else self._find_numbers(which.against)
        return self._read_pages(which, numbers, others)

    def find_match(self, deal: int, rotation: int) -> dict[str, Any]:
        """Return everything about one match except its transcript; raise UserError."""
        found = self._read_matches([(deal, rotation)], whole=True)
        if not found:
            raise UserError(f"match {deal}.{rotation} has not been played or does not exist")
        return found[0]

    def load_transcript(self, deal: int, rotation: int) -> bytes | None:
        """Return a match's transcript, JSON lines; None if none was kept."""
        with self.begin_read() as connection:
            blob = connection.scalar(_TRANSCRIPT, {"deal": deal, "rotation": rotation})
        return None if blob is None else zlib.decompress(blob)

    def measure_transcripts(self) -> int:
        """Return the compressed size of all transcripts in bytes; slow if there are many."""
        with self.begin_read() as connection:
            return connection.scalar(_TRANSCRIPT_BYTES) or 0

    def _find_numbers(self, bot: str) -> list[int]:
        """Return the numbers of all entrants with this name or id."""
        found = [
            number
            for number, entrant in enumerate(self.ids, 1)
            if bot in {entrant, get_name(entrant)}
        ]
        if not found:
            raise UnknownNameError("entrant", bot, sorted({*map(get_name, self.ids)}))
        return found

    def _read_pages(
        self, which: MatchFilter, numbers: Sequence[int], others: Sequence[int]
    ) -> Iterator[dict[str, Any]]:
        after, left = which.after, which.limit
        while left != 0:
            size = PAGE_MATCHES if left is None else min(PAGE_MATCHES, left)
            with self.begin_read() as connection:
                rows = connection.execute(which.select_keys(numbers, others, after, size)).all()
            if not rows:
                return
            keys = [(row.deal, row.rotation) for row in rows]
            yield from self._read_matches(keys)
            after, left = keys[-1], left and left - len(keys)

    def _read_matches(self, keys: Sequence[Key], *, whole: bool = False) -> list[dict[str, Any]]:
        """Return the matches of these keys, in this order."""
        these = {"these": sorted({deal for deal, _ in keys})}
        with self.begin_read() as connection:
            found = connection.execute(_MATCHES, these).all()
            seated = connection.execute(_SEATS, these).all()
            earlier = connection.execute(_REPLACED, these).all()
        at = {
            key: [_pack_seat(row, self.mask_name, whole=whole) for row in rows]
            for key, rows in groupby(seated, itemgetter(0, 1))
        }
        rows = {row[:2]: row for row in found}
        history = {
            key: [_read_replaced(row.result, self.mask_name) for row in group]
            for key, group in groupby(earlier, itemgetter(0, 1))
        }
        return [
            _pack_match(rows[key], at.get(key, []), history.get(key, []))
            for key in keys
            if key in rows
        ]

    def count_replaced(self) -> int:
        """Return the number of results that were replaced by playing a match again."""
        with self.begin_read() as connection:
            return connection.scalar(select(func.count()).select_from(replaced)) or 0


_THERE = seats.alias("there")
_MATCHES = (
    select(matches, deals.c.stage, transcripts.c.deal.is_not(None).label("transcript"))
    .join(deals)
    .outerjoin(transcripts)
    .where(matches.c.deal.in_(bindparam("these", expanding=True)))
)
_SEATS = (
    select(
        *(seats.c[name] for name in ("deal", "rotation", "seat", "score", "place", "used")),
        *(seats.c[name] for name in ("sandbox", "kind", "verdict", "errors", "earlier")),
        *(entrants.c[name] for name in ("name", "version", "bot")),
    )
    .join(entrants)
    .where(seats.c.deal.in_(bindparam("these", expanding=True)))
    .order_by(seats.c.deal, seats.c.rotation, seats.c.seat)
)

_REPLACED = (
    select(replaced)
    .where(replaced.c.deal.in_(bindparam("these", expanding=True)))
    .order_by(replaced.c.deal, replaced.c.rotation, replaced.c.number)
)
_TRANSCRIPT_BYTES = select(func.sum(func.length(transcripts.c.blob)))
_TRANSCRIPT = select(transcripts.c.blob).where(
    transcripts.c.deal == bindparam("deal"), transcripts.c.rotation == bindparam("rotation")
)


# Below rows are taken apart at once: asked by names, they would take half the time of a page.


def _read_replaced(result: str, shown_as: Callable[[str], str]) -> dict[str, Any]:
    match: dict[str, Any] = json.loads(result)
    seated = [{**seat, "name": shown_as(seat["name"])} for seat in match["seats"]]
    return {**match, "seats": seated}


def _pack_match(
    row: Sequence[Any], seated: list[dict[str, Any]], earlier: list[dict[str, Any]]
) -> dict[str, Any]:
    deal, rotation, end, rounds, detail, seconds, stored, cause, stage, transcript = row
    return pack_match(
        f"{deal}.{rotation}", end, rounds, seated, stage=stage, detail=detail,
        seconds=round(seconds, 6), when=stored, transcript=transcript, cause=cause,
        replaced=earlier,
    )  # fmt: skip


def _pack_seat(
    row: Sequence[Any], shown_as: Callable[[str], str], *, whole: bool
) -> dict[str, Any]:
    _, _, seat, score, place, used, sandbox, kind, said, errors, earlier, *named = row
    name, version, bot = named
    verdict = said and json.loads(said)
    if verdict and not whole:
        verdict = {"kind": kind, **{key: verdict.get(key, "") for key in ("detail", "line")}}
    more = {"bot": bot} if whole else {}
    return pack_seat(
        seat, shown_as(name), score=score, place=place, verdict=verdict, seconds=used,
        stderr=errors, version=version, sandbox=sandbox, earlier_matches=earlier, **more,
    )  # fmt: skip
