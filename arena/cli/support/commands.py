"""What commands share: their kinds, flags and arguments, and a line for each of their errors.

A command has flags, such as `--json`, a game has options, and a bot has parameters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import click

from arena.distribution import format_install_command
from arena.rules import UnknownNameError, UserError, describe_number
from arena.wires import to_printable

if TYPE_CHECKING:
    from rich.table import Table

    from arena.host import Entrant
    from arena.plugins import Game
    from arena.rules import Variant
    from arena.sandbox import Sandbox


class CommandLocation(NamedTuple):
    """The location of a command, as `module:attribute`, and its short help."""

    target: str
    summary: str


class ExampleCommand(click.Command):
    """A command or group whose help ends with examples for an installed game.

    In the examples, `{game}` stands for a game, `{bot}` and `{other}` for two of its bots, and
    `{option}` for one of its options. What click calls the options of a command are its flags here.
    """

    def __init__(self, *arguments: Any, examples: tuple[str, ...] = (), **settings: Any) -> None:
        super().__init__(*arguments, **{"options_metavar": "[FLAGS]"} | settings)
        self._examples = examples

    def make_parser(self, ctx: click.Context) -> Any:
        """Return a parser that refuses a flag which is given twice and has one value.

        Click would let the last one count, although both were meant.
        """
        parser = super().make_parser(ctx)
        parse = parser.parse_args

        def parse_once(args: list[str]) -> Any:
            parsed = parse(args=args)
            *_, order = parsed
            refuse_repeats(order, ctx)
            return parsed

        parser.parse_args = parse_once  # type: ignore[method-assign]
        return parser

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the flags, each with its help."""
        flags = (param for param in self.get_params(ctx) if isinstance(param, click.Option))
        with formatter.section("Flags"):
            formatter.write_dl([row for flag in flags if (row := flag.get_help_record(ctx))])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, one per line."""
        named = any("{" in example for example in self._examples)
        write_examples(formatter, self._examples, _choose_names() if named else PLACEHOLDERS)


def refuse_repeats(given: Iterable[click.Parameter], ctx: click.Context) -> None:
    """Raise UsageError for a flag that has one value and is given more than once."""
    for parameter, times in Counter(given).items():
        if times > 1 and isinstance(parameter, click.Option) and has_one_value(parameter):
            problem = f"{parameter.opts[0]} was given {times} times: give it once"
            raise click.UsageError(problem, ctx)


def has_one_value(flag: click.Option) -> bool:
    """Whether a flag takes a value, and no list of them."""
    return not (flag.multiple or flag.is_flag or flag.count)


class ExampleGroup(ExampleCommand, click.Group):
    """A group of commands with examples.

    The commands of `lazy_commands` are imported when they run, and not for `--help`.
    """

    def __init__(
        self,
        *arguments: Any,
        lazy_commands: Mapping[str, CommandLocation] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.lazy_commands = lazy_commands or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in alphabetical order."""
        return sorted({*self.commands, *self.lazy_commands})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name, importing it."""
        if cmd_name in self.lazy_commands:
            module, _, attribute = self.lazy_commands[cmd_name].target.partition(":")
            command: click.Command = getattr(import_module(module), attribute)
            return command
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of this name, or raise an error that lists the commands."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            known = [name for name in self.list_commands(ctx) if name != args[0]]
            raise UnknownNameError("command", args[0], known)
        return super().resolve_command(ctx, args)

    def list_sections(self, ctx: click.Context) -> dict[str, list[str]]:
        """Return the names of commands by the title under which the help shows them."""
        return {"Commands": self.list_commands(ctx)}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the flags, and then the commands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each command with its short help, under the title of its section."""
        sections = self.list_sections(ctx)
        width = max(len(name) for names in sections.values() for name in names)
        for title, names in sections.items():
            rows = [(name, self._get_summary(ctx, name)) for name in names]
            shown = [(name.ljust(width), summary) for name, summary in rows if summary is not None]
            if shown:
                with formatter.section(title):
                    formatter.write_dl(shown)

    def _get_summary(self, ctx: click.Context, name: str) -> str | None:
        """Return the whole short help of a command, or None if there is none; long ones wrap."""
        if name in self.lazy_commands:
            return self.lazy_commands[name].summary
        command = self.get_command(ctx, name)
        if command is None or command.hidden:
            return None
        return command.get_short_help_str(MAX_SUMMARY_LENGTH)


