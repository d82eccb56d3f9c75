"""Measuring the strengths of a game's bundled bots, which pages show to who chooses an opponent.

`python -m arena.testing.bot_strengths GAME --matches 4000` plays a tournament of the game's own
bots and writes the file that the game names in `strengths`. Without options it repeats the stored
measurement. It is seeded: the same bots and the same options give the same file.
"""

from __future__ import annotations

import json
from pathlib import Path

import click
from attrs import asdict

from arena.plugins import Game, get_plugins
from arena.rules import UserError
from arena.tournament import (
    BotStrength,
    BotStrengths,
    Standing,
    Tournament,
    WorstResult,
    load_bot_strengths,
)
from arena.tournament.standings import Summary, list_pair_records
from arena.tournament.store import Store

SEED = "strengths"
"""The seed of the first measurement of a game."""
SHARE_DIGITS = 3


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
    path.write_text(json.dumps(asdict(strengths), indent=2, ensure_ascii=False) + "\n", "utf-8")


def _build_strength(summary: Summary, standing: Standing) -> BotStrength:
    worst = list_pair_records(summary, [standing.entry.id])[0]
    bots = {row.entry.id: row.entry.bot for row in summary.standings}
    rating = standing.rating
    return BotStrength(
        round(rating.value, 1), round(rating.low, 1), round(rating.high, 1),
        WorstResult(bots[worst.opponent], round(worst.share, SHARE_DIGITS)),
    )  # fmt: skip


@click.command()
@click.argument("name", metavar="GAME")
@click.option("--matches", type=click.IntRange(1), help="Matches to play; default: as stored.")
@click.option("--table", type=click.IntRange(2), help="Seats of a match; default: as stored.")
def main(name: str, matches: int | None, table: int | None) -> None:
    """Measure the strengths of GAME's own bots again, and write the file of the game."""
    try:
        path, strengths = _measure_again(find_own_game(name), matches, table)
    except UserError as problem:
        raise click.ClickException(str(problem)) from None
    write_bot_strengths(strengths, path)
    click.echo(f"{path}: {strengths.measurement}")


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
    if strengths.matches < matches:
        raise UserError(
            f"interrupted after {strengths.matches} of {matches} matches; {file} is as it was"
        )
    return file, strengths


if __name__ == "__main__":
    main()
