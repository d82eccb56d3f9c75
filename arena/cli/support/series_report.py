"""The results of a series for people: a table, and a progress bar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from attrs import Factory, define
from rich.console import Console

from arena.host import Result, SeriesTally
from arena.wires import to_printable


@define
class SeriesReport:
    """The results of all players so far."""

    tally: SeriesTally = Factory(SeriesTally)
    void: list[str] = Factory(list)  # the reasons of void matches
    last: list[str] = Factory(list)  # the verdicts of the last match, as text

    def add(self, result: Result) -> None:
        """Add the results of a match."""
        if result.places is None:
            self.void.append(result.outcome.detail)
            return
        self.tally.add(result)
        for name, verdict in zip(result.names, result.verdicts, strict=True):
            if verdict is None:
                continue
            said = f"; it said {verdict.line[:60]!r}" if verdict.line else ""
            self.last.append(f"{name}: {verdict.kind}: {verdict.detail}{said}")

    def show(self) -> None:
        """Print the table, best player first."""
        console = Console(highlight=False)
        if found := self.tally.standings():
            console.print(found)
        for text in dict.fromkeys(self.last):
            console.print(to_printable(text), style="yellow", markup=False)
        for text, games in Counter(self.void).items():
            count = f"{games} games are void" if games > 1 else "void"
            words = f"{count}, not counted: {to_printable(text)}"
            console.print(words, style="red", markup=False)


def show_progress(results: Iterable[Result], games: int) -> Iterator[Result]:
    """Yield the results, and show a progress bar if standard error is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal or games == 1:
        yield from results
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns: list[Any] = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task("games", total=games)
        for result in results:
            bar.advance(task)
            yield result