MAX_SUMMARY_LENGTH = 500  # characters of the first sentence of a command's help
PLACEHOLDERS = {"game": "GAME", "bot": "BOT", "other": "BOT", "option": "NAME=VALUE"}


def write_examples(
    formatter: click.HelpFormatter,
    examples: tuple[str, ...],
    words: Mapping[str, str] = PLACEHOLDERS,
) -> None:
    """Write examples into a help text, with the names of a game and two of its bots."""
    with formatter.section("Examples"):
        for example in examples:
            formatter.write(f"  arena {example.format(**words)}\n")


def _choose_names() -> Mapping[str, str]:
    """Return the name of a game, of two of its bots, and one of its options, for examples."""
    from arena.plugins import format_pairs

    game = _find_demo_game()
    if game is None:
        return PLACEHOLDERS
    bots = game.presentation.demo
    option = next(iter(format_pairs(game.default_options)), PLACEHOLDERS["option"])
    return {"game": game.name, "bot": bots[0], "other": bots[-1], "option": option}


def _find_demo_game() -> Game | None:
    """Return the first game that defines the bots of a demonstration; load no other game."""
    from arena.plugins import PLUGIN_GROUP, find_entry_points, get_plugins

    games = (
        game
        for offer in find_entry_points(PLUGIN_GROUP)
        for game in get_plugins().find_games(offer.name)
    )
    return next((game for game in games if game.presentation.demo), None)


def describe_usage_error(problem: click.ClickException) -> str:
    """Describe a usage error in one line, without Python's types, with the command for help."""
    return f"{_describe(problem)}{_format_hint(problem)}"


def _describe(problem: click.ClickException) -> str:
    match problem:
        case click.MissingParameter():
            kind = "flag" if isinstance(problem.param, click.Option) else "argument"
            return f"missing {kind} {_get_name(problem)}"
        case click.BadParameter():
            reason = _describe_bad_value(problem)
            return f"{name}: {reason}" if (name := _get_name(problem)) else reason
        case click.NoSuchOption(option_name=name):
            return f"unknown flag {name}{_guess_flag(name, problem.ctx)}"
    return _describe_text(problem.format_message())


def _describe_text(text: str) -> str:
    """Describe what click says of an error for which it has no class."""
    if extra := EXTRA_ARGUMENTS.fullmatch(text):
        return f"unexpected {extra[1]} {extra[2]}"
    if lacking := LACKING_VALUES.fullmatch(text):
        return f"{lacking[1]} takes {f'{lacking[2]} values' if lacking[2] else 'a value'}"
    if valued := UNWANTED_VALUE.fullmatch(text):
        return f"{valued[1]} takes no value"
    return _begin_small(text).removesuffix(".")


UNWANTED_VALUE = re.compile(r"Option '(.*)' does not take a value\.?")
LACKING_VALUES = re.compile(r"Option '(.*)' requires (?:an argument|(\d+) arguments)\.?")
EXTRA_ARGUMENTS = re.compile(r"Got unexpected extra (arguments?) \((.*)\)\.?")


def _begin_small(text: str) -> str:
    """Return a text of click's without its capital letter, but for a name of Python's."""
    starts_with_word = re.match(r"[A-Z][a-z]+(?![\w.])", text)
    return text[:1].lower() + text[1:] if starts_with_word else text


def _describe_bad_value(problem: click.BadParameter) -> str:
    """Describe an invalid value; for numbers, include the allowed range."""
    value, is_refused, _ = problem.message.partition(" is not ")
    kind = problem.param.type if problem.param else None
    if isinstance(kind, click.Choice):
        allowed = f"one of {', '.join(map(str, kind.choices))}"
    else:
        allowed = _describe_numbers(kind)
    if is_refused and allowed:
        return f"{value} is not {allowed}"
    return _begin_small(problem.message).removesuffix(".")


def _describe_numbers(kind: Any) -> str:
    """Describe the numbers that a parameter allows; return "" for other types."""
    noun = _name_number(kind)
    if not noun:
        return ""
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    above, below = getattr(kind, "min_open", False), getattr(kind, "max_open", False)
    return describe_number(noun, least, most, above=above, below=below)


