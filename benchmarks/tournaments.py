"""Tournaments as a whole: what a second worker brings, what the store costs, what the host takes.

`python -m benchmarks.tournaments` runs all of it; `memory N` plays N short matches and says how
large the coordinator has grown.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from unittest.mock import patch

from arena.host import Limits
from arena.rules import End
from arena.tournament.entries import Entry, ReadyEntry
from arena.tournament.file.reader import load
from arena.tournament.kept_transcripts import KeptTranscripts
from arena.tournament.match_record import MatchRecord, ReportedMatch
from arena.tournament.run.monitor import Monitor
from arena.tournament.run.tournament_run import run
from arena.tournament.store.stored_matches import StoredMatches
from arena.tournament.workers.match_batch import (
    BatchSettings,
    MatchBatch,
    PlannedMatch,
)
from arena.tournament.workers.match_play import play_batch
from benchmarks.ratios import Ratio, print_medians

TURNS = 5
BOTS = Path(__file__).parent.parent / "examples" / "bots"
LEAGUE = """
game = "gops"
format = "round-robin"
matches = {matches}
seed = "1"
workers = {workers}
transcripts = "{transcripts}"
[[entrant]]
bot = "random"
[[entrant]]
bot = "match"
[[entrant]]
bot = "ordered"
[[entrant]]
bot = "easy"
[[entrant]]
bot = "medium"
[[entrant]]
bot = "hard"
[[entrant]]
bot = "hard-patterned"
[[entrant]]
bot = "planner"
"""
HILL = """
game = "bs"
format = "king-of-the-hill"
table = 4
matches = 120
seed = "1"
workers = 1
check = false
[[entrant]]
bot = "program:counter"
[[entrant]]
bot = "{bots}/bs-python"
[[entrant]]
bot = "{bots}/bs-perl"
[[entrant]]
bot = "{bots}/bs-bash"
[[entrant]]
bot = "{bots}/bs-ruby"
"""


class MatchTimer(Monitor):
    """Measures the time from the end of the first match to the end of the last."""

    def __init__(self) -> None:
        self.first = self.last = 0.0
        self.matches = -1

    def on_match(self, record: MatchRecord) -> None:
        """Record the time."""
        self.last = monotonic()
        self.first = self.first or self.last
        self.matches += 1

    @property
    def seconds_per_match(self) -> float:
        """The mean seconds of a match."""
        return (self.last - self.first) / self.matches


class StoreTimer:
    """Adds up the seconds in which the store records matches."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def record(self, matches: StoredMatches, done: ReportedMatch) -> bool:
        """Record a match, and add the time that takes."""
        began = monotonic()
        is_new = RECORD(matches, done)
        self.seconds += monotonic() - began
        return is_new


RECORD = StoredMatches.record


@contextmanager
def time_store() -> Iterator[StoreTimer]:
    """Measure the time of the store inside a `with` block."""
    timer = StoreTimer()
    with patch.object(StoredMatches, "record", lambda matches, done: timer.record(matches, done)):  # noqa: PLW0108  # a method
        yield timer


def run_tournament(text: str) -> MatchTimer:
    """Run a tournament in a temporary folder."""
    timer = MatchTimer()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tournament.toml"
        path.write_text(text)
        run(load(path), timer)
    return timer


def measure_league(transcripts: str, matches: int = 6000) -> list[Ratio]:
    """Return the gain by a second worker, and the store's share of the time, in a league."""
    with time_store() as timer:
        single = run_tournament(LEAGUE.format(matches=matches, workers=1, transcripts=transcripts))
        store = timer.seconds / (single.last - single.first)
    double = run_tournament(LEAGUE.format(matches=matches, workers=2, transcripts=transcripts))
    name = f"league, transcripts {transcripts}"
    return [
        Ratio(
            f"{name}: two workers / one, matches a second",
            single.seconds_per_match / double.seconds_per_match,
        ),
        Ratio(f"{name}: the store's part of one worker's time", store),
    ]


def measure_hill() -> list[Ratio]:
    """Return the share of the coordinator in the processor time of a tournament of programs."""
    before = measure_processor_time()
    run_tournament(HILL.format(bots=BOTS))
    own, children = (now - then for now, then in zip(measure_processor_time(), before, strict=True))
    return [Ratio("hill of programs: the coordinator / all processor time", own / (own + children))]


def measure_hosting(deals: int = 25) -> list[Ratio]:
    """Return the share of the worker itself in the processor time of matches of programs."""
    bots = ("program:counter", "program:honest", "program:liar", f"bash {BOTS}/bs-bash/bot.sh")
    seats = tuple(ReadyEntry(Entry(f"bot{n}", "1", bot), None) for n, bot in enumerate(bots))
    matches = tuple(PlannedMatch(deal, 0, seats) for deal in range(deals))
    here = Path()
    settings = BatchSettings(
        "bs", {}, "1", Limits(), KeptTranscripts.ALL, home=here, bots=here, kept_folders=here
    )
    before = measure_processor_time()
    assert all(done.end == End.FINISHED for done in play_batch(MatchBatch(matches, settings)))
    own, children = (now - then for now, then in zip(measure_processor_time(), before, strict=True))
    return [Ratio("matches of programs: the host / all processor time", own / (own + children))]


def measure_processor_time() -> tuple[float, float]:
    """Return the processor seconds of this process, and of its children that have ended."""
    two = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    own, children = (used.ru_utime + used.ru_stime for used in two)
    return own, children


def print_memory(matches: int) -> None:
    """Play many short matches, and print the memory of the coordinator on the way."""
    text = LEAGUE.replace("[[entrant]]", "[options]\ncards = 2\n[[entrant]]", 1)

    class MemoryMonitor(MatchTimer):
        def on_match(self, record: MatchRecord) -> None:
            super().on_match(record)
            if self.matches % (matches // 10) == 0:
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                print(f"{self.matches:>8} matches: peak {peak:.0f} MB", flush=True)

    with TemporaryDirectory() as folder:
        path = Path(folder) / "tournament.toml"
        path.write_text(text.format(matches=matches, workers=2, transcripts="none"))
        run(load(path), MemoryMonitor())


if __name__ == "__main__":
    if sys.argv[1:2] == ["memory"]:
        print_memory(int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
    else:
        print_medians(
            [
                measure_league("none") + measure_league("all") + measure_hill() + measure_hosting()
                for _ in range(TURNS)
            ]
        )
