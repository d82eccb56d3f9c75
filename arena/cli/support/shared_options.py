"""Options and arguments that several commands share, and functions that look up what they name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from arena.rules import UserError, format_install_command

if TYPE_CHECKING:
    from rich.table import Table

    from arena.host import Entrant
    from arena.plugins import Game
    from arena.rules import Variant
    from arena.sandbox import Sandbox
    from arena.tournament.store import Store

F = TypeVar("F", bound=Callable[..., Any])

option_option = click.option(
    "--option",
    "-o",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set an option of the game (see `arena games`); may be repeated.",
)
"""The option `--option` of commands that play a game."""

seed_option = click.option(
    "--seed",
    metavar="TEXT",
    help="Repeat the match of this seed, with the bots seated as listed. "
    "[default: seed and seating are random]",
)
"""The option `--seed` of commands that play a game."""

table_option = click.option(
    "--table",
    type=click.IntRange(1),
    help="Number of seats, in a game of teams. [default: the fewest that fit]",
)
"""The option `--table` of commands that play a game."""

with_option = click.option(
    "--with",
    "beside",
    multiple=True,
    metavar="BOT[,BOT...]",
    help="Your partners, in a game of teams. [default: the first opponent]",
)
"""The option `--with` of commands in which people play."""

sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(["auto", "namespaces", "landlock", "trusted"]),
    default="trusted",
    show_default=True,
    help="Sandbox for the bots' programs; auto: the strongest that works (see `arena doctor`).",
)
"""The option `--sandbox` of commands that start bots' programs."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")
"""The option `--json` of commands that print for programs, too."""

tournament_argument = click.argument("tournament", metavar="TOURNAMENT")
"""The argument of commands that read a tournament: its file or its database."""


def log_options(command: F) -> F:
    """Add the options of the host's log."""
    verbose = click.option(
        "-v", "--verbose", count=True, help="Log matches to standard error; -vv logs every turn."
    )
    style = click.option(
        "--log-format",
        type=click.Choice(["console", "json"]),
        default="console",
        help="Format of the log.",
    )
    return verbose(style(command))


KEY_PATTERN = r"[0-9]{1,15}(\.[0-9]{0,15})?"


class MatchKeyType(click.ParamType[tuple[int, int]]):
    """The key of a match: the number of its deal, a full stop, its rotation."""

    name = "key"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Parse a key, or fail with a usage error."""
        deal, _, rotation = str(value).partition(".")
        if not re.fullmatch(KEY_PATTERN, str(value)):
            self.fail(f"{value!r} is not the key of a match, such as 17.0", param, ctx)
        return int(deal), int(rotation or 0)


def find_game(name: str) -> Game:
    """Return the game of this name."""
    from arena.plugins import get_plugins

    return get_plugins().find_game(name)


def parse_variant(game: Game, options: tuple[str, ...]) -> Variant:
    """Return the game's variant with these options."""
    from arena.plugins import ParameterError, build_variant, parse_pairs

    try:
        return build_variant(game, parse_pairs(options))
    except ParameterError as problem:
        raise ParameterError(f"{game.name}: {problem}") from None


def check_support(entrants: Iterable[Entrant], variant: Variant, seats: int) -> None:
    """Raise UserError if one of the entrants cannot play this."""
    for entrant in entrants:
        entrant.check_support(variant, seats)


def check_player_count(game: Game, seats: int) -> None:
    """Raise UsageError if the game does not allow this number of seats."""
    from arena.host import check_seat_count

    with raise_usage_errors():
        check_seat_count(game, seats)


@contextmanager
def raise_usage_errors() -> Iterator[None]:
    """Raise UsageError in place of UserError, where what was typed is at fault."""
    try:
        yield
    except UserError as problem:
        raise click.UsageError(str(problem)) from None


def open_store(tournament: str) -> Store:
    """Open a tournament for reading, by its file, its database file, or a server's address."""
    from arena.tournament.file import SUFFIX, load
    from arena.tournament.store import Store

    address = load(Path(tournament)).database if tournament.endswith(SUFFIX) else tournament
    return Store.open(address, write=False)


def choose_sandbox(choice: str) -> Sandbox | None:
    """Return the sandbox of a choice; print which one `auto` selects."""
    from arena.sandbox import AUTO, TRUSTED, find_sandbox

    found = find_sandbox(choice)
    if choice == AUTO:
        tier = (
            found.tier
            if found
            else f"{TRUSTED}: no sandbox works on this machine (see `arena doctor`)"
        )
        click.echo(f"sandbox: {tier}", err=True)
    return found


def build_text_table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
    """Return a table of plain texts, in which nothing is read as markup."""
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


SINGLE_THREAD_VARIABLE = ("OPENBLAS_NUM_THREADS", "1")
"""On busy cores, more threads wait for each other."""

TOURNAMENT_MODULES = ("alembic", "numpy", "scipy", "sqlalchemy")
"""The modules of the extra `tournament`."""


def require_tournament_extra(command: F) -> F:
    """Check before a command that the modules for tournaments and ratings are installed."""

    @wraps(command)
    def run(*arguments: Any, **named: Any) -> Any:
        from arena.players import set_arena_variable

        require_modules(TOURNAMENT_MODULES, "tournaments need", "tournament")
        set_arena_variable(*SINGLE_THREAD_VARIABLE)
        return command(*arguments, **named)

    return cast("F", run)


def require_modules(modules: Iterable[str], purpose: str, extra: str) -> None:
    """Raise UserError if modules are missing, with the extra that installs them."""
    if missing := [name for name in modules if find_spec(name) is None]:
        raise UserError(
            f"{purpose} {', '.join(missing)}; install with {format_install_command(extra)}"
        )
