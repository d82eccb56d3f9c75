"""The deals as they are stored: the plan, and which of its matches are settled."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from attrs import frozen

from arena.rules import End
from arena.tournament.deals import Deal, Key, PastMatches, PlayedMatch
from arena.tournament.match_record import CANCELLED, VoidCause
from arena.tournament.store.connection import format_marks
from arena.tournament.store.facts import Facts
from arena.tournament.store.table_rows import PUT_DEAL, DealRow, format_columns
from arena.tournament.store.tournament_database import StorePart

DEAL_COLUMNS = format_columns("deals", DealRow._fields)
GET_DEALS = f"SELECT {DEAL_COLUMNS} FROM deals"
PAGE_DEALS = 2000  # of the plan, read at once
OPEN_DEALS = 20_000  # whose matches are counted together, to find those that are missing


@frozen(eq=False)
class StoredDeals(StorePart):
    """The planned deals of a tournament."""

    def plan(self, deals: Sequence[Deal]) -> None:
        """Store planned deals, in one transaction."""
        rows = [DealRow.of(deal, self._directory) for deal in deals]
        if rows:
            with self._database.begin_write() as connection:
                connection.execute_many(PUT_DEAL, rows)
                Facts.last_plan.put(connection, deals[0].number)

    def begin(self, deal: int) -> int:
        """Record that a deal was started; return the number of earlier starts."""
        with self._database.begin_write() as connection:
            before = connection.read_value("SELECT begun FROM deals WHERE number = ?", (deal,))
            assert before is not None, "the deal was not planned"
            connection.execute("UPDATE deals SET begun = begun + 1 WHERE number = ?", (deal,))
        return int(before)

    def load_past(self, *, results: bool = False) -> PastMatches:
        """Return the counts of all deals but for cancelled matches; perhaps with results."""
        past = PastMatches(results=self.list_results() if results else ())
        cancelled = self._find_cancelled_rotations()
        for page in self._read_deals():
            for deal in page:
                past.count_deal(deal, cancelled.get(deal.number, ()))
        return past

    def _find_cancelled_rotations(self) -> dict[int, list[int]]:
        """Return the cancelled rotations of each deal that has any."""
        query = 'SELECT deal, rotation FROM matches WHERE "end" = ?'
        by_deal: dict[int, list[int]] = {}
        with self._database.begin_read() as connection:
            for deal, rotation in connection.execute(query, (CANCELLED,)):
                by_deal.setdefault(deal, []).append(rotation)
        return by_deal

    def list_results(self, start: int = 0) -> tuple[PlayedMatch, ...]:
        """Return all settled matches in the order of keys, cancelled ones as void.

        Deals before `start` are left out.
        """
        return tuple(
            match for page in self._read_deals(start=start) for match in self._read_results(page)
        )

    def _read_results(self, page: list[Deal]) -> Iterator[PlayedMatch]:
        """Yield the results of consecutive deals, seat by seat, also where there are none."""
        query = (
            "SELECT matches.deal, matches.rotation, place FROM matches LEFT JOIN seats"
            " ON seats.deal = matches.deal AND seats.rotation = matches.rotation"
            " WHERE matches.deal BETWEEN ? AND ? ORDER BY matches.deal, matches.rotation, seat"
        )
        with self._database.begin_read() as connection:
            rows = connection.read_rows(query, (page[0].number, page[-1].number))
        for (number, rotation), group in groupby(rows, itemgetter(0, 1)):
            places = tuple(place for _, _, place in group)
            deal = page[number - page[0].number]
            yield PlayedMatch(deal, rotation, None if None in places else places)

    def list_todo(self) -> Iterator[tuple[Deal, int]]:
        """Yield the planned matches without a result, in the order of keys."""
        for page in self._read_deals(self._find_open_part(), only_open=True):
            over = self._find_over(page)
            for deal in page:
                keys = ((deal.number, rotation) for rotation in range(deal.rotations))
                yield from (
                    (deal, rotation) for number, rotation in keys if (number, rotation) not in over
                )

    def _find_open_part(self) -> int:
        """Return the number of a deal before which all are settled; after it soon one is not.

        To count the matches of many deals takes a tenth of the time of counting those of each.
        """
        total = "SELECT SUM(rotations) FROM deals WHERE number BETWEEN ? AND ?"
        over = "SELECT COUNT(*) FROM matches WHERE deal BETWEEN ? AND ?"
        with self._database.begin_read() as connection:
            last = int(connection.read_value("SELECT COUNT(*) FROM deals"))
            for start in range(0, last, OPEN_DEALS):
                ends = start, start + OPEN_DEALS - 1
                if connection.read_value(over, ends) != connection.read_value(total, ends):
                    return start
        return last

    def _find_over(self, page: list[Deal]) -> set[Key]:
        """Return the settled keys of these deals."""
        numbers = [deal.number for deal in page]
        query = f"SELECT deal, rotation FROM matches WHERE deal IN ({format_marks(numbers)})"
        with self._database.begin_read() as connection:
            return {(deal, rotation) for deal, rotation in connection.execute(query, numbers)}

    def find_deal(self, number: int) -> Deal | None:
        """Return a planned deal, or None."""
        with self._database.begin_read() as connection:
            row = connection.read_row(f"{GET_DEALS} WHERE number = ?", (number,))
        return None if row is None else self._parse_deal(row)

    def _read_deals(self, start: int = 0, *, only_open: bool = False) -> Iterator[list[Deal]]:
        """Yield deals from this number on, page by page, or only those that are not settled."""
        query = f"{GET_DEALS} WHERE number >= ?"
        if only_open:
            query += " AND rotations > (SELECT COUNT(*) FROM matches WHERE deal = number)"
        query += f" ORDER BY number LIMIT {PAGE_DEALS}"
        while True:
            with self._database.begin_read() as connection:
                rows = connection.read_rows(query, (start,))
            if not rows:
                return
            page = [*map(self._parse_deal, rows)]
            yield page
            start = page[-1].number + 1

    def _parse_deal(self, row: Sequence[Any]) -> Deal:
        return DealRow._make(row).parse(self._directory, alone=self._database.settings.plays_alone)

    def list_void(self, causes: Collection[VoidCause]) -> list[tuple[Deal, int]]:
        """Return the void matches with these causes, in the order of keys."""
        names = [*map(str, causes)]
        query = (
            f"SELECT {DEAL_COLUMNS}, rotation FROM matches"
            f' JOIN deals ON number = deal WHERE "end" = ? AND cause IN ({format_marks(names)})'
            " ORDER BY deal, rotation"
        )
        with self._database.begin_read() as connection:
            rows = connection.read_rows(query, (str(End.VOID), *names))
        return [(self._parse_deal(deal), rotation) for *deal, rotation in rows]

    def is_deal_over(self, deal: int) -> bool:
        """Return whether every rotation of a planned deal is over or cancelled."""
        over = "SELECT COUNT(*) FROM matches WHERE deal = number"
        query = f"SELECT rotations = ({over}) FROM deals WHERE number = ?"
        with self._database.begin_read() as connection:
            return bool(connection.read_value(query, (deal,)))

    def count_rotations(self, deal: int) -> int:
        """Return the number of rotations of a deal; 0 if there is no such deal."""
        query = "SELECT rotations FROM deals WHERE number = ?"
        with self._database.begin_read() as connection:
            return connection.read_value(query, (deal,)) or 0

    def list_settled_deals(self, start: int, without: Collection[int], limit: int) -> list[int]:
        """Return the first deals from this number on of which every rotation is settled."""
        query = (
            "SELECT deal FROM matches JOIN deals ON number = deal WHERE deal >= ?"
            " GROUP BY deal, rotations HAVING COUNT(*) = rotations ORDER BY deal LIMIT ?"
        )
        with self._database.begin_read() as connection:
            deals = connection.read_column(query, (start, limit + len(without)))
        return [deal for deal in deals if deal not in without][:limit]
