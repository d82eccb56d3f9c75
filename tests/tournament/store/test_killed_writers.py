"""Writers that are killed, and writers that come second; all of them real processes.

Each is killed at some moment: while it opens the database, claims it, plans, begins or commits.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from random import Random
from threading import Timer

import pytest

from arena.rules import UserError
from arena.tournament.deals import Key, parse_match_key
from arena.tournament.store import Facts, Store, database
from tests.support.programs import TIMEOUT
from tests.support.tournaments.stored_matches import (
    SETTINGS,
    build_transcript_lines,
    create_tournament,
    list_open_keys,
)
from tests.support.tournaments.writers import nursery

pytestmark = pytest.mark.slow  # writers that are killed
pytest_plugins = ["tests.support.tournaments.databases"]
KILLS = 6
STORED = (0, 0, 1, 8)  # matches before a writer is killed
LONGEST = 0.05  # seconds until it is killed, from then on


def kill_again_and_again(address: str | Path, draw: Random) -> set[Key]:
    """Kill writers at random moments, and return the keys that they acknowledged."""
    writer = left = 0
    acknowledged: set[Key] = set()
    with nursery(address, KILLS) as process:
        assert process.stdout
        for line in process.stdout:
            word, _, number = line.strip().partition(" ")
            if word == "writer":
                writer, left = int(number), draw.choice(STORED)
            elif word == "ended":
                assert int(number) == -signal.SIGKILL
                continue
            else:
                acknowledged.add(parse_match_key(word))
                left -= 1
            if left == 0:
                Timer(draw.uniform(0, LONGEST), os.kill, (writer, signal.SIGKILL)).start()
    return acknowledged


def check_whole(store: Store) -> set[Key]:
    """Check that every stored match is whole, and return the keys."""
    found = [match.key for match in store.matches.find_matches()]
    assert len(found) == len(set(found))
    for match in store.matches.find_matches():
        assert [seat.place for seat in match.seats] == [1, 2, 3]
        key = match.key
        assert store.transcripts.load(*key) == build_transcript_lines(*key)
    with store.begin_read() as connection:
        for table, each in {"matches": 1, "seats": 3, "transcripts": 1}.items():
            assert connection.read_value(f"SELECT COUNT(*) FROM {table}") == each * len(found)
    return set(found)


def test_nothing_is_lost_and_nothing_is_half(address: str | Path) -> None:
    """Acknowledged matches are stored once and whole, and at most one more for each kill."""
    create_tournament(address).close()
    acknowledged = kill_again_and_again(address, Random(3))
    assert len(acknowledged) > KILLS
    with Store.open(address) as store:
        stored = check_whole(store)
        assert acknowledged <= stored
        assert len(stored - acknowledged) <= KILLS
        planned = {
            (deal, rotation)
            for deal in range(store.deals.load_past().deals)
            for rotation in range(3)
        }
        assert set(list_open_keys(store)) == planned - stored
        assert [len(store.seats.load_results().deal), store.progress.count_matches().remaining] == [
            len(stored), len(planned - stored),
        ]  # fmt: skip
        assert store.settings == SETTINGS


def test_a_second_writer_is_refused_until_the_first_is_gone(
    address: str | Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second writer is refused in one line; it may read, and may write once the first was killed."""
    create_tournament(address).close()
    with nursery(address, 1) as process:
        assert process.stdout
        writer = int(process.stdout.readline().removeprefix("writer "))
        process.stdout.readline()  # now it has stored something
        with Store.open(address) as store:
            with pytest.raises(UserError, match="another run is using it; stop that run first"):
                store.claim()
            assert store.progress.count_matches().stored > 0
            with Store.open(address, write=False) as reader:
                assert next(reader.matches.find_matches()).match == "0.0"
            os.kill(writer, signal.SIGKILL)
            process.wait()
            monkeypatch.setattr(database, "LOCK_TIMEOUT_SECONDS", TIMEOUT)
            store.claim()
            store.facts.set(Facts.first_entrants, 1)


def test_the_claim_ends_when_it_is_closed(address: str | Path) -> None:
    """A claim may be taken again by its owner, and by another process once it is closed."""
    first, second = create_tournament(address), Store.open(address)
    first.claim()
    with pytest.raises(UserError, match="another run is using it"):
        second.claim()
    first.close()
    first.close()
    second.claim()
    second.close()
