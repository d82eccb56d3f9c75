"""The rows of the store's tables: named columns, from which the statements follow."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple, Self

from attrs import evolve, frozen

from arena.records import to_json_number
from arena.rules import UserError
from arena.tournament.deals import Deal, Key
from arena.tournament.entries import Containment, Entry, State
from arena.tournament.match_record import (
    RecordedEnd,
    ReplacedResult,
    ReportedMatch,
    SeatRecord,
    StoredMatch,
    VerdictRecord,
    VoidCause,
    parse_end,
)
from arena.tournament.store.connection import Connection, clean_text, format_marks
from arena.tournament.store.entrant_directory import EntrantDirectory
from arena.wires import converter, dump, read


class EntrantRow(NamedTuple):
    """A row of the table `entrants`."""

    id: int
    name: str
    version: str
    bot: str
    keeps: bool
    containment: str
    state: str
    why: str

    @classmethod
    def of(cls, number: int, entry: Entry) -> Self:
        """Return the row of an entrant; raise UserError for what cannot be stored."""
        for text in (entry.name, entry.bot):
            if clean_text(text) != text:
                raise UserError(f"{text!a} cannot be stored: it is not UTF-8")
        containment = dump(converter.unstructure(entry.containment))
        return cls(
            number, entry.name, entry.version, entry.bot, entry.keeps, containment,
            str(entry.state), clean_text(entry.why),
        )  # fmt: skip

    def parse(self, directory: EntrantDirectory) -> Entry:
        """Return the entrant; `bot` says in which language it is written, if its name is hidden."""
        return Entry(
            name=directory.mask_name(self.name),
            version=self.version,
            bot=self.bot,
            keeps=bool(self.keeps),
            containment=_parse_containment(self.containment),
            state=State(self.state),
            why=directory.mask_reason(self.why),
            title=directory.find_title(self.name),
        )


@lru_cache(maxsize=1000)
def _parse_containment(text: str) -> Containment:
    """Return the containment of an entrant, which is the same for most of thousands."""
    return read(json.loads(text), Containment)


class DealRow(NamedTuple):
    """What is planned in a row of the table `deals`."""

    number: int
    seats: str
    rotations: int
    stage: str
    state: str

    @classmethod
    def of(cls, deal: Deal, directory: EntrantDirectory) -> Self:
        """Return the row of a deal; raise UnknownNameError for who has not entered."""
        seats = dump([directory.find_number(entrant) for entrant in deal.seats])
        return cls(deal.number, seats, deal.rotations, deal.stage, dump(deal.state))

    def parse(self, directory: EntrantDirectory, *, alone: bool) -> Deal:
        """Return the deal, which each entrant may play alone."""
        return Deal(
            number=self.number,
            seats=tuple([directory.find_entrant(number) for number in json.loads(self.seats)]),
            rotations=self.rotations,
            stage=self.stage,
            state=tuple(json.loads(self.state)),
            alone=alone,
        )


class MatchRow(NamedTuple):
    """A row of the table `matches`."""

    deal: int
    rotation: int
    end: str
    rounds: int
    detail: str
    seconds: float
    stored: str
    cause: str | None

    @classmethod
    def of(
        cls, key: Key, end: RecordedEnd, detail: str, rounds: int = 0, seconds: float = 0.0,
        *, cause: VoidCause | None = None,
    ) -> Self:  # fmt: skip
        """Return the row of a match that is over, or cancelled, now."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return cls(*key, str(end), rounds, clean_text(detail), seconds, now, cause and str(cause))

    def parse(
        self, directory: EntrantDirectory, seats: tuple[SeatRecord, ...],
        replaced: tuple[ReplacedResult, ...], stage: str, has_transcript: bool,
    ) -> StoredMatch:  # fmt: skip
        """Return the match with its parts from other tables."""
        return StoredMatch(
            deal=self.deal,
            rotation=self.rotation,
            end=parse_end(self.end),
            rounds=self.rounds,
            seats=seats,
            seconds=round(self.seconds, 6),
            detail=directory.mask_reason(self.detail),
            cause=VoidCause(self.cause) if self.cause else None,
            stage=stage,
            when=self.stored,
            has_transcript=has_transcript,
            replaced=replaced,
        )


