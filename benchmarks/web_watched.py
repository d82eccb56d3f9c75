"""Matches that are watched as they are played, beside the same matches that nobody watches."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from arena.host import Limits
from arena.rules import End
from arena.tournament.live import REQUEST_FILE, open_live_folder, request_live_transcripts
from arena.tournament.models import Entry
from arena.tournament.workers import MatchBatch, PlannedMatch, play_batch
from benchmarks.ratios import Ratio

SEATS = (Entry("match", "1", "match"), Entry("random", "1", "random"))

ROUNDS = 20


def measure_seconds(live: Path | None, deals: int) -> float:
    """Return the processor seconds in which a worker plays `deals` matches of GOPS."""
    here = Path()
    matches = tuple(PlannedMatch(deal, 0, SEATS) for deal in range(deals))
    task = MatchBatch(
        matches, "gops", {}, "1", Limits(), "all", home=here, bots=here, folders=here, live=live
    )
    began = process_time()
    assert all(done.end is End.FINISHED for done in play_batch(task))
    return process_time() - began


def measure_watching(deals: int = 500) -> list[Ratio]:
    """Return the speed with a folder for live transcripts / without, watched and unwatched."""
    bare = unwatched = watched = 0.0
    few = max(1, deals // ROUNDS)  # in turn, since a machine's pace changes
    with TemporaryDirectory() as folder, open_live_folder(Path(folder) / "live") as live:
        for _ in range(ROUNDS):
            bare += measure_seconds(None, few)
            (live / REQUEST_FILE).unlink(missing_ok=True)
            unwatched += measure_seconds(live, few)
            request_live_transcripts(live)
            watched += measure_seconds(live, few)
    return [
        Ratio("matches a second, nobody watches / no live transcripts", bare / unwatched),
        Ratio("matches a second, somebody watches / no live transcripts", bare / watched),
    ]
