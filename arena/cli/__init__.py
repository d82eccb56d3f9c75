"""The command line: `arena COMMAND`. What goes wrong is said in one line, with exit status 2.

The arena's own commands come in by the same hook as a plugin's.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from arena.cli import builtin
from arena.cli.common import write_examples
from arena.errors import Refusal, Unknown
from arena.interrupts import SIGNALLED, Interrupted, end_on_signals, ignore_signals
from arena.plugins import plugins
from arena.printable import printable

USAGE = 2
EXAMPLES = (
    "demo                                  watch a match of each game",
    "match {game} {bot} {other} --games 10",
    'match {game} {bot} "ruby mine.rb"     your own program',
    "play {game} --against {bot}           play one yourself",
)


class Commands(click.Group):
    """All commands of all plugins, the arena's own among them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names, in alphabetical order."""
        return sorted(self._all())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Give the command of this name."""
        return self._all().get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is meant, or say what there is."""
        if args and not args[0].startswith("-") and args[0] not in self._all():
            raise Unknown("command", args[0], sorted(self._all()))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a signal may end it, and who reads our output have seen enough."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except Interrupted as interrupt:
            ignore_signals()
            click.echo("arena: interrupted; all programs have been ended", err=True)
            return SIGNALLED + interrupt.number
        except OSError as problem:
            if not _of_our_output(problem):
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if isinstance(problem, BrokenPipeError):  # who read it have seen enough
                return 0
            raise Refusal(f"standard output cannot be written: {problem.strerror}") from None
        return result

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        write_examples(formatter, EXAMPLES)

    def _all(self) -> dict[str, click.Command]:
        return plugins().commands


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="cardbot-arena", message="%(prog)s %(version)s")
@click.pass_context
def arena(ctx: click.Context) -> None:
    """Host matches between card-bots, in any language."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command, and end with its exit status."""
    end_on_signals()
    plugins().manager.register(builtin)
    sys.exit(_status(arguments))


def _status(arguments: Sequence[str] | None) -> int:
    try:
        return arena.main(arguments, "arena", standalone_mode=False) or 0
    except click.ClickException as problem:
        click.echo(f"arena: {problem.format_message()}{_hint(problem)}", err=True)
    except Refusal as problem:
        lines = map(printable, f"arena: {problem}".splitlines())
        click.echo("\n".join(lines), err=True)
    return USAGE


def _of_our_output(problem: OSError) -> bool:
    """Say whether it is standard output that failed: what names a file is something else."""
    return problem.filename is None and problem.errno in (errno.EPIPE, errno.ENOSPC, errno.EIO)


def _hint(problem: click.ClickException) -> str:
    context = getattr(problem, "ctx", None)
    return f" (see {context.command_path} --help)" if context else ""
