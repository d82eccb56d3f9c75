"""Records of bots against each other: how often one finished ahead, with an interval."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import sqrt
from typing import Any

import numpy as np
from attrs import frozen

from arena.tournament.models.result_columns import Results
from arena.tournament.models.schedule import Id
from arena.tournament.standings.compute import Standing
from arena.tournament.standings.summary import Summary

NORMAL_95 = 1.96  # standard deviations of a normal distribution that hold 95 % of it


@frozen
class PairRecord:
    """The matches of a bot against another one."""

    opponent: str  #: its id or its name
    ahead: int  #: matches in which the bot finished ahead
    level: int  #: matches in which they shared a place
    behind: int  #: matches in which the bot finished behind
    deals: int  #: in which both sat, each of them one observation

    @property
    def matches(self) -> int:
        """The number of matches that they played together."""
        return self.ahead + self.level + self.behind

    @property
    def share(self) -> float:
        """The share in which the bot finished ahead; a shared place counts half."""
        return (self.ahead + self.level / 2) / self.matches

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share."""
        return compute_share_interval(self.share, self.deals)

    def reverse(self, name: str) -> PairRecord:
        """Return the same matches from the side of the opponent; `name` is that of the bot."""
        return PairRecord(name, self.behind, self.level, self.ahead, self.deals)

    def format(self) -> str:
        """Return the share and its interval for people.

        >>> PairRecord("b", 30, 20, 10, 60).format()
        '67 % (54 to 77)'
        """
        low, high = self.interval
        return f"{100 * self.share:.0f} % ({100 * low:.0f} to {100 * high:.0f})"

    def pack(self) -> dict[str, Any]:
        """Return it as JSON."""
        low, high = self.interval
        return {
            "opponent": self.opponent, "ahead": self.ahead, "level": self.level,
            "behind": self.behind, "share": round(self.share, 6), "low": round(low, 6),
            "high": round(high, 6),
        }  # fmt: skip


def compute_share_interval(rate: float, deals: int) -> tuple[float, float]:
    """Return the 95 % interval of a share, each deal being one observation (Wilson 1927).

    >>> [round(end, 2) for end in compute_share_interval(0.5, 96)]
    [0.4, 0.6]
    """
    many = max(deals, 1)
    middle = (rate + NORMAL_95**2 / (2 * many)) / (1 + NORMAL_95**2 / many)
    spread = rate * (1 - rate) / many + NORMAL_95**2 / (4 * many**2)
    half = NORMAL_95 * sqrt(spread) / (1 + NORMAL_95**2 / many)
    return max(0.0, middle - half), min(1.0, middle + half)


def find_versions(summary: Summary, bot: str) -> list[Standing]:
    """Return the standings of a bot's versions, best first, by its name or `NAME@VERSION`."""
    return [
        standing
        for standing in summary.standings
        if bot in {standing.entry.name, standing.entry.id}
    ]


def list_pair_records(summary: Summary, ids: Collection[Id]) -> list[PairRecord]:
    """Return the records of some versions of a bot against each other entrant, worst first."""
    deals = _count_common_deals(summary.results, ids)
    found = [
        record
        for other in summary.head_to_head.entrants
        if other not in ids and (record := _build_record(summary, ids, [other], other, deals))
    ]
    return sorted(found, key=lambda record: (record.share, -record.matches))


def compute_pair_record(
    summary: Summary, ids: Collection[Id], others: Collection[Id], name: str
) -> PairRecord | None:
    """Return the record of a bot's versions against those of another one; None: they never met."""
    seats, entrants = summary.results.seats, summary.results.entrants
    there = _find_seats(seats, entrants, ids).any(axis=1)
    there &= _find_seats(seats, entrants, others).any(axis=1)
    deals = len(np.unique(summary.results.deal[there]))
    return _build_record(summary, ids, others, name, {name: deals})


def _build_record(
    summary: Summary, ids: Collection[Id], others: Collection[Id], name: str, deals: dict[str, int]
) -> PairRecord | None:
    met = summary.head_to_head
    rows = [index for index, id_ in enumerate(met.entrants) if id_ in ids]
    columns = [index for index, id_ in enumerate(met.entrants) if id_ in others]
    ahead, level, behind = (
        int(part[np.ix_(rows, columns)].sum()) for part in (met.ahead, met.level, met.behind)
    )
    total = ahead + level + behind
    return PairRecord(name, ahead, level, behind, deals.get(name, total)) if total else None


def _find_seats(seats: Any, entrants: Sequence[Id], ids: Collection[Id]) -> Any:
    """Return whether each seat was taken by one of these entrants; (matches, seats)."""
    return np.isin(seats, [index for index, id_ in enumerate(entrants) if id_ in ids])


def _count_common_deals(results: Results, ids: Collection[Id]) -> dict[str, int]:
    """Return the number of deals in which some versions of a bot sat with each other entrant."""
    there = _find_seats(results.seats, results.entrants, ids).any(axis=1)
    seats, deal = results.seats[there], results.deal[there]
    return {
        other: len(np.unique(deal[(seats == index).any(axis=1)]))
        for index, other in enumerate(results.entrants)
    }
