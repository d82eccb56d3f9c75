"""What playing styles cost: `python -m benchmarks.insights`.

A tournament of bundled bots is played, and its matches are counted, in processor time of this
process. Figures are multiples of a fixed loop in Python that runs right before and after, so
that they can be compared between machines: the time for 10,000 matches, reckoned from those
that were played, and the time until one more deal is counted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from arena.tournament.file import load
from arena.tournament.insights import InsightsCounter, find_insights_file
from arena.tournament.monitor import Monitor
from arena.tournament.run import run
from arena.tournament.store import Store
from benchmarks.ratios import Ratio, print_medians

RUNS = 5
MATCHES = 10_000  # for which the figures are
CALIBRATION_STEPS = 1_000_000
TOURNAMENTS = {
    "gops": (400, ["match", "easy", "hard", "medium"]),
    "bs": (80, ["counter", "honest", "caller", "liar"]),
    "hearts": (80, ["careful", "low", "careful", "low"]),
}
"""How many matches are played of each game, and by which bots, quick ones."""


def calibrate() -> float:
    """Return the seconds that a loop of a million steps takes."""
    start = process_time()
    total = 0
    for step in range(CALIBRATION_STEPS):
        total += step * step % 7
    return process_time() - start


def play_tournament(game: str, matches: int, bots: Sequence[str], folder: Path) -> str:
    """Play a tournament; return its database."""
    table = 2 if game == "gops" else len(bots)
    lines = [
        f'game = "{game}"\nformat = "king-of-the-hill"\ntable = {table}\nmatches = {matches}',
        'transcripts = "all"\nseed = "insights"',
        *(f'[[entrant]]\nname = "bot{at}"\nbot = "{bot}"' for at, bot in enumerate(bots)),
    ]
    path = folder / f"{game}.toml"
    path.write_text("\n".join(lines))
    program = load(path)
    run(program, Monitor())
    return program.database


def measure_counting(database: str) -> tuple[float, float]:
    """Count a tournament anew; return the seconds for a match, and those for one deal more."""
    with Store.open(database, write=False) as store:
        file = find_insights_file(store)
        assert file
        file.unlink(missing_ok=True)
        counter = InsightsCounter.of(store)
        with counter.tallies as tallies:
            deals = len(store.list_settled_deals(0, (), sys.maxsize))
            many = _time(lambda: counter.count_next(store, deals - 1))
            seats = sum(tallies.count_matches().values())
            matches = seats / len(next(iter(store.iterate_transcripts([0]))).entrants)
            return many / matches, _time(lambda: counter.count_next(store))


def _time(run: Callable[[], object]) -> float:
    start = process_time()
    run()
    return process_time() - start


def measure(game: str, database: str) -> list[Ratio]:
    """Return the figures of one game."""
    loop = calibrate()
    match, update = measure_counting(database)
    loop = (loop + calibrate()) / 2
    return [
        Ratio(f"{game}: 10,000 matches / the loop", MATCHES * match / loop),
        Ratio(f"{game}: 10,000 matches (seconds of this machine)", MATCHES * match),
        Ratio(f"{game}: one more deal (milliseconds of this machine)", 1000 * update),
    ]


def main(runs: int = RUNS, matches: int | None = None) -> None:
    """Play the tournaments, and print the figures of each game."""
    for game, (usual, bots) in TOURNAMENTS.items():
        with TemporaryDirectory() as folder:
            database = play_tournament(game, matches or usual, bots, Path(folder))
            print_medians([measure(game, database) for _ in range(runs)])


if __name__ == "__main__":
    main()
