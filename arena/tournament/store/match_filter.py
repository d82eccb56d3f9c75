"""The filter of matches: which ones a page or a command asks for, as a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from attrs import frozen

from arena.tournament.deals import Key
from arena.tournament.match_record import CANCELLED
from arena.tournament.store.connection import format_marks

MatchResult: TypeAlias = Literal["won", "lost"]
"""What a match was for a bot."""


@frozen
class MatchFilter:
    """A filter and an order of matches; the newest are those of the latest deals."""

    bot: str | None = None  #: a name, for all its versions; or an id, for one
    verdict: str | None = None  #: of this kind: against that bot, or where none is named anybody
    end: str | None = None  #: cancelled ones are given only when they are asked for
    stage: str | None = None  #: of the tournament, such as `final`
    limit: int | None = None  #: at most so many
    newest: bool = False  #: whether these come first
    against: str | None = None  #: who sat there, too: a name or an id
    result: MatchResult | None = None  #: `won` (perhaps with others) or `lost` by that bot
    after: Key | None = None  #: only those that come behind this one, in that order

    def build_query(
        self, numbers: Sequence[int], others: Sequence[int], after: Key | None, size: int
    ) -> tuple[str, list[Any]]:
        """Return the query for the keys of the page after a key, and its values.

        `numbers` are those of the bot, if one is named, `others` those of whom it is against. Each
        number walks its own way along an index, so that a page costs the same however many matches
        there are.
        """
        pages = [self._build_page(number, others, after, size) for number in numbers or (None,)]
        if len(pages) == 1:
            return pages[0]
        ways = [
            f"SELECT deal, rotation FROM ({query}) AS way{at}"
            for at, (query, _) in enumerate(pages)
        ]
        query = f"SELECT deal, rotation FROM ({' UNION '.join(ways)}) AS ways"
        values = [value for _, some in pages for value in some]
        return f"{query} {self._order('ways')}", [*values, size]

    def _build_page(
        self, number: int | None, others: Sequence[int], after: Key | None, size: int
    ) -> tuple[str, list[Any]]:
        """Return the query for a page of one number, which reads the most selective table first."""
        by_seat = number is not None or self.verdict is not None
        table = "seats" if by_seat else "matches"
        query = f"SELECT DISTINCT {table}.deal, {table}.rotation FROM {table}"
        if by_seat and self.end is not None:
            query += (
                " JOIN matches ON matches.deal = seats.deal AND matches.rotation = seats.rotation"
            )
        if self.stage is not None:
            query += f" JOIN deals ON deals.number = {table}.deal"
        conditions = self._list_conditions(table, number, others, after)
        if conditions:
            query += f" WHERE {' AND '.join(conditions)}"
        values = [value for some in conditions.values() for value in some]
        return f"{query} {self._order(table)}", [*values, size]

    def _list_conditions(
        self, table: str, number: int | None, others: Sequence[int], after: Key | None
    ) -> dict[str, list[Any]]:
        """Return the conditions of a page, each with its values."""
        filters = {
            "seats.entrant = ?": number,
            "seats.kind = ?": self.verdict,
            'matches."end" = ?': self.end,
            "deals.stage = ?": self.stage,
        }
        conditions = {test: [value] for test, value in filters.items() if value is not None}
        if number is not None and self.result is not None:
            conditions["seats.place = 1" if self.result == "won" else "seats.place > 1"] = []
        if others:
            conditions[
                f"EXISTS (SELECT 1 FROM seats AS there WHERE there.deal = {table}.deal"
                f" AND there.rotation = {table}.rotation"
                f" AND there.entrant IN ({format_marks(others)}))"
            ] = [*others]
        if table == "matches" and self.end is None:
            conditions['matches."end" <> ?'] = [CANCELLED]
        if after is not None:
            behind = "<" if self.newest else ">"
            conditions[f"({table}.deal, {table}.rotation) {behind} (?, ?)"] = [*after]
        return conditions

    def _order(self, table: str) -> str:
        way = " DESC" if self.newest else ""
        return f"ORDER BY {table}.deal{way}, {table}.rotation{way} LIMIT ?"
