"""`arena match`: host games between bots, and say how they came out."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import (
    all_fit,
    contained,
    fits,
    json_option,
    log_options,
    option_option,
    sandbox_option,
    seed_option,
    the_game,
    the_variant,
)
from arena.cli.lazy import Examples
from arena.rules import UserError

if TYPE_CHECKING:
    from arena.cli.log import Log
    from arena.cli.recording import Transcripts
    from arena.host import HostConfig, Result, Series

VOID = 1
a_path = click.Path(path_type=Path)


def folder(path: Path) -> Path:
    """Return a folder that is there and can be written to, or refuse."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(f"{path} is no folder: {problem.strerror}") from None
    if not os.access(path, os.W_OK):
        raise UserError(f"{path} cannot be written to")
    return path


class Seconds(click.FloatRange):
    """A time; `inf` is for ever."""

    name = "seconds"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read it, or refuse."""
        seconds = super().convert(value, param, ctx)
        if isnan(seconds):
            self.fail(f"{value} is not a number of seconds.", param, ctx)
        return float(seconds)


MORE_THAN_NOTHING = Seconds(min=0, min_open=True)
OR_NOTHING = Seconds(min=0)


@click.command(
    cls=Examples,
    short_help="Host games between bots.",
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
@click.option(
    "--games",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="How many; a new deal, and a new order of the seats, after all rotations of one.",
)
@click.option(
    "--move-time", type=MORE_THAN_NOTHING, default=30, show_default=True, help="For each answer."
)
@click.option("--bank", type=MORE_THAN_NOTHING, help="For all answers together (chess clock).")
@click.option(
    "--increment",
    type=OR_NOTHING,
    default=0,
    show_default=True,
    help="Into the bank for each answer.",
)
@click.option(
    "--start-time",
    type=OR_NOTHING,
    default=10,
    show_default=True,
    help="More for the first answer.",
)
@click.option("--transcript", type=a_path, help="Record to this file; several games, a folder.")
@click.option("--bot-logs", type=a_path, help="Keep what programs write to stderr, in this folder.")
@click.option(
    "--keep-folders",
    type=a_path,
    help="Bots keep their working folders between games, in this folder.",
)
@sandbox_option
@json_option
@log_options
def match(game: str, bots: tuple[str, ...], options: tuple[str, ...], seed: str | None,
          games: int, move_time: float, bank: float | None, increment: float, start_time: float,
          transcript: Path | None, bot_logs: Path | None, keep_folders: Path | None,
          sandbox: str, as_json: bool, verbose: int, log_format: str) -> int:  # fmt: skip
    """Host games of GAME between the BOTs, and say how they came out.

    A BOT is the name of a bundled bot (`arena bots GAME`) or a folder with a bot.toml, with
    parameters if it has any (ordered:start=7); PATH.py:CLASS, likewise; a path to a program;
    or a quoted command line. NAME=BOT names it; json:COMMAND speaks JSON lines; program:NAME
    runs a bundled bot as a program. Exit status: 0 all was played, 1 a match was void, 2 usage.
    """
    from arena.cli.log import Log
    from arena.host import HostConfig, Limits, Series, entrants

    rules = the_game(game)
    variant = the_variant(rules, options)
    fits(rules, len(bots))
    entered = entrants(rules, bots, contained(sandbox))
    all_fit(entered, variant, len(entered))
    series = Series.seated(rules, variant, entered, seed)
    limits = Limits(move_time, start_time, bank, increment)
    kept = {one.name: folder(keep_folders) / one.name for one in entered} if keep_folders else {}
    config = HostConfig(limits, kept, bot_logs and folder(bot_logs))
    recording = _recording(transcript, games) if transcript else None
    log = Log(verbose, log_format, quiet=not as_json)
    with _watching(recording, log):
        results = _played(series, games, config, log)
        if as_json:
            return _print_json(results, recording)
        return _print_table(results, games)


def _recording(path: Path, games: int) -> Transcripts:
    from arena.cli.recording import Transcripts

    return Transcripts(path, games > 1)


@contextmanager
def _watching(recording: Transcripts | None, log: Log) -> Iterator[None]:
    """Have the matches recorded and logged, by the hook that is everybody's."""
    from arena.plugins import plugins

    with ExitStack() as stack:
        stack.enter_context(plugins().with_plugin(log))
        if recording:
            stack.enter_context(plugins().with_plugin(recording))
        yield


def _played(series: Series, games: int, config: HostConfig, log: Log) -> Iterator[Result]:
    from arena.host import host, see_played
    from arena.plugins import plugins
    from arena.rules import End

    for spec, seated in series.matches(games):
        result = host(spec, seated, config, plugins().observers(spec))
        see_played(result)
        if result.outcome.end is End.VOID:
            log.void(spec.key, result.outcome)
        yield result


def _print_json(results: Iterator[Result], recording: Transcripts | None) -> int:
    """Print one object a match, as soon as it is over."""
    from arena.rules import End

    void = False
    for result in results:
        path = recording.latest if recording else None
        sys.stdout.write(f"{json.dumps(result.pack(path))}\n")
        sys.stdout.flush()
        void |= result.outcome.end is End.VOID
    return VOID if void else 0


def _print_table(results: Iterator[Result], games: int) -> int:
    """Show progress, and at last how everybody did."""
    from arena.cli.tally import Shown, progress

    tally = Shown()
    try:
        for result in progress(results, games):
            tally.add(result)
    except UserError:  # what was played before counts
        tally.show()
        raise
    tally.show()
    return VOID if tally.void else 0
