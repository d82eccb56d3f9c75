"""How costs grow with entrants and matches: what a larger store takes beside a smaller one."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from arena.tournament.results.summary import Summary
from arena.tournament.store import Store
from benchmarks.million import fill_database
from benchmarks.ratios import Ratio
from benchmarks.web import build_app, measure_cost

MATCHES = (10_000, 100_000)
ENTRANTS = (50, 150)
MATCHES_PER_ENTRANT = 20


def measure_standings(path: Path) -> float:
    """Return the processor seconds of reading all matches and ranking all entrants."""
    began = process_time()
    with Store.open(path, write=False) as store:
        assert Summary.of(store).standings
    return process_time() - began


def measure_history(path: Path) -> float:
    """Return the processor seconds of the page of rating histories of a new server."""
    with TemporaryDirectory() as folder:
        store = Path(shutil.copy(path, folder))
        return asyncio.run(measure_cost(build_app(store), [f"/t/{store.stem}/curves"]))


def prepare(folder: Path) -> Callable[[], list[Ratio]]:
    """Fill the databases; return what measures one turn."""
    for matches in MATCHES:
        fill_database(folder / f"{matches}.db", matches)
    for entrants in ENTRANTS:
        fill_database(folder / f"e{entrants}.db", entrants * MATCHES_PER_ENTRANT, entrants)

    def measure() -> list[Ratio]:
        less, more = (measure_standings(folder / f"{matches}.db") for matches in MATCHES)
        few, many = (measure_history(folder / f"e{entrants}.db") for entrants in ENTRANTS)
        return [
            Ratio("standings of {1:,} matches / of {0:,}".format(*MATCHES), more / less),
            Ratio("rating history of {1} entrants / of {0}".format(*ENTRANTS), many / few),
        ]

    return measure
