"""What several commands share: options, and how things are looked up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from arena.rules import UserError, installing

if TYPE_CHECKING:
    from rich.table import Table

    from arena.host import Entrant
    from arena.plugins import Game
    from arena.rules import Variant
    from arena.sandbox import Sandbox

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
sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(["auto", "namespaces", "landlock", "trusted"]),
    default="trusted",
    show_default=True,
    help="Where the bots' programs run; auto is the strongest that holds (see `arena doctor`).",
)
json_option = click.option("--json", "as_json", is_flag=True, help="For programs: JSON lines.")


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
        raise UserError(f"{what} {', '.join(missing)}; get them by {installing(extra)}")


def with_numbers(command: F) -> F:
    """Say in one line how to get what tournaments and ratings need, where it is missing."""

    @wraps(command)
    def run(*arguments: Any, **named: Any) -> Any:
        from arena.players import set_own

        needed(NUMBERS, "tournaments need", "tournament")
        set_own(*ONE_THREAD)
        return command(*arguments, **named)

    return cast("F", run)


def contained(choice: str) -> Sandbox | None:
    """Return the sandbox of a choice; say which one `auto` has come to."""
    from arena.sandbox import AUTO, TRUSTED, sandbox

    found = sandbox(choice)
    if choice == AUTO:
        tier = found.tier if found else f"{TRUSTED}: no sandbox holds here (see arena doctor)"
        click.echo(f"sandbox: {tier}", err=True)
    return found


def worded(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
    """Return a table of words, which is no markup whatever strangers have written there."""
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def the_game(name: str) -> Game:
    """Return the game of this name."""
    from arena.plugins import plugins

    return plugins().game(name)


def the_variant(game: Game, options: tuple[str, ...]) -> Variant:
    """Return the game's variant with these options."""
    from arena.plugins import BadParameter, pairs, variant

    try:
        return variant(game, pairs(options))
    except BadParameter as problem:
        raise BadParameter(f"{game.name}: {problem}") from None


def all_fit(entered: Iterable[Entrant], variant: Variant, seats: int) -> None:
    """See that each of them can play this, or refuse."""
    for one in entered:
        one.check_supported(variant, seats)


def fits(game: Game, seats: int) -> None:
    """See that this number of seats can play, or refuse."""
    from arena.host import see_seats

    try:
        see_seats(game, seats)
    except UserError as problem:
        raise click.UsageError(str(problem)) from None
