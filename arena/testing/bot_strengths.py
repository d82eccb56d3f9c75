"""Measuring the strengths of a game's bundled bots, which pages show to who chooses an opponent.

`python -m arena.testing.bot_strengths GAME --matches 4000` plays a tournament of the game's own
bots and writes the file that the game names in `strengths`. Without options it repeats the stored
measurement. It is seeded: the same bots and the same options give the same file.

`search` would take too long in that tournament. `--search DEALS` plays so many deals of it against
each of the others, with the same bot in all other seats, and writes its rating among the stored
ones. It prints a row of the table in the benchmarks.
"""

from __future__ import annotations

import json
from math import log, sqrt
from pathlib import Path
from statistics import fmean, stdev

import click
from attrs import evolve

from arena.host import AnyBot, configure, play_series
from arena.plugins import Game, get_plugins
from arena.rules import UserError, compute_beaten_share
from arena.search import Search
from arena.tournament import (
    BotStrength,
    BotStrengths,
    Standing,
    Tournament,
    WorstResult,
    load_bot_strengths,
)
from arena.tournament.pair_records import list_pair_records
from arena.tournament.store import Store
from arena.tournament.summary import Summary

SEED = "strengths"
"""The seed of the first measurement of a game."""
SHARE_DIGITS = 3
SEARCH = "search"
"""The bot of every game that is measured by itself."""
MAX_RATING, RATING_PRECISION = 1000.0, 0.05  # Elo points
CONFIDENCE = 1.96  # standard errors of a 95 % interval


def find_own_game(name: str) -> Game:
    """Return a game without the bots that other plugins add to it.

    Raises:
        UserError: if there is no such game.
    """
    own = (game for game in get_plugins().find_games(name) if game.name == name)
    return next(own, None) or get_plugins().find_game(name)


def measure_bot_strengths(game: Game, matches: int, table: int, seed: str = SEED) -> BotStrengths:
    """Play a round robin of a game's bots; return their ratings and worst results."""
    tournament = Tournament(
        game.name, [*game.bots], matches=matches, table=table, seed=seed, workers=1,
        transcripts="none",
    )  # fmt: skip
    tournament.run()
    with Store.open(tournament.spec.database, write=False) as store:
        summary = Summary.of(store)
    bots = {row.entry.bot: _build_strength(summary, row) for row in summary.standings}
    return BotStrengths(summary.matches, table, seed, bots)


def write_bot_strengths(strengths: BotStrengths, path: Path) -> None:
    """Write a file of strengths."""
    path.write_text(json.dumps(strengths.pack(), indent=2, ensure_ascii=False) + "\n", "utf-8")


def _build_strength(summary: Summary, standing: Standing) -> BotStrength:
    worst = list_pair_records(summary, [standing.entry.id])[0]
    bots = {row.entry.id: row.entry.bot for row in summary.standings}
    rating = standing.rating
    return BotStrength(
        round(rating.value, 1), round(rating.low, 1), round(rating.high, 1),
        WorstResult(bots[worst.opponent], round(worst.share, SHARE_DIGITS)),
    )  # fmt: skip


def measure_search(
    game: Game, stored: BotStrengths, deals: int
) -> tuple[BotStrength, dict[str, tuple[float, float]]]:
    """Play `search` against each bot that was measured, each deal in all rotations.

    Returns its strength, by the stored ratings of the others, and its share of beaten opponents
    against each of them, with the half-width of the 95 % interval.
    """
    shares = {bot: _play_search(game, bot, stored.table, deals) for bot in stored.bots}
    scores = [
        (share, stored.bots[bot].rating) for bot, played in shares.items() for share in played
    ]
    low, high = -MAX_RATING, MAX_RATING
    while high - low > RATING_PRECISION:
        middle = (low + high) / 2
        ahead = sum(share - expect_share(middle - other) for share, other in scores) > 0
        low, high = (middle, high) if ahead else (low, middle)
    expected = [expect_share(low - other) for _, other in scores]
    slope = log(10) / 400 * sum(share * (1 - share) for share in expected)
    noise = sum((share - mean) ** 2 for (share, _), mean in zip(scores, expected, strict=True))
    # at least as unsure as of single matches: if all are won, what is observed does not vary
    doubt = CONFIDENCE * sqrt(max(noise, slope * 400 / log(10))) / slope
    means = {bot: fmean(played) for bot, played in shares.items()}
    worst = min(means, key=means.__getitem__)
    strength = BotStrength(
        round(low, 1), round(low - doubt, 1), round(low + doubt, 1),
        WorstResult(worst, round(means[worst], SHARE_DIGITS)),
    )  # fmt: skip
    halves = {bot: CONFIDENCE * stdev(played) / sqrt(deals) for bot, played in shares.items()}
    return strength, {bot: (means[bot], halves[bot]) for bot in shares}


