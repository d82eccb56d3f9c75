"""Error messages in lines that are safe for a terminal."""

from __future__ import annotations

import click

from arena.wires import to_printable

MAX_LINE_LENGTH = 2000  # characters of a line; longer ones are shortened
TAIL_LENGTH = 200  # characters at the end of a shortened line, which say what is allowed


def print_error(text: str) -> None:
    """Print an error in lines that are safe for a terminal, and shorten long ones."""
    for line in f"arena: {text}".splitlines():
        short = (
            line
            if len(line) <= MAX_LINE_LENGTH
            else f"{line[:MAX_LINE_LENGTH]} ... {line[-TAIL_LENGTH:]}"
        )
        click.echo(to_printable(short), err=True)
