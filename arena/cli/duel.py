"""`arena duel`: play two bots against each other until it is clear which is better."""

from __future__ import annotations

import json
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from arena.cli.match import PATH_TYPE, prepare_folder
from arena.cli.support.commands import (
    ExampleCommand,
    choose_sandbox,
    find_game,
    json_option,
    option_option,
    parse_variant,
    require_tournament_extra,
    sandbox_option,
    seed_option,
    table_option,
)
from arena.cli.support.time_options import time_options
from arena.cli.support.workers_option import workers_option
from arena.players import SIGNAL_STATUS_BASE

if TYPE_CHECKING:
    from arena.tournament import Sprt
    from arena.tournament.duel_score import AnyDuelScore

ERROR_RATE = click.FloatRange(0, 0.5, min_open=True, max_open=True)
PROGRESS_SECONDS = 10.0  # between two lines


@click.command(
    cls=ExampleCommand,
    short_help="Find out which of two bots is better.",
    examples=(
        "duel {game} {bot} {other} --sprt elo0=0 elo1=20 --file duel.db",
        'duel {game} "ruby new.rb" "ruby old.rb" --pairs 500',
        "duel {game} {bot} {other} --pairs 10 --transcripts matches",
    ),
)
@click.argument("game")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--sprt",
    nargs=2,
    metavar="elo0=X elo1=Y",
    help="Test 'A is X Elo points stronger' against 'Y points', and stop once that is decided.",
)
@click.option(
    "--alpha",
    type=ERROR_RATE,
    default=0.05,
    show_default=True,
    help="Error rate of the test if X is true.",
)
@click.option(
    "--beta",
    type=ERROR_RATE,
    default=0.05,
    show_default=True,
    help="Error rate of the test if Y is true.",
)
@click.option(
    "--pairs",
    type=click.IntRange(1),
    help="Maximum number of deals; each is played twice. [default: 100; with --sprt 50000]",
)
@click.option(
    "--file",
    "database",
    metavar="FILE",
    help="Keep the matches in this database; the same command then continues where it stopped.",
)
@time_options
@workers_option()
@click.option(
    "--transcripts",
    type=PATH_TYPE,
    metavar="FOLDER",
    help="Save a transcript of each match in FOLDER.",
)
@table_option
@sandbox_option
@option_option
@seed_option
@json_option
@require_tournament_extra
def duel(game: str, first: str, second: str, sprt: tuple[str, str] | None, alpha: float,
         beta: float, pairs: int | None, database: str | None, move_time: float,
         start_time: float, bank: float | None, increment: float, workers: int | None,
         transcripts: Path | None, table: int | None, sandbox: str, options: tuple[str, ...],
         seed: str | None, as_json: bool) -> int:  # fmt: skip
    """Play A against B in GAME, every deal twice with the seats swapped.

    In a game of teams, A and B each have all seats of a team, or are "team:BOT BOT", with a bot for
    each seat. In a cooperative game, each plays every deal alone, and the output compares
    the games won and the scores.

    The output counts the pairs in which A scored 0, 1/2, 1, 3/2 and 2 points. With --sprt,
    the duel ends when the log likelihood ratio (LLR) leaves its bounds. With --file an
    interrupted duel continues, and `arena standings` and `arena matches` read the file. With
    --json it prints one object at the end. Exit status: 0, or 1 if a match was void.
    """
    from arena.host import Limits
    from arena.plugins import parse_pairs
    from arena.tournament import DuelScore, play_duel

    parse_variant(find_game(game), options)
    tier = choose_sandbox(sandbox)
    score = play_duel(
        game,
        first,
        second,
        sprt=_build_test(sprt, alpha, beta),
        pairs=pairs,
        database=database,
        options=parse_pairs(options),
        limits=Limits(move_time, start_time, bank, increment),
        table=table,
        seed=seed,
        workers=workers,
        sandbox=tier.tier if tier else "trusted",
        transcripts=_prepare_transcripts(transcripts) if transcripts else None,
        progress=None if as_json else PeriodicPrinter().show,
    )
    if not as_json:
        click.echo(score)
        if isinstance(score, DuelScore) and (decision := score.describe_decision()):
            click.echo(decision)
    elif not score.interrupted:
        click.echo(json.dumps(score.pack()))
    if score.interrupted:
        advice = "the same command continues" if database else "use --file to continue a duel"
        click.echo(f"arena: stopped; {advice}", err=True)
        return SIGNAL_STATUS_BASE + 2
    return 1 if score.void else 0


def _prepare_transcripts(path: Path) -> Path:
    from arena.cli.support.match_reports import check_folder_name

    check_folder_name(path, "--transcripts")
    return prepare_folder(path)


def _build_test(sprt: tuple[str, str] | None, alpha: float, beta: float) -> Sprt | None:
    if sprt is None:
        return None
    from arena.plugins import build_with_parameters, parse_pairs
    from arena.tournament import Sprt

    return build_with_parameters(Sprt, {**parse_pairs(sprt), "alpha": alpha, "beta": beta})


class PeriodicPrinter:
    """Prints the score of a duel at intervals."""

    def __init__(self) -> None:
        self._next = monotonic() + PROGRESS_SECONDS

    def show(self, score: AnyDuelScore) -> None:
        """Print the score if it is time."""
        if monotonic() >= self._next:
            self._next = monotonic() + PROGRESS_SECONDS
            click.echo(score)
