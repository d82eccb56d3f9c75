"""`arena match`: host games between bots, and say how they came out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.support.commands import (
    ExampleCommand,
    check_support,
    choose_sandbox,
    find_game,
    json_option,
    log_options,
    option_option,
    parse_variant,
    raise_usage_errors,
    sandbox_option,
    seed_option,
    table_option,
)
from arena.cli.support.time_options import time_options
from arena.cli.support.workers_option import workers_option
from arena.rules import UserError

if TYPE_CHECKING:
    from arena.cli.support.match_reports import MatchLog, TranscriptRecorder
    from arena.host import HostConfig, Play, ProgramPool, Result, Seated
    from arena.plugins import MatchSpec

VOID_STATUS = 1
PATH_TYPE = click.Path(path_type=Path)


def prepare_folder(path: Path) -> Path:
    """Create a folder unless it exists, and return it; raise UserError if it is not writable."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(f"{path} is not a folder: {problem.strerror}") from None
    if not os.access(path, os.W_OK):
        raise UserError(f"{path} is not writable")
    return path


@click.command(
    cls=ExampleCommand,
    short_help="Play matches between bots.",
    examples=(
        "match {game} {bot} {other} --games 10",
        'match {game} {bot} "mine=ruby bots/mine.rb" --seed 42 --json',
        "match {game} {bot} program:{other} --transcript match.jsonl",
    ),
)
@click.argument("game")
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT...")
@option_option
@seed_option
@table_option
@click.option(
    "--games",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Number of games. Each deal is played once in every rotation of the seats.",
)
@time_options
@click.option(
    "--transcript",
    type=PATH_TYPE,
    help="Save the transcript in this file (with --games: in this folder).",
)
@click.option("--bot-logs", type=PATH_TYPE, help="Save the programs' stderr in this folder.")
@click.option(
    "--keep-folders",
    type=PATH_TYPE,
    help="Keep the bots' working folders between games, in this folder.",
)
@workers_option(1)
@sandbox_option
@json_option
@log_options
def match(game: str, bots: tuple[str, ...], options: tuple[str, ...], seed: str | None,
          table: int | None, games: int, move_time: float, bank: float | None, increment: float,
          start_time: float, transcript: Path | None, bot_logs: Path | None,
          keep_folders: Path | None, workers: int, sandbox: str, as_json: bool, verbose: int,
          log_format: str) -> int:  # fmt: skip
    """Play matches of GAME between the BOTs, and print the results.

    A BOT is a bundled bot (see `arena bots GAME`), a folder with a bot.toml, or PATH.py:CLASS, each
    with parameters if it has any (ordered:start=7); a path to a program; or a quoted command line.
    Each BOT has one seat. In a game of teams, name a BOT for each team, which has all seats of the
    team, or "team:BOT BOT", with a bot for each seat. NAME=BOT names it, json:COMMAND speaks JSON
    lines, and program:NAME runs a bundled bot as a program. Exit status: 0 if all matches were
    played, 1 if a match was void, 2 for usage errors.
    """
    from arena.cli.support.match_reports import MatchLog
    from arena.host import (
        HostConfig,
        Limits,
        Series,
        choose_table,
        parse_entrants,
        play_matches,
        split_bot_name,
        split_team,
    )

    if keep_folders and workers > 1:
        raise click.UsageError(
            "--keep-folders needs --workers 1: games in parallel share no folder"
        )
    rules = find_game(game)
    variant = parse_variant(rules, options)
    with raise_usage_errors():
        partners = max(len(split_team(split_bot_name(bot)[1])) for bot in bots)
        table = choose_table(rules, variant, len(bots), table, partners=partners)
    entrants = parse_entrants(rules, bots, choose_sandbox(sandbox))
    check_support(entrants, variant, table)
    with raise_usage_errors():
        series = Series.create(rules, variant, entrants, seed, table)
    limits = Limits(move_time, start_time, bank, increment)
    kept = (
        {name: prepare_folder(keep_folders) / name for name in series.names} if keep_folders else {}
    )
    config = HostConfig(limits, kept, bot_logs and prepare_folder(bot_logs))
    recording = _build_recorder(transcript, games) if transcript else None
    log = MatchLog(verbose, log_format, quiet=not as_json)
    with play_matches(series, games, _build_play(config, log, recording), workers) as played:
        results = _log_void_matches(played, log)
        return _print_json(results, recording) if as_json else _print_table(results, games)


def _build_recorder(path: Path, games: int) -> TranscriptRecorder:
    from arena.cli.support.match_reports import TranscriptRecorder, check_folder_name

    if games > 1:
        check_folder_name(path, "--transcript")
    return TranscriptRecorder(path, games > 1)


def _build_play(config: HostConfig, log: MatchLog, recording: TranscriptRecorder | None) -> Play:
    """Return the function that plays a match of the series, perhaps in a worker."""
    from attrs import evolve

    from arena.host import host, raise_on_shortage
    from arena.plugins import get_plugins

    def play(number: int, spec: MatchSpec, seated: Seated, programs: ProgramPool) -> Result:
        observers = [*get_plugins().build_observers(spec), log.build_observer(spec)]
        if recording:
            observers.append(recording.build_observer(spec, number))
        return raise_on_shortage(host(spec, seated, evolve(config, programs=programs), observers))

    return play


def _log_void_matches(results: Iterable[Result], log: MatchLog) -> Iterator[Result]:
    from arena.rules import End

    for result in results:
        if result.outcome.end is End.VOID:
            log.log_void(result.spec.key, result.outcome)
        yield result


def _print_json(results: Iterable[Result], recording: TranscriptRecorder | None) -> int:
    """Print one object per match, as soon as it is over."""
    from arena.rules import End

    void = False
    for number, result in enumerate(results):
        path = recording.choose_path(result.spec, number) if recording else None
        click.echo(json.dumps(result.pack(path)))
        void |= result.outcome.end is End.VOID
    return VOID_STATUS if void else 0


def _print_table(results: Iterable[Result], games: int) -> int:
    """Show progress, and then the standings."""
    from arena.cli.support.match_reports import SeriesReport, show_progress

    tally = SeriesReport()
    try:
        for result in show_progress(results, games):
            tally.add(result)
    except UserError:  # what was played before counts
        tally.show()
        raise
    tally.show()
    return VOID_STATUS if tally.void else 0
