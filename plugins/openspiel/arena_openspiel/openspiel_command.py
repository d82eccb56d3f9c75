"""The command line: `arena-openspiel GAME BOT` runs a player; others compare and solve games.

Errors are reported in one line, with exit status 2.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import click
from attrs import fields

from arena import UserError, load_game
from arena.bot import run
from arena.host import build_entrants
from arena.plugins import build_variant, get_plugins
from arena.rules import UnknownNameError, format_choices
from arena_openspiel.bots import KINDS, CustomPolicy, OpenSpielBot, PolicyKind, load_factory
from arena_openspiel.bridges import BRIDGES, find_bridge
from arena_openspiel.comparison import compare
from arena_openspiel.trees import GameTree, measure_exploitability, solve

USAGE = 2
MANY = click.IntRange(min=1)
OTHERS = ("MODULE:FUNCTION", "FILE.py", "FILE.py:FUNCTION")
EXAMPLES = (
    'arena match kuhn "arena-openspiel kuhn cfr" careful',
    'arena match gops "json:arena-openspiel gops mcts --simulations 500" match',
    "arena-openspiel compare gops --games 1000 --seed 1",
    "arena-openspiel solve kuhn",
    "arena-openspiel exploit gops match -o cards=3",
)


class ExamplesGroup(click.Group):
    """A group whose help ends with examples, and whose errors list the commands."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; raise UnknownNameError if there is none of this name."""
        if not args[0].startswith("-") and args[0] not in self.commands:
            raise UnknownNameError("game or command", args[0], self.commands)
        return super().resolve_command(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, one per line."""
        with formatter.section("Examples"):
            formatter.write("".join(f"  {example}\n" for example in EXAMPLES))


@click.group(
    cls=ExamplesGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.pass_context
def openspiel(ctx: click.Context) -> None:
    """Run OpenSpiel bots as players of the arena, or compare its rules with the arena's."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


class BotListingCommand(click.Command):
    """The command that plays one game; its help lists the bots."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the bots, one per line."""
        bots = [
            (name, describe_kind(kind)) for name, kind in KINDS.items() if self.name in kind.games
        ]
        with formatter.section("Bots"):
            formatter.write_dl([*bots, ("FILE.py, MODULE:FUNCTION", describe_kind(CustomPolicy))])
        formatter.write("\n")


def describe_kind(kind: type[PolicyKind]) -> str:
    """Return the first sentence of the description of a kind of bot."""
    return (kind.__doc__ or "").splitlines()[0]


def build_command(game: str) -> click.Command:
    """Build the command that plays this game."""

    def play(bot: str, **given: Any) -> None:
        kind = build_kind(game, bot, {name: value for name, value in given.items() if value})
        run(lambda: OpenSpielBot(kind))

    return BotListingCommand(
        game,
        callback=play,
        help=f"Play {game}: read JSON lines from standard input and answer them.",
        short_help=f"Play {game}.",
        params=[
            click.Argument(["bot"]),
            click.Option(
                ["--simulations"], type=MANY, help="Simulations for each answer (mcts, ismcts)."
            ),
            click.Option(["--iterations"], type=MANY, help="Iterations before the match (cfr)."),
            click.Option(
                ["--turn-based"],
                is_flag=True,
                help="Give your function a game in which players act one after the other.",
            ),
        ],
    )


def build_kind(game: str, bot: str, given: Mapping[str, Any]) -> PolicyKind:
    """Return the kind of bot that a command line names, or raise UserError."""
    able = {name: kind for name, kind in KINDS.items() if game in kind.games}
    if ":" in bot or bot.endswith(".py"):
        kind: type[PolicyKind] = CustomPolicy
        more = {"factory": load_factory(bot)}
    elif bot in able:
        kind, more = able[bot], {}
    else:
        raise UnknownNameError(f"bot for {game}", bot, [*able, *OTHERS])
    known = [attribute.name for attribute in fields(kind) if attribute.name not in more]
    for name in given:
        if name not in known:
            flags = [f"--{name.replace('_', '-')}" for name in known] or ["none"]
            raise UnknownNameError(f"parameter of {bot}", f"--{name.replace('_', '-')}", flags)
    return kind(**more, **given)


for name in BRIDGES:
    openspiel.add_command(build_command(name))


@openspiel.command("compare", short_help="Compare OpenSpiel's rules with the arena's.")
@click.argument("game", metavar="GAME", type=click.Choice([*BRIDGES]))
@click.option(
    "--games", type=click.IntRange(min=1), default=1000, show_default=True, help="Number of games."
)
@click.option(
    "--seed",
    default="1",
    show_default=True,
    help="Seed of the games; the same seed gives the same games.",
)
@click.option(
    "--seats", type=click.IntRange(min=2), help="Number of seats; by default drawn for each game."
)
@click.option(
    "--option", "-o", "options", multiple=True, metavar="NAME=VALUE",
    help="Option of the variant; repeatable. Other options are drawn for each game.",
)  # fmt: skip
def compare_command(
    game: str, games: int, seed: str, seats: int | None, options: tuple[str, ...]
) -> int:
    """Play random games by the arena's rules and by OpenSpiel's, and show where they differ.

    Exit status: 1 if there is a difference without a known explanation, 2 for usage errors.
    """
    ours = load_game(game)
    if seats is not None and seats not in ours.seats:
        raise UserError(f"{game} has {format_choices(ours.seats)} seats, not {seats}")
    given = dict(map(parse_option, options)) | ({"seats": seats} if seats else {})
    report = compare(ours, find_bridge(game), games, seed, **given)
    click.echo("\n".join(report.lines()))
    return 0 if report.holds else 1


def tree_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of commands that build the tree of a game."""
    for add in (
        click.option("--seed", default="1", show_default=True, help="Seed of the deals."),
        click.option("--seats", type=MANY, help="Number of seats. [default: the fewest]"),
        click.option(
            "--deals", type=MANY, default=1000, show_default=True,
            help="Deals in the sample that stands for all chance; equal ones are one.",
        ),
        click.option(
            "--option", "-o", "options", multiple=True, metavar="NAME=VALUE",
            help="Option of the variant; repeatable.",
        ),
    ):  # fmt: skip
        command = add(command)
    return command


def build_tree(
    game: str, options: Sequence[str], seats: int | None, deals: int, seed: str
) -> GameTree:
    """Build the tree of a game by what was typed."""
    ours = get_plugins().find_game(game)
    seats = min(ours.seats) if seats is None else seats
    if seats not in ours.seats:
        raise UserError(f"{game} has {format_choices(ours.seats)} seats, not {seats}")
    variant = build_variant(ours, dict(map(parse_option, options)))
    return GameTree.build(ours, variant, seats, deals, seed)


@openspiel.command("solve", short_help="Solve a small variant of any game.")
@click.argument("game", metavar="GAME")
@click.option("--iterations", type=MANY, default=100, show_default=True, help="Iterations of CFR+.")
@tree_options
def solve_command(
    game: str, *, iterations: int, options: tuple[str, ...], seats: int | None, deals: int,
    seed: str,
) -> None:  # fmt: skip
    """Solve GAME by counterfactual regret minimization, and print what each player knows and does.

    Any game will do that lists its actions and is short enough. The solution is exact for the deals
    of the sample: each has its chance to come, so where chance has a say later, or there are more
    deals, a policy learns the sample. With more than two seats it need be no equilibrium.
    """
    tree = build_tree(game, options, seats, deals, seed)
    solution = solve(tree, iterations)
    for text, chances in solution.policy.items():
        answers = {str(tree.actions[action]): round(chance, 4) for action, chance in chances}
        click.echo(json.dumps({"knows": text, "answers": answers}))
    click.echo(
        f"{tree.describe()}: exploitability {solution.exploitability:.4f} points a match after"
        f" {iterations} iterations"
    )


@openspiel.command("exploit", short_help="Measure how much a best reply wins against a bot.")
@click.argument("game", metavar="GAME")
@click.argument("bot", metavar="BOT")
@click.option(
    "--samples", type=MANY, default=400, show_default=True,
    help="How often the bot is asked each question, to learn how likely each answer is.",
)  # fmt: skip
@tree_options
def exploit_command(
    game: str, bot: str, *, samples: int, options: tuple[str, ...], seats: int | None, deals: int,
    seed: str,
) -> None:  # fmt: skip
    """Compute the best reply to BOT, a bundled bot or a class, in a small variant of GAME.

    The bot sits in all seats but one. Figures are of the deals of the sample, as in `solve`, and
    of a bot that answers by what it knows: the best reply also learns the noise of the samples.
    """
    tree = build_tree(game, options, seats, deals, seed)
    (entrant,) = build_entrants(tree.game, [bot])
    if entrant.make_bot is None or entrant.searches:
        raise UserError(f"{bot}: only a bot of this process that does not search can be asked")
    entrant.check_support(tree.variant, tree.seats)
    policy = tree.sample_policy(entrant.make_bot, samples, seed)
    click.echo(
        f"{tree.describe()}: exploitability of {bot}"
        f" {measure_exploitability(tree, policy):.4f} points a match"
    )


def parse_option(text: str) -> tuple[str, Any]:
    """Parse `NAME=VALUE`; the value is read as JSON if possible, else as text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UserError(f"{text!r} is not of the form NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit with its status."""
    sys.exit(run_command(arguments))


def run_command(arguments: Sequence[str] | None) -> int:
    """Run a command and return its exit status; print errors in one line."""
    try:
        return openspiel.main(arguments, "arena-openspiel", standalone_mode=False) or 0
    except click.ClickException as problem:
        words = problem.format_message()
    except (UserError, ValueError) as problem:
        words = str(problem)
    click.echo(f"arena-openspiel: {' '.join(words.split())}", err=True)
    return USAGE
