"""`arena match`: host games between bots, and say how they came out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from math import isnan
from pathlib import Path
from typing import IO, Any

import click
from attrs import define, field

from arena.cli.common import (
    Examples,
    all_fit,
    fits,
    json_option,
    log_options,
    option_option,
    seed_option,
    the_game,
    the_variant,
)
from arena.cli.log import Log
from arena.clock import Limits
from arena.entrants import entrants
from arena.errors import Refusal
from arena.hookspecs import hookimpl
from arena.hosting import House, Result, host
from arena.observer import Observer, Setting
from arena.outcome import End
from arena.plugins import plugins
from arena.series import Series
from arena.transcript import SUFFIX, Recorder

VOID = 1
a_path = click.Path(path_type=Path)


@define
class Transcripts:
    """A plugin that has every match recorded: one in a file, several in a folder."""

    path: Path
    several: bool
    number: int = field(default=0, init=False)
    latest: Path | None = field(default=None, init=False)

    @hookimpl
    def arena_observer(self, setting: Setting) -> Observer:
        """Record this match."""
        self.number += 1
        self.latest = self._file(setting)
        return Recorder(setting, self._open(self.latest))

    def _file(self, setting: Setting) -> Path:
        if self.several or self.path.is_dir():
            return self.path / f"{self.number:04}-{setting.key}{SUFFIX}"
        return self.path

    def _open(self, path: Path) -> IO[str]:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return path.open("w", encoding="utf-8")
        except OSError as problem:
            raise Refusal(f"{path} cannot be written: {problem.strerror}") from None


def folder(path: Path) -> Path:
    """Give a folder that is there and can be written to, or refuse."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise Refusal(f"{path} is no folder: {problem.strerror}") from None
    if not os.access(path, os.W_OK):
        raise Refusal(f"{path} cannot be written to")
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
    help="How many; a new deal each time all seats have been rotated through.",
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
@json_option
@log_options
def match(game: str, bots: tuple[str, ...], options: tuple[str, ...], seed: str | None,
          games: int, move_time: float, bank: float | None, increment: float, start_time: float,
          transcript: Path | None, bot_logs: Path | None, keep_folders: Path | None,
          as_json: bool, verbose: int, log_format: str) -> int:  # fmt: skip
    """Host games of GAME between the BOTs, and say how they came out.

    A BOT is the name of a bundled bot (`arena bots GAME`), with parameters if it has any
    (ordered:start=7); a path to a program; a folder with a bot.toml; or a quoted command
    line. NAME=BOT names it; json:COMMAND speaks JSON lines; program:NAME runs a bundled
    bot as a program. Exit status: 0 all was played, 1 a match was void, 2 usage.
    """
    rules = the_game(game)
    variant = the_variant(rules, options)
    fits(rules, len(bots))
    entered = entrants(rules, bots)
    all_fit(entered, variant, len(entered))
    series = Series.seated(rules, variant, entered, seed)
    limits = Limits(move_time, start_time, bank, increment)
    kept = {one.name: folder(keep_folders) / one.name for one in entered} if keep_folders else {}
    house = House(limits, kept, bot_logs and folder(bot_logs))
    recording = Transcripts(transcript, games > 1) if transcript else None
    log = Log(verbose, log_format, quiet=not as_json)
    with _watching(recording, log):
        results = _played(series, games, house, log)
        if as_json:
            return _print_json(results, recording)
        return _print_table(results, games)


@contextmanager
def _watching(recording: Transcripts | None, log: Log) -> Iterator[None]:
    """Have the matches recorded and logged, by the hook that is everybody's."""
    with ExitStack() as stack:
        stack.enter_context(plugins().with_plugin(log))
        if recording:
            stack.enter_context(plugins().with_plugin(recording))
        yield


def _played(series: Series, games: int, house: House, log: Log) -> Iterator[Result]:
    for setting, seated in series.matches(games):
        result = host(setting, seated, house, plugins().observers(setting))
        if result.outcome.end is End.VOID:
            log.void(setting.key, result.outcome)
        yield result


def _print_json(results: Iterator[Result], recording: Transcripts | None) -> int:
    """Print one object a match, as soon as it is over."""
    void = False
    for result in results:
        path = recording.latest if recording else None
        click.echo(json.dumps(result.pack(path)))
        void |= result.outcome.end is End.VOID
    return VOID if void else 0


def _print_table(results: Iterator[Result], games: int) -> int:
    """Show progress, and at last how everybody did."""
    from arena.cli.tally import Tally, progress

    tally = Tally()
    for result in progress(results, games):
        tally.add(result)
    tally.show()
    return VOID if tally.void else 0
