"""Messages to the pages of a match: who is here, how a seat was lost, how the match ended.

Each is an event of its own in the feed of a page. Scripts read their JSON; agents, who follow the
same feeds, read it back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from attrs import asdict, frozen

STEPS = "steps"  # the event with a list of what happened


@frozen
class PresenceReport:
    """What a person or a spectator is told of the others at a table."""

    event = "present"
    said: str  #: who is here, or what the reader waits for, in words
    presence: Mapping[str, str]  #: whether each of the others is here, by name
    late: Sequence[str]  #: the names of those who have never been here
    away: Sequence[str]  #: the names of those who have gone
    absent: Sequence[tuple[str, str]] = ()  #: who need not be waited for, and what comes of it

    @property
    def json(self) -> dict[str, Any]:
        """The report as pages read it."""
        return asdict(self)


@frozen
class SeatLost:
    """What a person is told whose seat is lost."""

    event = "out"
    kind: str  #: of the verdict
    why: str
    then: str  #: who plays on, if anybody does
    zones: Mapping[str, Any]  #: of the board, as spectators see it from then on

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Return the message with this JSON."""
        return cls(**data)

    @property
    def json(self) -> dict[str, Any]:
        """The message as pages read it."""
        return {"kind": self.kind, "why": self.why, "then": self.then, "zones": self.zones}


@frozen
class PlayerResult:
    """A row in the table of a match's results."""

    place: int
    name: str
    score: float | None  #: None where it does not count, for the sake of a verdict
    count: str  #: what the game counts of the score, in words
    verdict: str  #: its kind; empty for none
    you: bool  #: whether the reader is this player
    hints: int | None = None  #: that the player took; None where nobody may take any
    total: str | None = None  #: the count over several matches of these players, if there were any

    @property
    def json(self) -> dict[str, Any]:
        """The row as pages read it."""
        return asdict(
            self, filter=lambda column, value: column.name == "score" or value is not None
        )


@frozen
class MatchEnd:
    """How a match ended, as a player or a spectator is told."""

    event = "end"
    end: str  #: its kind
    said: str  #: who won, in a sentence
    won: bool | None = None  #: whether the reader won, who is a player
    rows: Sequence[PlayerResult] = ()  #: the best first
    table: TableEnd | None = None  #: what else is told where people play

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Return the message with this JSON, without what a table adds."""
        rows = [PlayerResult(**row) for row in data["rows"]]
        return cls(data["end"], data["said"], data["won"], rows)

    @property
    def json(self) -> dict[str, Any]:
        """The message as pages read it."""
        rows = [row.json for row in self.rows]
        own = {"end": self.end, "said": self.said, "won": self.won, "rows": rows}
        return {**own, **(self.table.json if self.table else {})}


@frozen
class TableEnd:
    """What people are told at the end of a match besides its results."""

    more: bool  #: whether there were several people
    next: str  #: what the link to the next deal is called, where that is not its usual name
    hands: Mapping[str, Any]  #: at the end, by their zones
    record: str | None = None  #: of the reader against these opponents; None for spectators
    over: str = ""  #: what the totals of the rows are counted over, if they have any

    @property
    def json(self) -> dict[str, Any]:
        """The message as pages read it."""
        record = {} if self.record is None else {"record": self.record}
        over = {"over": self.over} if self.over else {}
        return {"more": self.more, "next": self.next, **record, **over, "hands": self.hands}
