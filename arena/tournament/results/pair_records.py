"""The records of bots against each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from arena.tournament.entries import Id
from arena.tournament.ratings import estimate_share
from arena.tournament.ratings.rating_input import Ints
from arena.tournament.results.summary import Summary


@frozen
class PairRecord:
    """The matches of a bot against another one."""

    opponent: str  #: its id or its name
    ahead: int  #: matches in which the bot finished ahead
    level: int  #: matches in which they shared a place
    behind: int  #: matches in which the bot finished behind
    interval: tuple[float, float]  #: the 95 % interval of the share, each deal one observation

    @property
    def matches(self) -> int:
        """The number of matches that they played together."""
        return self.ahead + self.level + self.behind

    @property
    def share(self) -> float:
        """The share in which the bot finished ahead; a shared place counts half."""
        return (self.ahead + self.level / 2) / self.matches

    def reverse(self, name: str) -> PairRecord:
        """Return the same matches from the side of the opponent; `name` is that of the bot."""
        low, high = self.interval
        return PairRecord(name, self.behind, self.level, self.ahead, (1 - high, 1 - low))

    def format(self) -> str:
        """Return the share and its interval for people.

        >>> PairRecord("b", 30, 20, 10, (0.54, 0.77)).format()
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


def list_pair_records(summary: Summary, ids: Collection[Id]) -> list[PairRecord]:
    """Return the records of some versions of a bot against each other entrant, worst first."""
    meetings, entrants = _list_meetings_of(summary, ids), summary.head_to_head.entrants
    records = [
        _build_record(meetings, meetings.opponent == index, entrants[index])
        for index in np.unique(meetings.opponent).tolist()
        if entrants[index] not in ids
    ]
    return sorted(
        (record for record in records if record),
        key=lambda record: (record.share, -record.matches, record.opponent),
    )


def compute_pair_record(
    summary: Summary, ids: Collection[Id], others: Collection[Id], name: str
) -> PairRecord | None:
    """Return the record of a bot's versions against those of another one; None: they never met."""
    meetings = _list_meetings_of(summary, ids)
    opponents = _find_indices(summary.head_to_head.entrants, others)
    return _build_record(meetings, np.isin(meetings.opponent, opponents), name)


@frozen(eq=False)
class _BotMeetings:
    """The meetings of a bot's versions with others; all arrays are (meetings,)."""

    deal: Ints
    opponent: Ints
    margin: Ints  # 1 where the bot finished ahead, 0 level, -1 behind


def _list_meetings_of(summary: Summary, ids: Collection[Id]) -> _BotMeetings:
    meetings, own = summary.head_to_head.meetings, _find_indices(summary.head_to_head.entrants, ids)
    first, second = np.isin(meetings.first, own), np.isin(meetings.second, own)
    return _BotMeetings(
        np.concatenate([meetings.deal[first], meetings.deal[second]]),
        np.concatenate([meetings.second[first], meetings.first[second]]),
        np.concatenate([meetings.margin[first], -meetings.margin[second]]),
    )


def _find_indices(entrants: Sequence[Id], ids: Collection[Id]) -> list[int]:
    return [index for index, id_ in enumerate(entrants) if id_ in ids]


def _build_record(meetings: _BotMeetings, mask: NDArray[np.bool_], name: str) -> PairRecord | None:
    margin, deal = meetings.margin[mask], meetings.deal[mask]
    if not len(margin):
        return None
    ahead, level, behind = (int((margin == sign).sum()) for sign in (1, 0, -1))
    which = np.unique(deal, return_inverse=True)[1]
    shares = np.bincount(which, (1 + margin) / 2) / np.bincount(which)
    interval = estimate_share(shares)
    return PairRecord(name, ahead, level, behind, (interval.low, interval.high))
