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
from arena.tournament.config.spec import load
from arena.tournament.models.records import MatchResult
from arena.tournament.monitor import Monitor
from arena.tournament.run.setup import run
from arena.tournament.store import Store
from arena.tournament.worker.jobs import Contestant, Job, Task, play_task
from benchmarks.ratios import Ratio, report

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


class Stopwatch(Monitor):
    """Takes the time from the first match that is over to the last."""

    def __init__(self) -> None:
        self.first = self.last = 0.0
        self.matches = -1

    def on_match(self, done: MatchResult) -> None:
        """Take the time."""
        self.last = monotonic()
        self.first = self.first or self.last
        self.matches += 1

    @property
    def pace(self) -> float:
        """Return the seconds that a match took."""
        return (self.last - self.first) / self.matches


class Busy:
    """Takes down how long the store is busy keeping matches."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def record(self, store: Store, done: MatchResult) -> bool:
        """Keep a match."""
        began = monotonic()
        kept = RECORD(store, done)
        self.seconds += monotonic() - began
        return kept


RECORD = Store.record


@contextmanager
def timed_store() -> Iterator[Busy]:
    """Take the time of the store for a while."""
    busy = Busy()
    with patch.object(Store, "record", lambda store, done: busy.record(store, done)):  # noqa: PLW0108  # a method
        yield busy


def tournament(text: str) -> Stopwatch:
    """Run a tournament in a folder of its own."""
    watch = Stopwatch()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tournament.toml"
        path.write_text(text)
        run(load(path), watch)
    return watch


def league(transcripts: str, matches: int = 6000) -> list[Ratio]:
    """Return what a second worker brings to a league of bots in the workers' processes."""
    with timed_store() as busy:
        one = tournament(LEAGUE.format(matches=matches, workers=1, transcripts=transcripts))
        store = busy.seconds / (one.last - one.first)
    two = tournament(LEAGUE.format(matches=matches, workers=2, transcripts=transcripts))
    kept = f"league, transcripts {transcripts}"
    return [
        Ratio(f"{kept}: two workers / one, matches a second", one.pace / two.pace),
        Ratio(f"{kept}: the store's part of one worker's time", store),
    ]


def hill() -> list[Ratio]:
    """Return what part of the processor time of a tournament of programs is the host's."""
    before = spent()
    tournament(HILL.format(bots=BOTS))
    own, children = (now - then for now, then in zip(spent(), before, strict=True))
    return [Ratio("hill of programs: the coordinator / all processor time", own / (own + children))]


def hosting(deals: int = 25) -> list[Ratio]:
    """Return what part of the processor time of matches of programs is a worker's own."""
    bots = ("program:counter", "program:honest", "program:liar", f"bash {BOTS}/bs-bash/bot.sh")
    seats = tuple(Contestant(f"bot{n}@1", f"bot{n}", bot) for n, bot in enumerate(bots))
    jobs = tuple(Job(deal, 0, seats) for deal in range(deals))
    here = Path()
    task = Task(jobs, "bs", {}, "1", Limits(), "all", home=here, bots=here, folders=here)
    before = spent()
    assert all(done.end is End.FINISHED for done in play_task(task))
    own, children = (now - then for now, then in zip(spent(), before, strict=True))
    return [Ratio("matches of programs: the host / all processor time", own / (own + children))]


def spent() -> tuple[float, float]:
    """Return the processor seconds of this process, and of its children that have ended."""
    two = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    own, children = (used.ru_utime + used.ru_stime for used in two)
    return own, children


def memory(matches: int) -> None:
    """Play many short matches, and say how large the coordinator has grown on the way."""
    text = LEAGUE.replace("[[entrant]]", "[options]\ncards = 2\n[[entrant]]", 1)

    class Growing(Stopwatch):
        def on_match(self, done: MatchResult) -> None:
            super().on_match(done)
            if self.matches % (matches // 10) == 0:
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                print(f"{self.matches:>8} matches: peak {peak:.0f} MB", flush=True)

    with TemporaryDirectory() as folder:
        path = Path(folder) / "tournament.toml"
        path.write_text(text.format(matches=matches, workers=2, transcripts="none"))
        run(load(path), Growing())


if __name__ == "__main__":
    if sys.argv[1:2] == ["memory"]:
        memory(int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
    else:
        report([league("none") + league("all") + hill() + hosting() for _ in range(TURNS)])
