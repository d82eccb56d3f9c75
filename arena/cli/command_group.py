"""The group of all commands, `arena COMMAND`, with the table that says where each of them is.

Errors are one line each, with exit status 2.
No command is imported before it is run: a start has to be fast.
"""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

import click
from click.exceptions import Exit, NoArgsIsHelpError

from arena.cli.support.commands import (
    CommandLocation,
    ExampleGroup,
    describe_usage_error,
    print_error,
)
from arena.distribution import DISTRIBUTION, format_install_command
from arena.players import (
    CLOCK,
    SIGNAL_STATUS_BASE,
    SignalInterrupt,
    ignore_further_interrupts,
    limit_library_threads,
    raise_on_signals,
)
from arena.plugins import list_command_names, load_command
from arena.rules import UserError, describe_error

BUILTIN_COMMANDS = {
    "bots": CommandLocation("arena.cli.games:bots", "List a game's bundled bots."),
    "check": CommandLocation("arena.cli.check:check_bot", "Test a bot and report its mistakes."),
    "demo": CommandLocation("arena.cli.play:demo", "Watch example matches."),
    "doctor": CommandLocation(
        "arena.cli.doctor:doctor", "Show which sandboxes work on this machine."
    ),
    "duel": CommandLocation("arena.cli.duel:duel", "Find out which of two bots is better."),
    "examples": CommandLocation(
        "arena.cli.scaffold:write_examples", "Copy the examples into a folder."
    ),
    "export": CommandLocation("arena.cli.results:export", "Export a tournament's results."),
    "fuzz": CommandLocation(
        "arena.cli.games:fuzz", "Try to break a game's rules, wires and narrator."
    ),
    "games": CommandLocation("arena.cli.games:games", "List the games."),
    "golden": CommandLocation("arena.cli.games:golden", "Write golden playthroughs of a game."),
    "insights": CommandLocation("arena.cli.results:insights", "Show playing styles."),
    "match": CommandLocation("arena.cli.match:match", "Play matches between bots."),
    "matches": CommandLocation("arena.cli.results:matches", "List matches of a tournament."),
    "new-bot": CommandLocation("arena.cli.scaffold:write_bot", "Create a bot that already plays."),
    "new-game": CommandLocation(
        "arena.cli.scaffold:write_game", "Create a small game that already works."
    ),
    "play": CommandLocation("arena.cli.play:play", "Play against bots at the terminal."),
    "replay": CommandLocation("arena.cli.replay:replay", "Show a recorded match."),
    "standings": CommandLocation(
        "arena.cli.results:standings", "Rank the entrants of a tournament."
    ),
    "study": CommandLocation(
        "arena.cli.study:study", "Study a game by self-play: skill, luck, seats, length."
    ),
    "tournament": CommandLocation(
        "arena.cli.tournament:tournament",
        "Run tournaments: many bots, many matches, a ranking.",
    ),
    "transcript": CommandLocation("arena.cli.results:transcript", "Print a match's transcript."),
    "verify": CommandLocation(
        "arena.cli.replay:verify", "Verify recorded matches against the rules."
    ),
}
"""The short helps are the commands' own, which a test compares."""
HELP_SECTIONS = {
    "Play": ("demo", "play", "match", "mcp", "games", "bots"),
    "Host": ("tournament", "hill", "web", "site", "doctor"),
    "Study": (
        "standings",
        "matches",
        "duel",
        "insights",
        "replay",
        "transcript",
        "verify",
        "export",
        "eval",
    ),
    "Write bots": ("new-bot", "examples", "check", "tune", "learn", "submit"),
    "Write games": ("new-game", "fuzz", "golden", "study"),
}
"""The sections of `arena --help`, with the commands that packages of this project add."""
PLUGIN_COMMANDS = {
    "eval": format_install_command("llm"),
    "hill": format_install_command("hill"),
    "learn": "pip install arena-pettingzoo",
    "mcp": format_install_command("mcp"),
    "site": format_install_command("web"),
    "submit": "pip install arena-hill",
    "tune": format_install_command("tune"),
    "web": format_install_command("web"),
}
"""How to install the commands that packages of this project add."""
REQUIREMENT_OF_EXTRA = re.compile(r"arena-([a-z0-9]+)-.*extra == ['\"]([a-z]+)['\"]")
"""A package that belongs to a game, the command of which has the name of the game."""


def find_install_advice(command: str) -> str | None:
    """Return the line that installs a command of this project, or None if there is no such one.

    A command with the name of a game comes from a package that only that game has: which extra
    installs the package stands in the metadata of this distribution.
    """
    from importlib.metadata import requires

    for requirement in requires(DISTRIBUTION) or ():
        found = REQUIREMENT_OF_EXTRA.match(requirement)
        if found and found[1] == command and found[2] != "all":
            return format_install_command(found[2])
    return PLUGIN_COMMANDS.get(command)


