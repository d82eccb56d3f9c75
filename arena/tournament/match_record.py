"""The record of a match that is over, as a worker reports it and as the store keeps it.

Its seats are those of a match, in order; in a game of teams, the sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, Literal, Self, TypeAlias

from attrs import field, fields_dict, frozen

from arena.records import pack_match, pack_seat, summarize_verdict
from arena.rules import End, Sides, rank_sides, seat_alone, spread_over_seats
from arena.tournament.deals import Key, format_match_key
from arena.tournament.entries import Id, format_id

CANCELLED: Final = "cancelled"
"""The end of a match that will not be played."""

RecordedEnd: TypeAlias = End | Literal["cancelled"]


@lru_cache(maxsize=10)  # of each match in a list
def parse_end(text: str) -> RecordedEnd:
    """Read the end of a match; raise ValueError."""
    return CANCELLED if text == CANCELLED else End(text)


class VoidCause(StrEnum):
    """The cause of a void match."""

    HOST = "host"  #: the machine or the arena failed
    WORKER = "worker"  #: its worker died, and died again: through the host, or through an entrant
    GAME = "game"  #: the rules or a plugin failed, which they would do again


@frozen
class VerdictRecord:
    """What the host held against a player."""

    kind: str  #: the kind of verdict
    question: Any = None  #: what was asked, as on the JSON wire
    line: str = ""  #: what came
    limit: float | None = None  #: in seconds; None: there was none
    seconds: float = 0.0  #: until the answer or the failure
    detail: str = ""  #: what was wrong with it
    seat: int | None = None  #: the seat that failed, where its side has several

    @classmethod
    def parse(cls, packed: Mapping[str, Any]) -> Self:
        """Read a verdict from JSON."""
        return cls(**{name: packed[name] for name in fields_dict(cls) if name in packed})

    def pack(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "kind": self.kind, "question": self.question, "line": self.line, "limit": self.limit,
            "seconds": self.seconds, "detail": self.detail, **self._pack_seat(),
        }  # fmt: skip

    def pack_short(self) -> dict[str, Any]:
        """Return it as JSON, with the name alone of what was asked."""
        return summarize_verdict(self.pack())

    def _pack_seat(self) -> dict[str, int]:
        return {} if self.seat is None else {"seat": self.seat}


@frozen
class SeatRecord:
    """A player in a match that is over."""

    name: str  #: the name of the bot
    version: str  #: the hash of its contents
    place: int | None = None  #: 1 is the best; None in a void match
    score: float | None = None  #: in the game's points; None in a void match
    seconds: float = 0.0  #: the total time of its answers
    failure: VerdictRecord | None = None  #: the verdict, with all that is known of it
    stderr: str | None = None  #: the end of what its program wrote, if it failed
    sandbox: str | None = None  #: of its program; None: it played in the worker itself
    #: how many matches its process had played before; None: it plays one
    earlier_matches: int | None = None
    team: int | None = None  #: the number of its team, where its partners are others

    @property
    def id(self) -> Id:
        """The id that schedules use for it."""
        return format_id(self.name, self.version)

    @property
    def verdict(self) -> str | None:
        """The kind of verdict."""
        return self.failure.kind if self.failure else None

    def pack(self, seat: int) -> dict[str, Any]:
        """Return it as JSON, as `arena matches` prints it."""
        packed = pack_seat(
            seat, self.name, score=self.score, place=self.place,
            verdict=self.failure.pack_short() if self.failure else None, seconds=self.seconds,
            stderr=self.stderr, version=self.version, sandbox=self.sandbox,
            earlier_matches=self.earlier_matches,
        )  # fmt: skip
        return packed if self.team is None else {**packed, "team": self.team}

    def pack_report(self, seat: int) -> dict[str, Any]:
        """Return it as JSON, as `arena tournament run` prints it."""
        return pack_seat(
            seat, self.name, score=self.score, place=self.place,
            verdict=self.failure.pack() if self.failure else None, seconds=self.seconds,
            stderr=self.stderr, version=self.version,
        )  # fmt: skip


@frozen
class MatchRecord:
    """A match that is over."""

    deal: int  #: the number of the deal
    rotation: int  #: the rotation of the deal's seats
    end: RecordedEnd  #: how it ended; `cancelled` if it will not be played
    rounds: int  #: completed, as the game counts them
    seats: tuple[SeatRecord, ...]  #: the players in seat order
    seconds: float = 0.0  #: the duration of the match
    detail: str = ""  #: the reason why it is void
    cause: VoidCause | None = None  #: of a void match

    @property
    def key(self) -> Key:
        """The deal and the rotation."""
        return self.deal, self.rotation

    @property
    def match(self) -> str:
        """The key of the match: the deal, a full stop, the rotation."""
        return format_match_key(self.key)

    @property
    def is_void(self) -> bool:
        """Whether it is nobody's result: it could not be played to its end."""
        return self.end is End.VOID

    @property
    def entrants(self) -> tuple[Id, ...]:
        """The ids of the players."""
        return tuple([seat.id for seat in self.seats])

    @property
    def sides(self) -> Sides:
        """The positions in `seats` of each team; of each seat where there are no teams."""
        teams = [seat.team for seat in self.seats]
        if None in teams:
            return seat_alone(len(teams))
        return tuple(
            tuple(at for at, own in enumerate(teams) if own == team)
            for team in dict.fromkeys(teams)
        )

    def rank(self) -> Sequence[int] | None:
        """Return the places by seat, or None for a void match; raise ValueError if some lack.

        Where scores alone are known, as in a file of results, the places follow from them.
        """
        places = [seat.place for seat in self.seats if seat.place is not None]
        if places and len(places) == len(self.seats):
            return places
        scores = [seat.score for seat in self.seats if seat.score is not None]
        if not places and scores and len(scores) == len(self.seats):
            return spread_over_seats(self.sides, rank_sides(self.sides, scores, {}))
        if not places and not scores:
            return None
        raise ValueError("the match has places or scores for some of its seats only")

    def pack_report(self) -> dict[str, Any]:
        """Return it as JSON, as `arena tournament run` prints it before more is known."""
        seats = [seat.pack_report(number) for number, seat in enumerate(self.seats)]
        return pack_match(self.match, self.end, self.rounds, seats, seconds=round(self.seconds, 6))


