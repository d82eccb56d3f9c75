"""The command line: `arena-openspiel GAME BOT` is a player, `compare` looks at the rules.

What goes wrong is said in one line, with exit status 2.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import click
from attrs import fields

from arena import UserError, load_game
from arena.bot import run
from arena.extend import UnknownNameError
from arena_openspiel.bot_kinds import KINDS, Foreign, Kind, factory
from arena_openspiel.bridge_registry import BRIDGES, bridge_of
from arena_openspiel.comparison import compare
from arena_openspiel.openspiel_bot import OpenSpielBot

USAGE = 2
OTHERS = ("MODULE:FUNCTION", "FILE.py", "FILE.py:FUNCTION")
EXAMPLES = (
    'arena match kuhn "arena-openspiel kuhn cfr" careful',
    'arena match gops "json:arena-openspiel gops mcts --simulations 500" match',
    "arena-openspiel compare gops --games 1000 --seed 1",
)


class WithExamples(click.Group):
    """A group whose help ends with examples, and which says what there is."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is meant."""
        if not args[0].startswith("-") and args[0] not in self.commands:
            raise UnknownNameError("game or command", args[0], self.commands)
        return super().resolve_command(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, a line each."""
        with formatter.section("Examples"):
            formatter.write("".join(f"  {example}\n" for example in EXAMPLES))


@click.group(
    cls=WithExamples,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.pass_context
def openspiel(ctx: click.Context) -> None:
    """OpenSpiel bots as players of the arena, and its rules beside ours."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


class Seat(click.Command):
    """A player of one game; the help lists its bots."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the bots, a line each."""
        able = [(name, said(kind)) for name, kind in KINDS.items() if self.name in kind.games]
        with formatter.section("Bots"):
            formatter.write_dl([*able, ("FILE.py, MODULE:FUNCTION", said(Foreign))])
        formatter.write("\n")


def said(kind: type[Kind]) -> str:
    """Return the first sentence on a kind of bot."""
    return (kind.__doc__ or "").splitlines()[0]


def seat(game: str) -> click.Command:
    """Return the command that plays this game."""

    def play(bot: str, **given: Any) -> None:
        kind = kind_of(game, bot, {name: value for name, value in given.items() if value})
        run(lambda: OpenSpielBot(kind))

    many = click.IntRange(min=1)
    return Seat(
        game,
        callback=play,
        help=f"Play {game}: read JSON lines on standard input, and answer them.",
        short_help=f"A player of {game}.",
        params=[
            click.Argument(["bot"]),
            click.Option(["--simulations"], type=many, help="Of mcts and ismcts, for each answer."),
            click.Option(["--iterations"], type=many, help="Of cfr, before the match."),
            click.Option(["--turn-based"], is_flag=True, help="For a function: no acting at once."),
        ],
    )


def kind_of(game: str, bot: str, given: Mapping[str, Any]) -> Kind:
    """Return the kind of bot of this name, or raise UserError in one line."""
    able = {name: kind for name, kind in KINDS.items() if game in kind.games}
    if ":" in bot or bot.endswith(".py"):
        kind: type[Kind] = Foreign
        more = {"factory": factory(bot)}
    elif bot in able:
        kind, more = able[bot], {}
    else:
        raise UnknownNameError(f"bot for {game}", bot, [*able, *OTHERS])
    known = [attribute.name for attribute in fields(kind) if attribute.name not in more]
    for name in given:
        if name not in known:
            options = [f"--{name.replace('_', '-')}" for name in known] or ["none"]
            raise UnknownNameError(f"option of {bot}", f"--{name.replace('_', '-')}", options)
    return kind(**more, **given)


for name in BRIDGES:
    openspiel.add_command(seat(name))


@openspiel.command("compare")
@click.argument("game", metavar="GAME", type=click.Choice([*BRIDGES]))
@click.option("--games", type=click.IntRange(min=1), default=1000, show_default=True)
@click.option("--seed", default="1", show_default=True, help="The same seed, the same games.")
@click.option("--seats", type=click.IntRange(min=2), help="How many play; else drawn.")
@click.option(
    "--option", "-o", "options", multiple=True, metavar="NAME=VALUE",
    help="A parameter of our variant, which else is drawn; may be repeated.",
)  # fmt: skip
def compare_command(
    game: str, games: int, seed: str, seats: int | None, options: tuple[str, ...]
) -> int:
    """Play random games by our rules and by OpenSpiel's, and say where they differ.

    The exit status is 1 if a difference is not explained.
    """
    ours = load_game(game)
    if seats is not None and seats not in ours.seats:
        raise UserError(f"{game} has {ours.seats[0]} to {ours.seats[-1]} seats, not {seats}")
    given = dict(map(pair, options)) | ({"seats": seats} if seats else {})
    report = compare(ours, bridge_of(game), games, seed, **given)
    click.echo("\n".join(report.lines()))
    return 0 if report.holds else 1


def pair(text: str) -> tuple[str, Any]:
    """Read `NAME=VALUE`; a value is JSON where it can be."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UserError(f"{text!r} is not of the form NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command, and end with its exit status."""
    sys.exit(status(arguments))


def status(arguments: Sequence[str] | None) -> int:
    """Run a command; what is wrong with it is said in a line."""
    try:
        return openspiel.main(arguments, "arena-openspiel", standalone_mode=False) or 0
    except click.ClickException as problem:
        words = problem.format_message()
    except (UserError, ValueError) as problem:
        words = str(problem)
    click.echo(f"arena-openspiel: {' '.join(words.split())}", err=True)
    return USAGE
