"""`arena eval`: play a suite, and report how reliable and how strong bots are."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena import UserError
from arena.cli.support.commands import (
    ExampleCommand,
    ExampleGroup,
    build_text_table,
    json_option,
    require_modules,
    require_tournament_extra,
)
from arena.host import MAX_WORKERS
from arena.players import SIGNAL_STATUS_BASE
from arena.rules import generate_seed

if TYPE_CHECKING:
    from arena_llm.evaluation.report import Evaluation

PATH = click.Path(path_type=Path)
folder_argument = click.argument("folder", type=PATH)


@click.group(
    name="eval",
    cls=ExampleGroup,
    short_help="Evaluate bots and models by a suite of games.",
    examples=(
        "eval suites",
        "eval run quick model --out results",
        'eval run quick "mine=python3 mine.py" --dry-run',
        "eval report results --format markdown",
        "eval site results pages",
    ),
)
def evaluate() -> None:
    """Evaluate bots by a suite: reliability and strength, against the same opponents and deals.

    A suite comes with the arena, or is a TOML file. Any bot can be evaluated. A language model
    (arena-llm) keeps a record, of which the report has tokens, cost, corrections and reasons.
    """


@evaluate.command(cls=ExampleCommand, short_help="List suites.", examples=("eval suites",))
def suites() -> None:
    """List the suites that come with the arena."""
    from rich.console import Console

    from arena_llm.evaluation.suite import Suite, list_suites

    rows = []
    for suite in map(Suite.load, list_suites()):
        games = ", ".join(f"{part.label} ({part.matches})" for part in suite.game)
        rows.append((suite.name, str(suite.version), games))
    columns = ("suite", "version", "games (matches of each bot)")
    Console(highlight=False).print(build_text_table(columns, rows))


@evaluate.command(
    cls=ExampleCommand,
    short_help="Create the secret of a held-out suite.",
    examples=("eval secret secret.txt",),
)
@click.argument("file", type=PATH)
def secret(file: Path) -> None:
    """Create FILE with a secret, and print the line by which a suite names it.

    With that line in place of `seed`, a suite is held out: whoever has no secret cannot know its
    deals.
    """
    from arena.files import open_private
    from arena_llm.evaluation.suite import compute_digest

    text = generate_seed()
    try:
        descriptor = open_private(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        raise UserError(f"{file} already exists, and was not changed") from None
    with os.fdopen(descriptor, "w") as opened:
        opened.write(f"{text}\n")
    click.echo(f'secret_sha256 = "{compute_digest(text)}"')


@evaluate.command(
    cls=ExampleCommand,
    short_help="Play a suite, and print the report.",
    examples=("eval run quick model --out results", "eval run mine.toml model hard --workers 2"),
)
@click.argument("suite")
@click.argument("bots", nargs=-1, required=True, metavar="BOT...")
@click.option("--out", type=PATH, help="Folder for the results. [default: eval-SUITE]")
@click.option("--secret", type=PATH, help="File with the secret of a held-out suite.")
@click.option(
    "--workers",
    type=click.IntRange(1, MAX_WORKERS),
    help="Number of parallel matches. [default: one core for each program]",
)
@click.option(
    "--dry-run", is_flag=True, help="Play nothing; say how many questions and tokens it takes."
)
@json_option
@require_tournament_extra
def run(suite: str, bots: tuple[str, ...], out: Path | None, secret: Path | None,
        workers: int | None, dry_run: bool, as_json: bool) -> int:  # fmt: skip
    """Play SUITE with each BOT, ask it in information states, and print the report.

    SUITE is the name of a suite, or a TOML file. A BOT is named as for `arena match`; NAME=BOT
    gives it another name. Stop it with Ctrl-C whenever you like: the same command continues it, and
    plays again what was void. More bots can be added later.

    Exit status: 0, or 1 if something is missing.
    """
    from arena.tournament import Ending
    from arena_llm.evaluation.report import Evaluation
    from arena_llm.evaluation.run import Run, name_bot
    from arena_llm.evaluation.suite import Suite

    chosen = Suite.load(suite)
    if dry_run:
        _print_estimate(suite, bots)
        return 0
    seed = chosen.find_seed(secret)
    folder = out or Path(f"eval-{chosen.name}")
    running = Run.begin(folder, chosen, bots)
    names = [name_bot(chosen, bot) for bot in bots]
    with show_progress() as progress:
        ending = running.play(names, seed, workers, progress)
        problem = None
        if ending is Ending.PLAYED:
            try:
                running.ask(names, seed, progress)
            except UserError as found:
                problem = found
    evaluation = Evaluation(running)
    _print(evaluation, "table", as_json=as_json)
    if ending is Ending.INTERRUPTED:
        click.echo("arena: stopped; run the same command to continue", err=True)
        return SIGNAL_STATUS_BASE + 2
    if problem:
        click.echo(f"arena: {problem}", err=True)
    return int(evaluation.is_incomplete)


@evaluate.command(
    cls=ExampleCommand,
    short_help="Print the report of a suite that was played.",
    examples=("eval report results", "eval report results --format html > report.html"),
)
@folder_argument
@click.option(
    "--format", "form", type=click.Choice(("table", "markdown", "html")), default="table",
    show_default=True, help="Format of the output; html is a page with charts.",
)  # fmt: skip
@json_option
@require_tournament_extra
def report(folder: Path, form: str, as_json: bool) -> int:
    """Print the report of the results in FOLDER: all bots, and each game with bots side by side.

    With --json it prints an object for each bot, and one for each figure.

    Exit status: 0, or 1 if something is missing.
    """
    from arena_llm.evaluation.report import Evaluation
    from arena_llm.evaluation.run import Run

    if as_json and form != "table":
        raise click.UsageError("--json and --format cannot be combined")
    evaluation = Evaluation(Run.open(folder))
    _print(evaluation, form, as_json=as_json)
    return int(evaluation.is_incomplete)


@evaluate.command(
    cls=ExampleCommand,
    short_help="Write the report with all replays as a static site.",
    examples=("eval site results pages",),
)
@folder_argument
@click.argument("out", type=PATH)
@require_tournament_extra
def site(folder: Path, out: Path) -> None:
    """Write the report of the results in FOLDER to the folder OUT, with all replays.

    Its start page has the bots side by side, and links to the replays of the costliest decisions,
    with the reasons that models gave. Publish no hands before the suite may be known.
    """
    from arena_llm.evaluation.report import Evaluation
    from arena_llm.evaluation.run import Run

    require_modules(["arena_web"], "pages need", "web")
    from arena_llm.evaluation.site import write_evaluation_site

    with show_progress() as progress:
        page = write_evaluation_site(Evaluation(Run.open(folder)), out, progress)
    click.echo(f"{page} is the start page")


def _print(evaluation: Evaluation, form: str, *, as_json: bool) -> None:
    if as_json:
        for row in evaluation.to_records():
            click.echo(json.dumps(row))
        return
    if form != "table":
        click.echo(
            evaluation.to_markdown() if form == "markdown" else evaluation.to_html(), nl=False
        )
        return
    from rich.console import Console

    console = Console(highlight=False)
    for table in evaluation.build_tables():
        console.print(table)
    for note in evaluation.notes:
        console.print(note, markup=False)


def _print_estimate(suite: str, bots: tuple[str, ...]) -> None:
    """Print the questions that a run would ask."""
    from rich.console import Console

    from arena_llm.evaluation.dry_run import estimate_suite
    from arena_llm.evaluation.suite import Suite

    table = estimate_suite(Suite.load(suite), len(bots))
    Console(highlight=False).print(table)


@contextmanager
def show_progress() -> Iterator[Callable[[str, int, int | None], None]]:
    """Show a bar for what is under way, if standard error is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    columns = [TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()]
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("", total=None)

        def show(what: str, over: int, total: int | None) -> None:
            bar.update(task, description=what, completed=over, total=total)

        yield show
