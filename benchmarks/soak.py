"""Many games of bundled bots as programs: no verdict, and every transcript verifies.

`python -m benchmarks.soak bs --games 1000 --seats 2-8`
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from arena.host import HostConfig, Series, host, parse_entrants
from arena.plugins import Game, load_game
from arena.records import Recorder, read_transcript, verify


def choose_bots(game: Game, seats: int, number: int) -> list[str]:
    """Choose the bots of one match: all bots of the game take turns, as programs."""
    start = number % len(game.bots)
    return [f"program:{name}" for name in islice(cycle(game.bots), start, start + seats)]


def play_match(name: str, seats: range, folder: Path, number: int) -> tuple[int, list[str]]:
    """Play and verify one match; return the lines of its transcript, and the complaints."""
    game = load_game(name)
    bots = choose_bots(game, seats[number % len(seats)], number)
    series = Series(game, game.read_variant({}), parse_entrants(game, bots), f"soak/{number}")
    path = folder / f"{number}.jsonl"
    for spec, seated in series.iter_matches(1):
        with path.open("w", encoding="utf-8") as file:
            outcome = host(spec, seated, HostConfig(), [Recorder(spec, file)]).outcome
    wrong = [f"{verdict.kind}: {verdict.detail}" for verdict in outcome.verdicts.values()]
    return verify(game, read_transcript(path)), wrong + [outcome.detail] * bool(outcome.detail)


def play_matches(
    name: str, games: int, seats: range, workers: int
) -> Iterator[tuple[int, list[str]]]:
    """Play and verify all matches, several at once; yield the result of each."""
    with TemporaryDirectory() as folder, ProcessPoolExecutor(workers) as pool:
        yield from pool.map(
            partial(play_match, name, seats, Path(folder)), range(games), chunksize=5
        )


@click.command()
@click.argument("game")
@click.option("--games", default=1000, show_default=True)
@click.option("--seats", default="2-8", show_default=True, help="LEAST-MOST")
@click.option("--workers", default=2, show_default=True)
def main(game: str, games: int, seats: str, workers: int) -> None:
    """Play GAMES matches, and count the complaints."""
    least, most = map(int, seats.split("-"))
    lines, wrong = 0, []
    with click.progressbar(
        play_matches(game, games, range(least, most + 1), workers), length=games
    ) as bar:
        for count, complaints in bar:
            lines += count
            wrong += complaints
    click.echo(f"{games} matches of {game}, {lines} lines verified, {len(wrong)} complaints")
    for complaint in wrong[:20]:
        click.echo(complaint)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
