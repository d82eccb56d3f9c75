"""A million stored matches: how long it takes to rank, to filter, and to go on.

The matches are put into the database without being played: two players, fifty entrants,
two matches a deal. The figures are seconds of this machine, since they are bounds, not
comparisons: standings in under ten, filters in under a tenth.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from arena.rules import Fault
from arena.tournament.entries import Entry
from arena.tournament.results.summary import Summary
from arena.tournament.store import Facts, MatchFilter, Store, StoredSettings
from arena.tournament.store.table_rows import PUT_DEAL, PUT_MATCH, PUT_SEAT

ENTRANTS = 50
CHUNK = 10_000  # deals


def fill_database(path: Path, matches: int, entrants: int = ENTRANTS) -> None:
    """Create a database with this number of matches."""
    entries = [Entry(f"bot{n}", f"{n:012x}", "random") for n in range(entrants)]
    settings = StoredSettings("gops", "round-robin")
    with Store.create(path, settings, "0", entries) as store:
        store.facts.set(Facts.level, 0.95)
        draw = Random(1)
        for first in range(0, matches // 2, CHUNK):
            deals = range(first, min(first + CHUNK, matches // 2))
            rows = [*_build_rows(deals, entrants, draw)]
            with store.begin_write() as connection:
                for put in (PUT_DEAL, PUT_MATCH, PUT_SEAT):
                    connection.execute_many(put, [row for kind, row in rows if kind == put])


def _build_rows(deals: range, entrants: int, draw: Random) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for deal in deals:
        first, second = draw.sample(range(1, entrants + 1), 2)
        yield PUT_DEAL, (deal, f"[{first},{second}]", 2, "", "[]")
        for rotation in range(2):
            yield PUT_MATCH, (deal, rotation, "finished", 13, "", 0.01, "2026", None)
            ahead = draw.random() * (first + second) < second
            late = draw.random() < 1 / 1000
            for seat, entrant in enumerate((first, second)):
                place = 1 if ahead == (entrant == first) else 2
                kind = str(Fault.TIMEOUT) if late and seat else None
                verdict = '{"kind":"timeout"}' if kind else None
                yield PUT_SEAT, (
                    deal, rotation, seat, entrant, 91.0 - place, place, 0.005, None, kind, verdict,
                    None, None,
                )  # fmt: skip


def print_time(name: str, run: Callable[[], object]) -> None:
    """Print the seconds of one call; it is made once, so nothing is cached."""
    began = monotonic()
    run()
    print(f"{name:40} {monotonic() - began:8.3f} s")


def main(matches: int) -> None:
    """Fill a database, and print the time of each query."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "million.db"
        fill_database(path, matches)
        print(f"{matches} matches, {path.stat().st_size / 1e6:.0f} MB")
        with Store.open(path, write=False) as store:
            for words, which in {
                "of one bot": MatchFilter(bot="bot7", limit=50, newest=True),
                "with a timeout": MatchFilter(verdict="timeout", limit=50, newest=True),
                "of one bot with a timeout": MatchFilter(bot="bot7", verdict="timeout", limit=50),
                "the newest": MatchFilter(limit=50, newest=True),
            }.items():
                find = partial(store.matches.find_matches, which)
                print_time(f"matches, {words}", lambda find=find: [*find()])  # type: ignore[misc]
            print_time("standings", lambda: Summary.of(store).standings)
            print_time("what is left to play", lambda: [*store.deals.list_todo()])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
