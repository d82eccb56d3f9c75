"""Error messages in lines that are safe for a terminal."""

from __future__ import annotations

import click

from arena.wires import to_printable

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
