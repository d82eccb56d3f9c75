"""The command line: `arena COMMAND`. What goes wrong is said in one line, with exit status 2.

No command is imported before it is run: a start has to be fast.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import click
from click.exceptions import Exit

from arena.cli.builtin import BUILTIN
from arena.cli.complaints import complain
from arena.cli.lazy import Group
from arena.players import SIGNALLED, Interrupted, ended_by_signals, ignore_signals
from arena.plugins import command_names, load_command
from arena.rules import DISTRIBUTION, Unknown, UserError, in_words

USAGE = 2
EXAMPLES = (
    "demo                                 watch a match of each game",
    "match GAME BOT BOT --games 10",
    'match GAME BOT "ruby mine.rb"        your own program',
    "play GAME --against BOT              play one yourself",
)


class Commands(Group):
    """The arena's own commands, and those of all plugins."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in alphabetical order."""
        return sorted({*self.places, *command_names(taken=self.places)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name; the arena's own come before those of plugins."""
        return super().get_command(ctx, cmd_name) or load_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is meant, or say what there is."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            known = [name for name in self.list_commands(ctx) if name != args[0]]
            raise Unknown("command", args[0], known)
        return super().resolve_command(ctx, args)

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        """Read the command line, which may be a call for help, and that is shown at once."""
        with _shown():
            return super().make_context(*arguments, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a signal may end it, and who reads our output have seen enough."""
        try:
            with _shown(), ended_by_signals():
                return super().invoke(ctx)
        except Interrupted as interrupt:
            ignore_signals()
            click.echo("arena: interrupted; all programs have been ended", err=True)
            return SIGNALLED + interrupt.number


@click.group(
    cls=Commands,
    places=BUILTIN,
    examples=EXAMPLES,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name=DISTRIBUTION, message="%(prog)s %(version)s")
@click.pass_context
def arena(ctx: click.Context) -> None:
    """Host matches between card-bots, in any language."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command, and end with its exit status."""
    sys.exit(_status(arguments))


def _status(arguments: Sequence[str] | None) -> int:
    _print_anything()
    try:
        return arena.main(arguments, "arena", standalone_mode=False) or 0
    except click.ClickException as problem:
        complain(f"{problem.format_message()}{_hint(problem)}")
    except UserError as problem:
        complain(str(problem))
    except OSError as problem:  # of the machine, where a command has no words of its own for it
        from arena.host import short_of

        what = short_of(problem) or problem.strerror or in_words(problem)
        complain(f"{problem.filename or 'the system'}: {what}")
    return USAGE


@contextmanager
def _shown() -> Iterator[None]:
    """See that what is printed here is written; who closed the pipe have seen enough."""
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
        if not _of_our_output(problem):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(problem, BrokenPipeError):
            raise Exit(0) from None
        raise UserError(f"standard output cannot be written: {problem.strerror}") from None


def _print_anything() -> None:
    """Have standard output take paths that are no UTF-8; an error would lose the rest."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _of_our_output(problem: OSError) -> bool:
    """Say whether it is standard output that failed: what names a file is something else."""
    return problem.filename is None and problem.errno in (errno.EPIPE, errno.ENOSPC, errno.EIO)


def _hint(problem: click.ClickException) -> str:
    context = getattr(problem, "ctx", None)
    return f" (see {context.command_path} --help)" if context else ""
