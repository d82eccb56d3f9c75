"""What the tests of the store have in common: who enters, and matches that are over."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.rules import End
from arena.tournament.deals import Deal, Key
from arena.tournament.entries import Entry, Id, get_name, get_version
from arena.tournament.match_record import ReportedMatch, SeatRecord, VerdictRecord, VoidCause
from arena.tournament.store import Store, StoredSettings

ADA, BOB, CEM = (Entry(name, f"{name[0]}0", f"./{name}") for name in ("ada", "bob", "cem"))
A, B, C = ADA.id, BOB.id, CEM.id
SETTINGS = StoredSettings("gops", "round-robin", options={"names": [1, None, "ä"]})
SECRET = "s"  # noqa: S105  # of all seeds
TIMEOUT = {
    "kind": "timeout", "question": {"ask": "Bid", "options": {"one_of": [1]}}, "line": "",
    "limit": 1.0, "seconds": 1.5, "detail": "too late",
}  # fmt: skip


def create_store(address: str | Path, entries: Iterable[Entry]) -> Store:
    """Make a tournament of these entrants."""
    return Store.create(address, SETTINGS, SECRET, entries)


def create_tournament(address: str | Path, deals: Sequence[Deal] = ()) -> Store:
    """Make a tournament of three, with these deals planned."""
    store = create_store(address, [ADA, BOB, CEM])
    store.deals.plan(deals)
    return store


def build_deals(count: int, seats: tuple[Id, ...] = (A, B), rotations: int = 2) -> list[Deal]:
    """Return so many deals of the same seats."""
    return [Deal(number, seats, rotations) for number in range(count)]


def build_transcript_lines(deal: int, rotation: int) -> bytes:
    """Return the transcript that a match has here, so that nothing else can be taken for it."""
    return f'{{"match":"{deal}.{rotation}"}}\n'.encode() * 20


def build_result(
    deal: int,
    rotation: int = 0,
    seats: tuple[Id, ...] = (A, B),
    *,
    end: End = End.FINISHED,
    places: Sequence[int] | None = None,
    used: Sequence[float] | None = None,
    verdicts: Mapping[int, Mapping[str, Any]] | None = None,
    errors: Mapping[int, str] | None = None,
    **other: Any,
) -> ReportedMatch:
    """Return a match that the first seat has won, and the last lost."""
    verdicts, errors, is_void = verdicts or {}, errors or {}, end is End.VOID
    records = [
        SeatRecord(
            get_name(entrant),
            get_version(entrant),
            None if is_void else (places or range(1, len(seats) + 1))[seat],
            None if is_void else float(-seat),
            used[seat] if used else 0.01 * (seat + 1),
            VerdictRecord.parse(verdicts[seat]) if seat in verdicts else None,
            errors.get(seat, ""),
            "namespaces",
        )
        for seat, entrant in enumerate(seats)
    ]
    usual: dict[str, Any] = {
        "rounds": 13, "detail": "", "seconds": 0.25,
        "transcript": zlib.compress(build_transcript_lines(deal, rotation)),
    }  # fmt: skip
    return ReportedMatch(deal, rotation, end, seats=tuple(records), **(usual | other))


def build_void_result(
    deal: int,
    rotation: int = 0,
    seats: tuple[Id, ...] = (A, B),
    why: str = "it broke",
    cause: VoidCause = VoidCause.HOST,
) -> ReportedMatch:
    """Return a match that is nobody's."""
    return build_result(
        deal, rotation, seats, end=End.VOID, detail=why, transcript=None, cause=cause
    )


def list_open_keys(store: Store) -> list[Key]:
    """Return the keys of what is to be played."""
    return [(deal.number, rotation) for deal, rotation in store.deals.list_todo()]