@frozen
class ReportedMatch(MatchRecord):
    """A match as the worker that played it reports it."""

    #: JSON lines, compressed by zlib; None: the tournament keeps none of this match
    transcript: bytes | None = field(default=None, kw_only=True)
    #: the resource that the machine lacked, if the match is void for that; else empty
    lacking: str = field(default="", kw_only=True)


@frozen
class ReplacedSeat:
    """A player in a result that was replaced."""

    name: str  #: the name of the bot
    version: str  #: the hash of its contents
    place: int | None = None  #: 1 is the best; None in a void match
    score: float | None = None  #: in the game's points; None in a void match
    verdict: str | None = None  #: its kind

    @classmethod
    def parse(cls, packed: Mapping[str, Any]) -> Self:
        """Read a player from JSON."""
        return cls(**{name: packed[name] for name in fields_dict(cls)})


@frozen
class ReplacedResult:
    """A result that does not count any more, because its match was played again."""

    end: RecordedEnd  #: how the match ended
    cause: VoidCause | None  #: of a void match
    detail: str  #: the reason why it is void
    rounds: int  #: completed, as the game counts them
    seconds: float  #: the duration of the match
    when: str  #: the time of storage, in ISO 8601
    seats: tuple[ReplacedSeat, ...]  #: the players in seat order

    @classmethod
    def parse(cls, packed: Mapping[str, Any]) -> Self:
        """Read a result from JSON."""
        return cls(
            end=parse_end(packed["outcome"]),
            cause=VoidCause(packed["cause"]) if packed["cause"] else None,
            detail=packed["detail"],
            rounds=packed["rounds"],
            seconds=packed["seconds"],
            when=packed["when"],
            seats=tuple([ReplacedSeat.parse(seat) for seat in packed["seats"]]),
        )

    def pack(self) -> dict[str, Any]:
        """Return it as JSON, as it is stored and `arena matches` prints it."""
        return {
            "outcome": self.end, "cause": self.cause, "detail": self.detail,
            "rounds": self.rounds, "seconds": self.seconds, "when": self.when,
            "seats": [
                {
                    "seat": number, "name": seat.name, "version": seat.version,
                    "score": seat.score, "place": seat.place, "verdict": seat.verdict,
                }
                for number, seat in enumerate(self.seats)
            ],
        }  # fmt: skip


@frozen
class StoredMatch(MatchRecord):
    """A match as the store keeps it.

    Where names are hidden, it has aliases in their place. What players said themselves stays:
    verdicts quote it, and what their programs wrote.
    """

    stage: str = field(kw_only=True)  #: of the tournament, as named by its format
    when: str = field(kw_only=True)  #: the time of storage, in ISO 8601
    has_transcript: bool = field(kw_only=True)  #: whether the store keeps one
    #: earlier results, the oldest first
    replaced: tuple[ReplacedResult, ...] = field(default=(), kw_only=True)

    def to_replaced_result(self) -> ReplacedResult:
        """Return the part of the result that is kept once the match is played again."""
        return ReplacedResult(
            self.end, self.cause, self.detail, self.rounds, self.seconds, self.when,
            tuple([
                ReplacedSeat(seat.name, seat.version, seat.place, seat.score, seat.verdict)
                for seat in self.seats
            ]),
        )  # fmt: skip

    def pack(self) -> dict[str, Any]:
        """Return it as JSON, as `arena matches` prints it."""
        return pack_match(
            self.match, self.end, self.rounds,
            [seat.pack(number) for number, seat in enumerate(self.seats)],
            stage=self.stage, detail=self.detail, seconds=round(self.seconds, 6), when=self.when,
            transcript=self.has_transcript, cause=self.cause,
            replaced=[result.pack() for result in self.replaced],
        )  # fmt: skip
