"""The screen of a person: lines of a view, wrapped at words, with colours if possible."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import IO

import click

from arena.wires import Mark, MarkedLine, to_printable

MARK_COLOURS = {Mark.HEADING: "cyan", Mark.WON: "green", Mark.LOST: "red"}


class Screen:
    """Shows lines on a terminal, or writes them to any other standard output."""

    def __init__(self, file: IO[str]) -> None:
        self.file = file
        self._terminal = file.isatty()
        dumb = os.environ.get("TERM", "dumb") == "dumb"
        self._colour = self._terminal and not dumb and not os.environ.get("NO_COLOR")

    def show(self, lines: Iterable[str]) -> None:
        """Show these lines."""
        for line in lines:
            for piece in self._wrap(to_printable(line)):
                self.file.write(f"{self._add_colour(piece, line)}\n")

    def _wrap(self, line: str) -> Iterator[str]:
        """Wrap a line at words to the width of the terminal, with an indent."""
        width = shutil.get_terminal_size().columns
        if not self._terminal or len(line) <= width:
            yield line
            return
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        yield from textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)

    def _add_colour(self, piece: str, line: str) -> str:
        if self._colour and isinstance(line, MarkedLine):
            return click.style(piece, MARK_COLOURS[line.mark], bold=True)
        return piece