class SeatRow(NamedTuple):
    """A row of the table `seats`."""

    deal: int
    rotation: int
    seat: int
    entrant: int
    score: float | None
    place: int | None
    used: float
    sandbox: str | None
    kind: str | None
    verdict: str | None
    errors: str | None
    earlier: int | None

    @classmethod
    def of(cls, key: Key, number: int, seat: SeatRecord, entrant: int) -> Self:
        """Return the row of a player, given the numbers of its seat and of its entrant."""
        failure = seat.failure
        return cls(
            *key, number, entrant, seat.score, seat.place, seat.seconds, seat.sandbox,
            None if failure is None else str(failure.kind),
            None if failure is None else dump(failure.pack()),
            None if failure is None else clean_text(seat.stderr or ""),
            seat.earlier_matches,
        )  # fmt: skip

    def parse(self, directory: EntrantDirectory, teams: Mapping[int, int]) -> SeatRecord:
        """Return the player, given the number of each seat's team, if partners are drawn."""
        name, version = directory.find_name_and_version(self.entrant)
        score = None if self.score is None else to_json_number(self.score)
        failure = VerdictRecord.parse(json.loads(self.verdict)) if self.verdict else None
        team = teams.get(self.seat) if teams else None
        # in order, since keywords would take a tenth of the time of a list of matches
        return SeatRecord(
            name, version, self.place, score, round(self.used, 6), failure, self.errors,
            self.sandbox, self.earlier, team,
        )  # fmt: skip


class ReplacedRow(NamedTuple):
    """A row of the table `replaced`."""

    deal: int
    rotation: int
    number: int
    result: str

    @classmethod
    def of(cls, match: StoredMatch) -> Self:
        """Return the row of the result that a match has now, and is about to lose."""
        number, result = 1 + len(match.replaced), match.to_replaced_result()
        return cls(*match.key, number, dump(result.pack()))

    def parse(self, directory: EntrantDirectory) -> ReplacedResult:
        """Return the result."""
        result = ReplacedResult.parse(json.loads(self.result))
        return evolve(
            result,
            detail=directory.mask_reason(result.detail),
            seats=tuple([
                evolve(seat, name=directory.mask_name(seat.name)) for seat in result.seats
            ]),
        )  # fmt: skip


class TranscriptRow(NamedTuple):
    """A row of the table `transcripts`."""

    deal: int
    rotation: int
    blob: bytes


def format_columns(table: str, names: Sequence[str]) -> str:
    """Return columns of a table as a query names them.

    >>> format_columns("matches", ["deal", "end"])
    'matches."deal", matches."end"'
    """
    return ", ".join(f'{table}."{name}"' for name in names)


def build_insert(table: str, names: Sequence[str]) -> str:
    """Return the statement that inserts a row with these columns.

    >>> build_insert("matches", ["deal", "end"])
    'INSERT INTO matches ("deal", "end") VALUES (?, ?)'
    """
    columns = ", ".join(f'"{name}"' for name in names)
    return f"INSERT INTO {table} ({columns}) VALUES ({format_marks(names)})"


PUT_ENTRANT = build_insert("entrants", EntrantRow._fields)
PUT_DEAL = build_insert("deals", DealRow._fields)
PUT_MATCH = f"{build_insert('matches', MatchRow._fields)} ON CONFLICT DO NOTHING"
PUT_SEAT = build_insert("seats", SeatRow._fields)
PUT_REPLACED = build_insert("replaced", ReplacedRow._fields)
PUT_TRANSCRIPT = build_insert("transcripts", TranscriptRow._fields)


@frozen
class RowsOfMatch:
    """All rows of a match that is over."""

    match: MatchRow
    seats: Sequence[SeatRow]
    transcript: TranscriptRow | None

    @classmethod
    def of(cls, match: ReportedMatch, directory: EntrantDirectory) -> Self:
        """Return the rows of a match; raise UnknownNameError for who has not entered."""
        key = match.key
        return cls(
            MatchRow.of(
                key, match.end, match.detail, match.rounds, match.seconds, cause=match.cause
            ),
            [
                SeatRow.of(key, number, seat, directory.find_number(seat.id))
                for number, seat in enumerate(match.seats)
            ],
            None if match.transcript is None else TranscriptRow(*key, match.transcript),
        )

    def insert(self, connection: Connection) -> bool:
        """Insert the rows within a transaction; return whether the match had no result before."""
        if not connection.execute(PUT_MATCH, self.match).rowcount:
            return False
        connection.execute_many(PUT_SEAT, self.seats)
        if self.transcript:
            connection.execute(PUT_TRANSCRIPT, self.transcript)
        return True
