"""What was wrong, said in lines that are fit for a terminal."""

from __future__ import annotations

import click

from arena.wires import printable

LONGEST = 2000  # characters of a line that are shown, and the last of it, which say what is allowed
TAIL = 200


def complain(text: str) -> None:
    """Say in lines fit for a terminal what was wrong, however long the words that were given."""
    for line in f"arena: {text}".splitlines():
        short = line if len(line) <= LONGEST else f"{line[:LONGEST]} ... {line[-TAIL:]}"
        click.echo(printable(short), err=True)
