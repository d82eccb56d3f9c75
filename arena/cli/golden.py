"""`arena golden`, `arena fuzz`: for authors of games."""

from __future__ import annotations

import json
import re
from functools import wraps
from pathlib import Path
from typing import Any

import click

from arena.cli.common import F, json_option, needed, option_option, the_game, the_variant
from arena.cli.lazy import Examples
from arena.rules import UserError, fresh, in_words

UNITS = {"s": 1, "m": 60, "h": 3600}
BROKEN = 1  # the exit status where a law does not hold


def with_testing(command: F) -> F:
    """Say in one line how to get what tests of games need, where it is missing."""

    @wraps(command)
    def run(*arguments: Any, **named: Any) -> Any:
        needed(("hypothesis", "pytest"), "this needs", "testing")
        return command(*arguments, **named)

    return run  # type: ignore[return-value]


class Duration(click.ParamType[float]):
    """A time such as `90`, `60s`, `5m` or `1h`, in seconds."""

    name = "time"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds."""
        if isinstance(value, float | int):
            return float(value)
        if not (found := re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", value)):
            self.fail(f"{value!r} is no time; allowed are 90, 60s, 5m, 1h", param, ctx)
        return float(found[1]) * UNITS[found[2] or "s"]


@click.command(
    cls=Examples,
    short_help="Write golden playthroughs of a game.",
    examples=("golden {game}", "golden {game} --into tests/golden -o NAME=VALUE"),
)
@click.argument("game")
@option_option
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("tests/golden"),
    show_default=True,
    help="The folder of the playthroughs.",
)
@json_option
@with_testing
def golden(game: str, options: tuple[str, ...], into: Path, as_json: bool) -> None:
    """Write a playthrough of GAME for each number of seats, which the contract compares."""
    from arena.plugins import pairs
    from arena.testing.golden import write

    played = the_game(game)
    the_variant(played, options)
    try:
        written = write(played, into, pairs(options))
    except UserError:
        raise
    except OSError as problem:
        raise UserError(f"{problem.filename}: {problem.strerror}") from None
    except Exception as problem:  # of the game's author
        raise UserError(f"{game} fails: {in_words(problem)}") from problem
    for file in written:
        lines = len(file.read_text("utf-8").splitlines())
        row = {"file": str(file), "lines": lines}
        click.echo(json.dumps(row) if as_json else f"{file}  {lines} lines")


@click.command(
    cls=Examples,
    short_help="Try to break a game's rules, wires and views.",
    examples=("fuzz {game} --for 60s", "fuzz {game} --for 10m --seed 7 > test_found.py"),
)
@click.argument("game")
@click.option("--for", "seconds", type=Duration(), default="60s", show_default=True, metavar="TIME",
              help="How long: 90, 60s, 5m, 1h.")  # fmt: skip
@option_option
@click.option("--seed", type=click.IntRange(min=0), help="Try the same cases again.")
@json_option
@with_testing
@click.pass_context
def fuzz(
    ctx: click.Context,
    game: str,
    seconds: float,
    options: tuple[str, ...],
    seed: int | None,
    as_json: bool,
) -> None:
    """Hold GAME to every law of the contract in games drawn at random.

    Options, seats, deals, answers and faults are drawn. Of what breaks a law, the smallest case
    is printed as a test; the exit status is 1 then.
    """
    from rich.console import Console

    from arena.plugins import pairs
    from arena.testing.fuzz import fuzz as try_to_break

    played = the_game(game)
    the_variant(played, options)
    first = int(fresh(), 16) % 10**9 if seed is None else seed
    console = Console(stderr=True)
    with console.status("") as status:

        def progress(law: str, tried: int) -> None:
            status.update(f"{tried} cases; now {law.replace('_', ' ')}")

        done = try_to_break(played, seconds, pairs(options), progress, first)
    found = done.found
    if as_json:
        law, test = (found.law, found.test) if found else (None, None)
        row = {"game": game, "seed": first, "cases": done.tried, "law": law, "test": test}
        click.echo(json.dumps(row))
    elif found:
        click.echo(found.test, nl=False)
        click.echo(f"arena: {game} breaks a law, {found.law}: {found.reason}", err=True)
    else:
        click.echo(f"{done.tried} cases of {game}, and all laws held (seed {first})")
    if found:
        ctx.exit(BROKEN)