def _name_number(kind: Any) -> str:
    if isinstance(kind, click.types.IntParamType):
        return "a whole number"
    if isinstance(kind, click.types.FloatParamType):
        return "a number of seconds" if kind.name == "seconds" else "a number"
    return ""


def _get_name(problem: click.BadParameter) -> str:
    """Return the name of the invalid parameter as typed, or "" if it is unknown."""
    param = problem.param
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    if param is None:
        return problem.param_hint if isinstance(problem.param_hint, str) else ""
    return param.metavar or param.human_readable_name.upper()


def _guess_flag(name: str, context: click.Context | None) -> str:
    """Suggest the flag that is most like an unknown one, without the dashes that all have."""
    params = context.command.get_params(context) if context else []
    flags = [flag for param in params for flag in param.opts if flag.startswith("-")]
    known = {flag.lstrip("-"): flag for flag in flags}
    return _format_guess([known[guess] for guess in get_close_matches(name.lstrip("-"), known, 1)])


def _format_guess(guesses: Any) -> str:
    return f"; did you mean {guesses[0]}?" if guesses else ""


def _format_hint(problem: click.ClickException) -> str:
    context = getattr(problem, "ctx", None)
    return f" (see {context.command_path} --help)" if context else ""


MAX_LINE_LENGTH = 2000  # characters; longer lines are shortened
TAIL_LENGTH = 200  # characters kept at the end, where the allowed values stand


def print_error(text: str) -> None:
    """Print an error in lines that are safe for a terminal, and shorten long ones."""
    for line in f"arena: {text}".splitlines():
        short = (
            line
            if len(line) <= MAX_LINE_LENGTH
            else f"{line[:MAX_LINE_LENGTH]} ... {line[-TAIL_LENGTH:]}"
        )
        click.echo(to_printable(short), err=True)


F = TypeVar("F", bound=Callable[..., Any])

option_option = click.option(
    "--option",
    "-o",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set an option of the game (see `arena games`); may be repeated.",
)
"""The flag `--option` of commands that play a game."""

seed_option = click.option(
    "--seed",
    metavar="TEXT",
    help="Repeat the match of this seed, with the bots seated as listed. "
    "[default: seed and seating are random]",
)
"""The flag `--seed` of commands that play a game."""

table_option = click.option(
    "--table",
    type=click.IntRange(1),
    help="Number of seats, in a game of teams. [default: the fewest that fit]",
)
"""The flag `--table` of commands that play a game."""

with_option = click.option(
    "--with",
    "beside",
    multiple=True,
    metavar="BOT[,BOT...]",
    help="Your partners, in a game of teams. [default: the first opponent]",
)
"""The flag `--with` of commands in which people play."""

sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(["auto", "namespaces", "landlock", "trusted"]),
    default="trusted",
    show_default=True,
    help="Sandbox for the bots' programs; auto: the strongest that works (see `arena doctor`).",
)
"""The flag `--sandbox` of commands that start bots' programs."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")
"""The flag `--json` of commands that print for programs, too."""

tournament_argument = click.argument("tournament", metavar="TOURNAMENT")
"""The argument of commands that read a tournament: its file or its database."""


def log_options(command: F) -> F:
    """Add the flags of the host's log."""
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


class MatchKeyType(click.ParamType[str]):
    """The key of a match: the number of its deal, a full stop, its rotation."""

    name = "key"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return a key, or fail with a usage error."""
        from arena.tournament.deals import parse_match_key

        try:
            parse_match_key(str(value))
        except UserError as problem:
            self.fail(str(problem), param, ctx)
        return str(value)


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


TOURNAMENT_MODULES = (
    "confusable_homoglyphs", "numpy", "scipy", "threadpoolctl",
)  # fmt: skip
"""The modules of the extra `tournament`."""


def require_tournament_extra(command: F) -> F:
    """Check before a command that the modules for tournaments and ratings are installed."""

    @wraps(command)
    def run(*arguments: Any, **named: Any) -> Any:
        require_modules(TOURNAMENT_MODULES, "tournaments need", "tournament")
        return command(*arguments, **named)

    return cast("F", run)


def require_modules(modules: Iterable[str], purpose: str, extra: str) -> None:
    """Raise UserError if modules are missing, with the extra that installs them."""
    if missing := [name for name in modules if find_spec(name) is None]:
        raise UserError(
            f"{purpose} {', '.join(missing)}; install with {format_install_command(extra)}"
        )
