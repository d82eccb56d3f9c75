"""What was wrong, said in lines that are fit for a terminal."""

from __future__ import annotations

import click

from arena.wires import to_printable

MAX_LINE_LENGTH = (
    2000  # characters of a line that are shown, and the last of it, which say what is allowed
)
TAIL_LENGTH = 200


def print_error(text: str) -> None:
    """Say in lines fit for a terminal what was wrong, however long the words that were given."""
    for line in f"arena: {text}".splitlines():
        short = (
            line
            if len(line) <= MAX_LINE_LENGTH
            else f"{line[:MAX_LINE_LENGTH]} ... {line[-TAIL_LENGTH:]}"
        )
        click.echo(to_printable(short), err=True)
