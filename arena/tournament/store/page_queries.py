"""Queries for pages of matches: the filter, the rows of a page, and these rows as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from attrs import frozen
from sqlalchemy import FromClause, Select, bindparam, exists, select, tuple_, union

from arena.records import pack_match, pack_seat
from arena.tournament.store.schema import (
    CANCELLED,
    deals,
    entrants,
    matches,
    replaced,
    seats,
    transcripts,
)

Key = tuple[int, int]  # a deal, and its rotation
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


_THERE = seats.alias("there")

MATCHES = (
    select(matches, deals.c.stage, transcripts.c.deal.is_not(None).label("transcript"))
    .join(deals)
    .outerjoin(transcripts)
    .where(matches.c.deal.in_(bindparam("these", expanding=True)))
)

SEATS = (
    select(
        *(seats.c[name] for name in ("deal", "rotation", "seat", "score", "place", "used")),
        *(seats.c[name] for name in ("sandbox", "kind", "verdict", "errors", "earlier")),
        *(entrants.c[name] for name in ("name", "version", "bot")),
    )
    .join(entrants)
    .where(seats.c.deal.in_(bindparam("these", expanding=True)))
    .order_by(seats.c.deal, seats.c.rotation, seats.c.seat)
)

REPLACED = (
    select(replaced)
    .where(replaced.c.deal.in_(bindparam("these", expanding=True)))
    .order_by(replaced.c.deal, replaced.c.rotation, replaced.c.number)
)


def pack_match_row(
    row: Sequence[Any], seated: list[dict[str, Any]], earlier: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return a match as JSON; rows are taken apart at once, since names take twice as long."""
    deal, rotation, end, rounds, detail, seconds, stored, cause, stage, transcript = row
    return pack_match(
        f"{deal}.{rotation}", end, rounds, seated, stage=stage, detail=detail,
        seconds=round(seconds, 6), when=stored, transcript=transcript, cause=cause,
        replaced=earlier,
    )  # fmt: skip


def pack_seat_row(
    row: Sequence[Any], shown_as: Callable[[str], str], *, whole: bool
) -> dict[str, Any]:
    """Return a seat as JSON; a `whole` one has all of its verdict, and the bot."""
    _, _, seat, score, place, used, sandbox, kind, said, errors, earlier, *named = row
    name, version, bot = named
    verdict = said and json.loads(said)
    if verdict and not whole:
        kept = {key: verdict[key] for key in ("seat",) if key in verdict}
        verdict = {
            "kind": kind,
            **{key: verdict.get(key, "") for key in ("detail", "line")},
            **kept,
        }
    more = {"bot": bot} if whole else {}
    return pack_seat(
        seat, shown_as(name), score=score, place=place, verdict=verdict, seconds=used,
        stderr=errors, version=version, sandbox=sandbox, earlier_matches=earlier, **more,
    )  # fmt: skip


def pack_replaced(result: str, shown_as: Callable[[str], str]) -> dict[str, Any]:
    """Return a result that was replaced, as it is stored but for hidden names."""
    match: dict[str, Any] = json.loads(result)
    seated = [{**seat, "name": shown_as(seat["name"])} for seat in match["seats"]]
    return {**match, "seats": seated}
