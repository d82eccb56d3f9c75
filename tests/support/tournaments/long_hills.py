"""The database of a hill that has been open for long, with made-up results."""

from __future__ import annotations

from pathlib import Path
from random import Random

from arena.rules import End
from arena.tournament.entries import Entry, State
from arena.tournament.store import Facts, Store, StoredSettings
from arena.tournament.store.connection import Row
from arena.tournament.store.table_rows import PUT_DEAL, PUT_MATCH, PUT_SEAT, PUT_TRANSCRIPT
from arena.wires import dump

OLD = "2026-01-01T00:00:00.000Z"
DEALS = 10  # that each version plays when it comes
SETTINGS = StoredSettings("kuhn", "king-of-the-hill", table=2)
RESIDENTS = 2  # entrants that never leave


def create_long_hill(
    path: Path,
    versions: int,
    places: int,
    settings: StoredSettings = SETTINGS,
    transcript: bytes = b"",
) -> None:
    """Create a database in which versions came one by one, and another left for each.

    Each plays some deals of two rotations with those who are there; the stronger one wins more. All
    have names of their own and are called `bot1` and so on.
    """
    draw = Random(1)
    strength = [draw.gauss(0, 150) for _ in range(versions + 1)]
    present: list[int] = []
    deals: list[Row] = []
    matches: list[Row] = []
    seats: list[Row] = []
    transcripts: list[Row] = []
    for version in range(1, versions + 1):
        for _ in range(DEALS if present else 0):
            deal, pair = len(deals), [version, draw.choice(present)]
            deals.append((deal, dump(pair), 2, "", "[]"))
            for rotation in range(2):
                seated = pair[rotation:] + pair[:rotation]
                lead = strength[seated[0]] - strength[seated[1]]
                places_ = (1, 2) if draw.random() < 1 / (1 + 10 ** (-lead / 400)) else (2, 1)
                matches.append((deal, rotation, str(End.FINISHED), 1, "", 0.1, OLD, None))
                seats += [
                    (deal, rotation, seat, entrant, 2.0 - place, place, 0.1, *[None] * 5)
                    for seat, (entrant, place) in enumerate(zip(seated, places_, strict=True))
                ]
                if transcript:
                    transcripts.append((deal, rotation, transcript))
        if len(present) >= places:
            present.remove(draw.choice(present[RESIDENTS:]))
        present.append(version)
    entries = [
        Entry(f"bot{version}", f"{version:012x}", "copy",
              state=State.ACTIVE if version in present else State.REPLACED)
        for version in range(1, versions + 1)
    ]  # fmt: skip
    with Store.create(path, settings, "s", entries) as store:
        store.facts.set(Facts.level, 0.95)
        with store.begin_write() as connection:
            connection.execute_many(PUT_DEAL, deals)
            connection.execute_many(PUT_MATCH, matches)
            connection.execute_many(PUT_SEAT, seats)
            connection.execute_many(PUT_TRANSCRIPT, transcripts)
