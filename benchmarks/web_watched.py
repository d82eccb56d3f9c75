"""Matches that are watched as they are played, beside the same matches that nobody watches."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from arena.host import Limits
from arena.rules import End
from arena.tournament.jobs import Contestant, Job, Task, play
from arena.tournament.spool import spooling, want
from benchmarks.ratios import Ratio

SEATS = (Contestant("match@1", "match", "match"), Contestant("random@1", "random", "random"))


def seconds(live: Path | None, deals: int) -> float:
    """Return the processor seconds of so many matches of GOPS as a worker plays them."""
    here = Path()
    jobs = tuple(Job(deal, 0, SEATS) for deal in range(deals))
    task = Task(
        jobs, "gops", {}, "1", Limits(), "all", home=here, bots=here, folders=here, live=live
    )
    began = process_time()
    assert all(done.end is End.FINISHED for done in play(task))
    return process_time() - began


def watched(deals: int = 500) -> list[Ratio]:
    """Return matches a second with a folder for spools, beside none: wanted, and not wanted."""
    with TemporaryDirectory() as folder, spooling(Path(folder) / "live") as live:
        bare, idle = seconds(None, deals), seconds(live, deals)
        want(live)
        busy = seconds(live, deals)
    return [
        Ratio("matches a second, nobody watches / no spools", bare / idle),
        Ratio("matches a second, somebody watches / no spools", bare / busy),
    ]