def expect_share(lead: float) -> float:
    """Return the share of matches that a bot with this lead in Elo points wins."""
    return float(1 / (1 + 10 ** (-lead / 400)))


def _play_search(game: Game, bot: str, table: int, deals: int) -> list[float]:
    """Return for each deal the share of opponents that `search` has beaten, in all rotations."""
    seated: list[AnyBot] = [configure(Search, name=SEARCH), *[bot] * (table - 1)]
    results = play_series(game, seated, games=deals * table, seed=SEED, table=table).results
    shares = [
        compute_beaten_share(result.places or (), result.names.index(SEARCH)) for result in results
    ]
    return [fmean(shares[first : first + table]) for first in range(0, len(shares), table)]


@click.command()
@click.argument("name", metavar="GAME")
@click.option("--matches", type=click.IntRange(1), help="Matches to play; default: as stored.")
@click.option("--table", type=click.IntRange(2), help="Seats of a match; default: as stored.")
@click.option("--search", "deals", type=click.IntRange(2), help="Measure `search` in DEALS deals.")
def main(name: str, matches: int | None, table: int | None, deals: int | None) -> None:
    """Measure the strengths of GAME's own bots again, and write the file of the game."""
    try:
        game = find_own_game(name)
        if deals:
            path, strengths = _add_search(game, deals)
        else:
            path, strengths = _measure_again(game, matches, table)
    except UserError as problem:
        raise click.ClickException(str(problem)) from None
    write_bot_strengths(strengths, path)
    click.echo(f"{path}: {strengths.measurement}")


def _add_search(game: Game, deals: int) -> tuple[Path, BotStrengths]:
    """Measure `search` among the stored strengths; return the file, and them with it."""
    file, stored = game.presentation.strengths, load_bot_strengths(game)
    if file is None or stored is None:
        raise UserError(f"{game.name} has no stored strengths; measure its own bots first")
    own = evolve(stored, bots={bot: had for bot, had in stored.bots.items() if bot != SEARCH})
    strength, shares = measure_search(game, own, deals)
    row = ", ".join(f"`{bot}` {share:.2f} ±{half:.2f}" for bot, (share, half) in shares.items())
    click.echo(f"| {game.name}/{stored.table} ({deals}) | {strength.rating:.0f} | {row} |")
    return file, _insert_search(own, strength)


def _insert_search(strengths: BotStrengths, strength: BotStrength) -> BotStrengths:
    """Return strengths with that of `search`, the highest rating first."""
    bots = {**strengths.bots, SEARCH: strength}
    ranked = sorted(bots, key=lambda bot: -bots[bot].rating)
    return evolve(strengths, bots={bot: bots[bot] for bot in ranked})


def _measure_again(game: Game, matches: int | None, table: int | None) -> tuple[Path, BotStrengths]:
    """Measure as stored, unless said otherwise; return the file of the game, too."""
    file = game.presentation.strengths
    if file is None:
        raise UserError(f"{game.name} names no file: set `Presentation.strengths` to a path")
    stored = load_bot_strengths(game)
    matches = matches or (stored.matches if stored else None)
    if matches is None:
        raise UserError(f"{file} does not exist yet: pass --matches")
    table = table or (stored.table if stored else max(2, game.seats[0]))
    seed = stored.seed if stored else SEED
    strengths = measure_bot_strengths(game, matches, table, seed)
    if stored and SEARCH in stored.bots:  # which was measured by itself
        strengths = _insert_search(strengths, stored.bots[SEARCH])
    if strengths.matches < matches:
        raise UserError(
            f"interrupted after {strengths.matches} of {matches} matches; {file} is as it was"
        )
    return file, strengths


if __name__ == "__main__":
    main()
