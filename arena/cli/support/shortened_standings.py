"""Standings shortened to the height of a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

from arena.wires import to_printable


def build_line(text: str, style: str = "") -> Text:
    """Return a text that is cut off at the width of the terminal."""
    return Text(to_printable(text), style=style, no_wrap=True, overflow="ellipsis")


@frozen
class ShortenedStandings:
    """Standings that fit the height of a terminal, followed by lines that are always visible."""

    standings: Sequence[RenderableType]
    lines: Sequence[Text]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the standings and the lines."""
        rows = console.render_lines(Group(*self.standings), options, pad=False)
        room = console.height - len(self.lines) - 1
        if len(rows) > room:
            below = len(rows) - max(0, room - 1)
            rows = rows[:-below]
            more = build_line(f"{below} lines more; `arena standings` shows all", "dim")
        else:
            more = None
        for row in rows:
            yield from row
            yield Segment.line()
        yield from [more, *self.lines] if more else self.lines
