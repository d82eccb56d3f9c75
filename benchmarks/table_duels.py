"""A sequential test of two bots at tables of any size: one seat against all the others.

Each deal is played in all rotations, and counts once, as the tested bot's share of beaten
opponents. Equal bots have one half on average, so that the test of `arena duel` applies. A share
between two results of a pair counts partly for each of them. The test looks after each batch.

    python -m benchmarks.table_duels bs seasoned counter 4
"""

from __future__ import annotations

from statistics import fmean

import click
import numpy as np

from arena.host import AnyBot, configure, play_series
from arena.plugins import get_plugins
from arena.rules import compute_beaten_share, derive_seed
from arena.tournament.ratings import Sprt, estimate_share
from arena_tune.staged_search import add_counts, count_pair_results

TEST = Sprt(elo0=0, elo1=10)
BATCH_DEALS = 50
MAX_DEALS = 10_000
TESTED = "tested"


def play_deals(game: str, tested: str, other: str, table: int, seed: str) -> list[float]:
    """Return the tested bot's share in each deal of a batch."""
    bots = get_plugins().find_game(game).bots
    seated: list[AnyBot] = [configure(bots[tested], name=TESTED), *[other] * (table - 1)]
    results = play_series(game, seated, games=BATCH_DEALS * table, seed=seed, table=table).results
    shares = [
        compute_beaten_share(result.places or (), result.names.index(TESTED)) for result in results
    ]
    return [fmean(shares[first : first + table]) for first in range(0, len(shares), table)]


@click.command()
@click.argument("game")
@click.argument("tested")
@click.argument("other")
@click.argument("table", type=click.IntRange(2))
@click.option("--seed", default="validation", show_default=True)
def main(game: str, tested: str, other: str, table: int, seed: str) -> None:
    """Test whether TESTED beats OTHER, which has all other seats of a TABLE."""
    counts, shares = [0.0] * 5, list[float]()
    while not (decision := TEST.decide(counts)) and len(shares) < MAX_DEALS:
        batch = play_deals(game, tested, other, table, derive_seed(seed, len(shares)))
        shares += batch
        zeros = np.zeros(len(batch))
        counts = add_counts(counts, count_pair_results(np.array([zeros, 2 * np.array(batch) - 1])))
        found = estimate_share(np.array(shares))
        click.echo(
            f"{len(shares)} deals: share {found.value:.3f}"
            f" ({found.low:.3f} to {found.high:.3f}), LLR {TEST.compute_llr(counts):.2f}"
        )
    click.echo(f"{tested} against {other} at a table of {table}: {decision or 'undecided'}")


if __name__ == "__main__":
    main()
