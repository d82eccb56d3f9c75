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
from collections.abc import Mapping, Sequence
from math import log, sqrt
from pathlib import Path
from statistics import fmean
from typing import Any

import click
import numpy as np
from attrs import evolve, field, frozen

from arena.host import AnyBot, configure, play_series
from arena.plugins import Game, get_plugins, parse_pairs
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
from arena.tournament.ratings import estimate_share
from arena.tournament.results.pair_records import list_pair_records
from arena.tournament.results.summary import Summary
from arena.tournament.store import Store

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


@frozen(kw_only=True)
class SearchSeries:
    """So many deals of `search` against each bot that was measured, each in all rotations."""

    game: Game
    bots: Sequence[str]  #: one of which has all other seats of a match
    table: int  #: how many seats a match has
    deals: int  #: against each bot
    playouts: int | None = None  #: of `search`, unless its default
    options: Mapping[str, Any] = field(factory=dict)  #: of the game

    def play(self) -> Mapping[str, Sequence[float]]:
        """Return for each bot and deal the share of opponents that `search` has beaten."""
        return {bot: self._play_against(bot) for bot in self.bots}

    def _play_against(self, bot: str) -> Sequence[float]:
        thought = {} if self.playouts is None else {"playouts": self.playouts}
        searching = configure(Search, name=SEARCH, **thought)
        seated: list[AnyBot] = [searching, *[bot] * (self.table - 1)]
        results = play_series(
            self.game, seated, games=self.deals * self.table, seed=SEED, table=self.table,
            options=self.options,
        ).results  # fmt: skip
        shares = [
            compute_beaten_share(result.places or (), result.names.index(SEARCH))
            for result in results
        ]
        firsts = range(0, len(shares), self.table)
        return [fmean(shares[first : first + self.table]) for first in firsts]

    def format_row(self, rating: str, shares: Mapping[str, Sequence[float]]) -> str:
        """Return a row of the table in the benchmarks: the rating, and shares with intervals."""
        named = {"playouts": self.playouts, **self.options}
        told = [f"{name}={value}" for name, value in named.items() if value is not None]
        estimates = {bot: estimate_share(np.array(played)) for bot, played in shares.items()}
        cells = [
            f"{self.game.name}/{self.table} ({', '.join([str(self.deals), *told])})",
            rating,
            ", ".join(
                f"`{bot}` {found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
                for bot, found in estimates.items()
            ),
        ]
        return f"| {' | '.join(cells)} |"


def rate_search(stored: BotStrengths, shares: Mapping[str, Sequence[float]]) -> BotStrength:
    """Return the strength of `search` by its shares and the stored ratings of the others."""
    scores = [(share, stored.bots[bot].rating) for bot in shares for share in shares[bot]]
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
    return BotStrength(
        round(low, 1), round(low - doubt, 1), round(low + doubt, 1),
        WorstResult(worst, round(means[worst], SHARE_DIGITS)),
    )  # fmt: skip


def expect_share(lead: float) -> float:
    """Return the share of matches that a bot with this lead in Elo points wins."""
    return float(1 / (1 + 10 ** (-lead / 400)))


@click.command()
@click.argument("name", metavar="GAME")
@click.option("--matches", type=click.IntRange(1), help="Matches to play; default: as stored.")
@click.option("--table", type=click.IntRange(2), help="Seats of a match; default: as stored.")
@click.option("--search", "deals", type=click.IntRange(2), help="Measure `search` in DEALS deals.")
@click.option("--playouts", type=click.IntRange(1), help="Playouts of `search`, which is unrated.")
@click.option(
    "--option", "pairs", multiple=True, metavar="NAME=VALUE",
    help="An option of the game for `search`, which is unrated.",
)  # fmt: skip
def main(
    *, name: str, matches: int | None, table: int | None, deals: int | None, playouts: int | None,
    pairs: tuple[str, ...],
) -> None:  # fmt: skip
    """Measure the strengths of GAME's own bots again, and write the file of the game."""
    if (playouts or pairs) and not deals:
        raise click.UsageError("--playouts and --option are for --search")
    try:
        game = find_own_game(name)
        if deals:
            _measure_search(game, deals, table, playouts, parse_pairs(pairs))
        else:
            path, strengths = _measure_again(game, matches, table)
            _write(strengths, path)
    except UserError as problem:
        raise click.ClickException(str(problem)) from None


def _measure_search(
    game: Game, deals: int, table: int | None, playouts: int | None, options: Mapping[str, Any]
) -> None:
    """Print how `search` does, and write its rating if it plays what the others were rated in."""
    file, stored = game.presentation.strengths, load_bot_strengths(game)
    if file is None or stored is None:
        raise UserError(f"{game.name} has no stored strengths; measure its own bots first")
    own = evolve(stored, bots={bot: had for bot, had in stored.bots.items() if bot != SEARCH})
    series = SearchSeries(
        game=game, bots=[*own.bots], table=table or own.table, deals=deals, playouts=playouts,
        options=options,
    )  # fmt: skip
    shares = series.play()
    if series.table != own.table or playouts or options:
        click.echo(series.format_row("", shares))
        return
    strength = rate_search(own, shares)
    click.echo(series.format_row(f"{strength.rating:.0f}", shares))
    _write(_insert_search(own, strength), file)


def _write(strengths: BotStrengths, path: Path) -> None:
    """Write a file of strengths, and say so."""
    write_bot_strengths(strengths, path)
    click.echo(f"{path}: {strengths.measurement}")


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
