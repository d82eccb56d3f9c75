"""`arena tune`: a bot's parameters are tuned by matches, and tested against the default."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.support.commands import (
    ExampleCommand,
    choose_sandbox,
    json_option,
    require_tournament_extra,
    sandbox_option,
)
from arena.cli.support.workers_option import workers_option
from arena.players import SIGNAL_STATUS_BASE

if TYPE_CHECKING:
    from arena_tune.run import RunState
    from arena_tune.tune_file import TuneSpec

FILE_TYPE = click.Path(path_type=Path)


@click.command(
    cls=ExampleCommand,
    short_help="Tune a bot's parameters by matches.",
    examples=(
        "tune mine.toml",
        "tune mine.toml --show",
        "tune mine.toml --report report",
        "tune mine.toml --write tuned",
        "tune mine.toml --default",
    ),
)
@click.argument("file", type=FILE_TYPE)
@click.option("--show", is_flag=True, help="Show the state of the run without playing.")
@click.option(
    "--report",
    type=FILE_TYPE,
    metavar="DIR",
    help="Write a page with plots into a new folder, without playing.",
)
@click.option(
    "--write",
    type=FILE_TYPE,
    metavar="DIR",
    help="Write the tuned bot into a new folder, without playing.",
)
@click.option(
    "--default", is_flag=True, help="Write the tuned values into the bot.toml of the bot itself."
)
@click.option(
    "--anyway",
    is_flag=True,
    help="With --write or --default: even if the bot is not shown to be better.",
)
@workers_option()
@sandbox_option
@json_option
@require_tournament_extra
def tune(  # noqa: PLR0917  # by click, by their names
    file: Path,
    show: bool,
    report: Path | None,
    write: Path | None,
    default: bool,
    anyway: bool,
    workers: int | None,
    sandbox: str,
    as_json: bool,
) -> int:
    """Tune the bot of FILE, or continue: search, race, and a test on fresh deals.

    FILE is TOML and names the game, the bot and its opponents. All matches are stored in a
    database beside it; an interrupted run continues where it stopped when you run it again,
    to the same result. With --json it prints an object for each generation, and one at the end.
    Exit status: 0 if the tuned bot is shown to be better, or 1 if it is not.
    """
    from arena_tune.tune_file import find_database, load

    if report or show:
        return _show_stored_run(find_database(file), report, as_json=as_json)
    spec = load(file)
    if write or default:
        return _write_bot(spec, write, anyway=anyway)
    from arena_tune.run import run
    from arena_tune.tuning_display import open_tuning_monitor

    try:
        with open_tuning_monitor(spec.description, as_json=as_json) as monitor:
            state = run(spec, monitor, workers, choose_sandbox(sandbox))
            monitor.finish(state)
    except KeyboardInterrupt:
        click.echo(f"arena: stopped; continue with `arena tune {file}`", err=True)
        return SIGNAL_STATUS_BASE + 2
    return _choose_status(state)


def _show_stored_run(database: Path, report: Path | None, *, as_json: bool) -> int:
    """Show the state of a run, or write its report."""
    from arena_tune.summary import read_tuning_summary

    summary = read_tuning_summary(database)
    if report:
        from arena_tune.report import write_report

        click.echo(f"Wrote {write_report(summary, report)}")
    else:
        from arena_tune.tuning_display import show_summary

        show_summary(summary, as_json=as_json)
    return 0


def _write_bot(spec: TuneSpec, folder: Path | None, *, anyway: bool) -> int:
    """Write the tuned bot into a new folder, or its values into the file of the bot."""
    from arena_tune.run import read_stored_run
    from arena_tune.written_bot import write_defaults, write_tuned_bot

    _, state = read_stored_run(spec.database)
    if folder:
        write_tuned_bot(spec, state.search, folder, anyway=anyway)
        click.echo(f"Wrote {folder}")
    else:
        click.echo(f"Wrote {write_defaults(spec, state.search, anyway=anyway)}")
    return 0


def _choose_status(state: RunState) -> int:
    from arena_tune.staged_search import BETTER

    return 0 if state.search.conclusion == BETTER else 1