USAGE_ERROR_STATUS = 2
EXAMPLES = (
    "demo                                 watch example matches",
    "match GAME BOT BOT --games 10",
    'match GAME BOT "ruby mine.rb"        your own program',
    "play GAME --against BOT              play one yourself",
)


class ArenaGroup(ExampleGroup):
    """The arena's own commands, and those of all plugins."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in alphabetical order."""
        return sorted({*self.lazy_commands, *list_command_names(taken=self.lazy_commands)})

    def list_sections(self, ctx: click.Context) -> dict[str, list[str]]:
        """Return the installed commands by what they are for; those of other plugins come last."""
        names = self.list_commands(ctx)
        more = [name for name in names if name not in chain(*HELP_SECTIONS.values())]
        sections = {**HELP_SECTIONS, "More": more}
        return {title: [name for name in sections[title] if name in names] for title in sections}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name; the arena's own come before those of plugins."""
        return super().get_command(ctx, cmd_name) or load_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of this name, or raise an error that says how to install it."""
        advice = args and not self.get_command(ctx, args[0]) and find_install_advice(args[0])
        if advice:
            raise UserError(f"arena {args[0]} is not installed; install it with: {advice}")
        return super().resolve_command(ctx, args)

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        """Parse the command line; `--help` is shown at once."""
        with _flush_output():
            return super().make_context(*arguments, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command until it ends, a signal arrives, or nobody reads its output."""
        CLOCK.start()  # which watches rules, also where no match is hosted
        try:
            with _flush_output(), raise_on_signals():
                return super().invoke(ctx)
        except SignalInterrupt as interrupt:
            ignore_further_interrupts()
            if problem := _find_interrupted_error(interrupt):
                print_error(str(problem))
            click.echo("arena: interrupted; all programs have been ended", err=True)
            return SIGNAL_STATUS_BASE + interrupt.number


@click.group(
    cls=ArenaGroup,
    lazy_commands=BUILTIN_COMMANDS,
    examples=EXAMPLES,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name=DISTRIBUTION, message="%(prog)s %(version)s")
@click.pass_context
def arena(ctx: click.Context) -> None:
    """Play matches between card-playing bots, written in any language."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit status; without arguments, those of this process."""
    limit_library_threads()
    _escape_unencodable_output()
    _forget_unknown_size()
    try:
        return arena.main(arguments, "arena", standalone_mode=False) or 0
    except NoArgsIsHelpError as problem:
        problem.show()
    except click.ClickException as problem:
        print_error(describe_usage_error(problem))
    except UserError as problem:
        print_error(str(problem))
    except (OSError, RuntimeError, MemoryError) as problem:
        print_error(_describe_machine_error(problem))
    return USAGE_ERROR_STATUS


def _find_interrupted_error(interrupt: SignalInterrupt) -> UserError | None:
    """Return the error that was on its way to the user when a signal arrived, if there was one.

    Whoever sends the signal may not know of it: it may say where data was saved.
    """
    behind = interrupt.__context__
    while behind and not isinstance(behind, UserError):
        behind = behind.__context__
    return behind if isinstance(behind, UserError) else None


def _describe_machine_error(problem: OSError | RuntimeError | MemoryError) -> str:
    """Describe an error of the machine for which a command has no words; raise any other again."""
    from arena.host import describe_shortage

    reason, file = describe_shortage(problem), None
    if isinstance(problem, OSError):
        reason, file = reason or problem.strerror or describe_error(problem), problem.filename
    if not reason:
        raise problem
    return f"{file or 'the system'}: {reason}"


@contextmanager
def _flush_output() -> Iterator[None]:
    """Flush standard output after the block; a closed pipe ends the command quietly."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):  # rich ends where a pipe is closed
            raise Exit(0) from None
        raise
    except OSError as problem:
        if not _is_output_error(problem):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(problem, BrokenPipeError):
            raise Exit(0) from None
        raise UserError(f"standard output cannot be written: {problem.strerror}") from None


def _escape_unencodable_output() -> None:
    """Escape paths that are not UTF-8 on standard output, where an error would lose the rest."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _forget_unknown_size() -> None:
    """Forget a terminal's size of 0, by which shells say that it is unknown: Rich obeys it."""
    for name in ("COLUMNS", "LINES"):
        if not os.environ.get(name, "1").strip("0"):
            del os.environ[name]


def _is_output_error(problem: OSError) -> bool:
    """Whether standard output failed: an error with a file name is about that file."""
    return problem.filename is None and problem.errno in (errno.EPIPE, errno.ENOSPC, errno.EIO)
