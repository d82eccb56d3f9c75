"""`arena games`, `arena bots`; and `arena golden`, `arena fuzz` for authors of games."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.support.commands import (
    ExampleCommand,
    F,
    find_game,
    json_option,
    option_option,
    parse_variant,
    require_modules,
)
from arena.rules import UserError, describe_error, format_choices, generate_seed, join_words

if TYPE_CHECKING:
    from arena.players import Bot
    from arena.plugins import Game

LISTED = ("name", "summary", "seats", "protocols", "options")
MIN_WIDTH = 76
"""The width in characters at which the table of games wraps only its summaries."""


@click.command(
    cls=ExampleCommand,
    short_help="List the games.",
    examples=("games", "games {game}", "games --json"),
)
@click.argument("name", metavar="[GAME]", required=False)
@json_option
def games(name: str | None, as_json: bool) -> None:
    """List the games, with their numbers of players, protocols and options.

    With GAME, show only that game, and explain its options and their values.
    """
    from arena.plugins import get_plugins

    installed = get_plugins().require_games().values()
    described = [_describe_game(game) for game in ([find_game(name)] if name else installed)]
    if as_json:
        for row in described:
            click.echo(json.dumps(row))
    elif name:
        _print_game(find_game(name))
    else:
        rows = [{key: row[key] for key in LISTED} for row in described]
        caption = "The options of a game: arena games GAME; its bots: arena bots GAME"
        _print_table("games", rows, caption=caption)


def _print_game(game: Game) -> None:
    """Print a game with a row for each of its options."""
    from attrs import fields

    from arena.plugins import format_parameter
    from arena.wires import describe_values

    described, allowed = _describe_game(game), describe_values(game.variant)
    heading = {key: described[key] for key in ("name", "summary", "seats", "protocols", "bots")}
    for key, value in heading.items():
        click.echo(f"{key}: {_format_cell(key, value)}")
    explained = {field.name: _explain_option(field.metadata) for field in fields(game.variant)}
    rows = [
        {
            "option": option,
            "default": "" if default is None else format_parameter(default),
            "allowed": allowed[option],
            "what it is": explained[option],
        }
        for option, default in described["options"].items()
    ]
    if rows:
        _print_table(f"options of {game.name}", rows, wrapped=("allowed", "what it is"))


def _explain_option(metadata: Mapping[str, Any]) -> str:
    """Return what an option changes, with the words for its values, as a sentence.

    >>> _explain_option({"help": "A tied prize is", "choices": {"split": "shared", "no": "lost"}})
    'A tied prize is shared (split) or lost (no).'
    """
    choices = metadata.get("choices", {})
    words = join_words([f"{words} ({value})" for value, words in choices.items()], "or")
    sentence = f"{metadata.get('help', '')} {words}".strip()
    return f"{sentence}." if sentence else ""


@click.command(
    cls=ExampleCommand, short_help="List a game's bundled bots.", examples=("bots {game}",)
)
@click.argument("game")
@json_option
def bots(game: str, as_json: bool) -> None:
    """List the bundled bots of GAME, with their parameters."""
    described = [_describe_bot(name, kind) for name, kind in find_game(game).bots.items()]
    if as_json:
        for bot in described:
            click.echo(json.dumps(bot))
    else:
        _print_table(f"bots of {game}", described)


def _describe_game(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "summary": game.summary,
        "seats": [*game.seats],
        "protocols": game.protocols,
        "options": _list_parameters(game.variant),
        "bots": list(game.bots),
    }


def _describe_bot(name: str, kind: type[Bot]) -> dict[str, Any]:
    summary = (kind.__doc__ or "").strip().partition("\n")[0]
    return {"name": name, "summary": summary, "parameters": _list_parameters(kind)}


def _list_parameters(kind: type) -> dict[str, Any]:
    """Return each parameter with its default, or None if it is required."""
    from attrs import NOTHING, fields, has

    if not has(kind):
        return {}
    chosen = [attribute for attribute in fields(kind) if attribute.init]
    return {
        attribute.name: None if attribute.default is NOTHING else attribute.default
        for attribute in chosen
    }


def _print_table(
    title: str,
    rows: list[dict[str, Any]],
    *,
    caption: str | None = None,
    wrapped: Sequence[str] = ("summary",),
) -> None:
    """Print the rows for people: lists joined by commas, options as text to type."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    fits = console.width >= MIN_WIDTH  # else all columns are wrapped
    table = Table(title=title, caption=caption, caption_justify="left")
    for heading in rows[0] if rows else ():
        table.add_column(heading, overflow="fold", no_wrap=fits and heading not in wrapped)
    for row in rows:
        table.add_row(*[_format_cell(heading, value) for heading, value in row.items()])
    console.print(table)


def _format_cell(heading: str, value: Any) -> str:
    from arena.plugins import format_pairs

    if heading == "seats":
        return format_choices(value)
    if isinstance(value, dict):
        return "\n".join(format_pairs(value))
    return ", ".join(value) if isinstance(value, list | tuple) else str(value)


UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600}
BROKEN_LAW_STATUS = 1  # the exit status if a law is broken
MAX_NAMED_LAWS = 3  # of those that were not tried: the table has them all
UNTRIED_LAW_STATUS = 3  # the exit status if no law is broken, but some were not tried


def require_testing_extra(command: F) -> F:
    """Decorate a command to raise UserError if the extra `testing` is not installed."""

    @wraps(command)
    def run(*arguments: Any, **named: Any) -> Any:
        require_modules(("hypothesis", "pytest"), "this needs", "testing")
        return command(*arguments, **named)

    return run  # type: ignore[return-value]


class DurationType(click.ParamType[float]):
    """A time such as `90`, `60s`, `5m` or `1h`, in seconds."""

    name = "time"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the duration in seconds."""
        if isinstance(value, float | int):
            return float(value)
        if not (found := re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", value)):
            self.fail(f"{value!r} is not a time; write 90, 60s, 5m or 1h", param, ctx)
        return float(found[1]) * UNIT_SECONDS[found[2] or "s"]


@click.command(
    cls=ExampleCommand,
    short_help="Write golden playthroughs of a game.",
    examples=("golden {game}", "golden {game} --into tests/golden -o {option}"),
)
@click.argument("game")
@option_option
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("tests/golden"),
    show_default=True,
    help="Folder for the playthroughs.",
)
@json_option
@require_testing_extra
def golden(game: str, options: tuple[str, ...], into: Path, as_json: bool) -> None:
    """Write a playthrough of GAME for each number of players; the contract test compares them."""
    from arena.plugins import parse_pairs
    from arena.testing.golden import write_playthroughs

    played = find_game(game)
    parse_variant(played, options)
    try:
        written = write_playthroughs(played, into, parse_pairs(options))
    except UserError:
        raise
    except OSError as problem:
        raise UserError(f"{problem.filename}: {problem.strerror}") from None
    except Exception as problem:  # an error in the code of the game
        raise UserError(f"{game} fails: {describe_error(problem)}") from problem
    for file in written:
        lines = len(file.read_text("utf-8").splitlines())
        row = {"file": str(file), "lines": lines}
        click.echo(json.dumps(row) if as_json else f"{file}  {lines} lines")


@click.command(
    cls=ExampleCommand,
    short_help="Try to break a game's rules, wires and narrator.",
    examples=("fuzz {game} --for 60s", "fuzz {game} --for 10m --seed 7 > test_found.py"),
)
@click.argument("game")
@click.option("--for", "seconds", type=DurationType(), default="60s", show_default=True,
              metavar="TIME", help="How long to run: 90, 60s, 5m, 1h.")  # fmt: skip
@option_option
@click.option("--seed", type=click.IntRange(min=0), help="Repeat the cases of this seed.")
@json_option
@require_testing_extra
@click.pass_context
def fuzz(
    ctx: click.Context,
    game: str,
    seconds: float,
    options: tuple[str, ...],
    seed: int | None,
    as_json: bool,
) -> None:
    """Check every law of the contract on random matches of GAME.

    Options, seats, deals, answers and faults are random. If a law is broken, the smallest
    failing case is printed as a test. Otherwise a table says how often each law was tried. Exit
    status: 0 if all laws held, 1 if one is broken, 2 for usage errors, 3 if the time was too short
    to try each law.
    """
    from rich.console import Console

    from arena.plugins import parse_pairs
    from arena.testing.fuzz import fuzz as try_to_break

    played = find_game(game)
    parse_variant(played, options)
    first = int(generate_seed(), 16) % 10**9 if seed is None else seed
    console = Console(stderr=True)
    with console.status("") as status:

        def progress(law: str, tried: int) -> None:
            status.update(f"{tried} cases; now {law.replace('_', ' ')}")

        done = try_to_break(played, seconds, parse_pairs(options), progress, first)
    found = done.broken_law
    if as_json:
        law, test = (found.law, found.test_source) if found else (None, None)
        row = {
            "game": game, "seed": first, "cases": done.case_count, "tried": {**done.law_counts},
            "law": law, "test": test,
        }  # fmt: skip
        click.echo(json.dumps(row))
    elif found:
        click.echo(found.test_source, nl=False)
        click.echo(f"arena: {game} breaks a law, {found.law}: {found.reason}", err=True)
    else:
        rows = [{"law": law, "cases": tried} for law, tried in done.law_counts.items()]
        _print_table(f"laws tried on {game}", rows)
        held, laws = len(done.law_counts) - len(done.untried_laws), len(done.law_counts)
        click.echo(f"{game}: {held} of {laws} laws held in {done.case_count} cases (seed {first})")
    if found:
        ctx.exit(BROKEN_LAW_STATUS)
    if done.untried_laws:
        names, more = done.untried_laws[:MAX_NAMED_LAWS], done.untried_laws[MAX_NAMED_LAWS:]
        named = join_words([*names, *([f"{len(more)} more"] if more else [])])
        click.echo(
            f"arena: {seconds:g} seconds were too few to try {named}; allow more with --for",
            err=True,
        )
        ctx.exit(UNTRIED_LAW_STATUS)
