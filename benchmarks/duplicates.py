"""How many matches duplicate deals save: the same tournament with and without them.

A deal that everybody plays from every seat cancels its luck, but its matches are not
independent of each other; the deal is the unit of the interval either way. The figure is
the square of the ratio of the intervals, which is the ratio of the matches that it takes
for the same interval: below 1, duplicate deals save matches.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from arena.tournament.file import load
from arena.tournament.monitor import Monitor
from arena.tournament.ratings import compute_mean_scores
from arena.tournament.run import run
from arena.tournament.standings import fit_ratings
from arena.tournament.store import Store
from benchmarks.ratios import Ratio, print_medians

TURNS = 3
MATCHES = 1200
TOURNAMENTS = {
    "bs, four at a table": ("bs", 4, ["counter", "honest", "caller", "liar"] * 2),
    "bs, two at a table": ("bs", 2, ["counter", "honest", "caller", "liar"]),
    "gops": ("gops", 2, ["match", "easy", "hard", "medium"]),
}


def compute_variances(game: str, table: int, bots: list[str], more: str) -> tuple[float, float]:
    """Run a tournament; return the mean variance of its ratings, and that of its mean scores."""
    lines = [
        f'game = "{game}"\nformat = "king-of-the-hill"\ntable = {table}\nmatches = {MATCHES}',
        f'transcripts = "none"\n{more}',
        *(f'[[entrant]]\nname = "bot{n}"\nbot = "{bot}"' for n, bot in enumerate(bots)),
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tournament.toml"
        path.write_text("\n".join(lines))
        program = load(path)
        run(program, Monitor())
        with Store.open(program.database, write=False) as store:
            results = store.load_results()
            fit, scores = fit_ratings(store, results), compute_mean_scores(results)
    return (
        float(np.mean(fit.covariance.diagonal())),
        float(np.mean((scores.high - scores.low) ** 2)),
    )


def measure(seed: int) -> list[Ratio]:
    """Return a ratio for each tournament: matches needed with duplicate deals / without."""
    figures = []
    for name, tournament in TOURNAMENTS.items():
        duplicate = compute_variances(*tournament, f'seed = "{seed}"\nduplicate = true')
        separate = compute_variances(*tournament, f'seed = "{seed}"\nduplicate = false')
        for kind, ours, theirs in zip(("ratings", "mean scores"), duplicate, separate, strict=True):
            figures.append(Ratio(f"{name}: matches for the same interval, {kind}", ours / theirs))
    return figures


if __name__ == "__main__":
    print_medians([measure(seed) for seed in range(TURNS)])
