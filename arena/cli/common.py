"""What several commands share: options, and how things are looked up."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import wraps
from importlib.util import find_spec
from typing import Any, TypeVar, cast

import click

from arena.entrants import Entrant
from arena.errors import Refusal
from arena.game import Game
from arena.parameters import BadParameter, pairs, variant
from arena.play import Variant
from arena.plugins import plugins

F = TypeVar("F", bound=Callable[..., Any])

option_option = click.option(
    "--option",
    "-o",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the game (see `arena games`); may be repeated.",
)
seed_option = click.option(
    "--seed",
    metavar="TEXT",
    help="Play again what was played from this seed, seated as listed. "
    "Without it, seed and seating are drawn.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="For programs: JSON lines.")


class Examples(click.Command):
    """A command, or a group of them, whose help ends with examples, of a game that is installed.

    In them `{game}` stands for a game, `{bot}` and `{other}` for two of its bots.
    """

    def __init__(self, *arguments: Any, examples: tuple[str, ...] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._examples = examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, a line each."""
        write_examples(formatter, self._examples)


class Group(Examples, click.Group):
    """Commands that belong together, with examples."""


def write_examples(formatter: click.HelpFormatter, examples: tuple[str, ...]) -> None:
    """Write examples into a help text."""
    shown = [game for game in plugins().games.values() if game.demo]
    names = {"game": "GAME", "bot": "BOT", "other": "BOT"}
    if shown:
        names = {"game": shown[0].name, "bot": shown[0].demo[0], "other": shown[0].demo[-1]}
    with formatter.section("Examples"):
        for example in examples:
            formatter.write(f"  arena {example.format(**names)}\n")


def log_options(command: F) -> F:
    """Add what governs the host's log."""
    verbose = click.option(
        "-v", "--verbose", count=True, help="Log more on standard error; twice, every turn."
    )
    style = click.option(
        "--log-format",
        type=click.Choice(["console", "json"]),
        default="console",
        help="How the host's log is written.",
    )
    return verbose(style(command))


ONE_THREAD = ("OPENBLAS_NUM_THREADS", "1")  # on busy cores more of them wait for each other
NUMBERS = ("alembic", "numpy", "scipy", "sqlalchemy")


def needed(modules: Iterable[str], what: str, extra: str) -> None:
    """Refuse where modules are missing, and say which extra brings them."""
    if missing := [name for name in modules if find_spec(name) is None]:
        raise Refusal(
            f"{what} {', '.join(missing)}; get them by pip install 'cardbot-arena[{extra}]'"
        )


def with_numbers(command: F) -> F:
    """Say in one line how to get what tournaments and ratings need, where it is missing."""

    @wraps(command)
    def run(*arguments: Any, **named: Any) -> Any:
        needed(NUMBERS, "tournaments need", "tournament")
        os.environ.setdefault(*ONE_THREAD)
        return command(*arguments, **named)

    return cast("F", run)


def the_game(name: str) -> Game:
    """Give the game of this name."""
    return plugins().game(name)


def the_variant(game: Game, options: tuple[str, ...]) -> Variant:
    """Give the game's variant with these options."""
    try:
        return variant(game, pairs(options))
    except BadParameter as problem:
        raise BadParameter(f"{game.name}: {problem}") from None


def all_fit(entered: Iterable[Entrant], variant: Variant, seats: int) -> None:
    """See that each of them can play this, or refuse."""
    for one in entered:
        one.see_fit(variant, seats)


def fits(game: Game, seats: int) -> None:
    """See that so many can play, or refuse."""
    if seats not in game.seats:
        least, most = game.seats[0], game.seats[-1]
        allowed = f"{least}" if least == most else f"{least} to {most}"
        raise click.UsageError(f"{game.name} is for {allowed} players, not {seats}")
