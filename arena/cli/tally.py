"""How everybody did in a series, for people: a table, and progress on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any

from attrs import Factory, define
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from arena.hosting import Result
from arena.printable import printable


@define
class Line:
    """One player's results."""

    scores: list[float] = Factory(list)
    places: list[int] = Factory(list)
    seconds: float = 0.0
    verdicts: Counter[str] = Factory(Counter)


@define
class Tally:
    """All players' results so far."""

    lines: dict[str, Line] = Factory(dict)
    played: int = 0
    void: list[str] = Factory(list)  # why
    last: list[str] = Factory(list)  # the verdicts, in words

    def add(self, result: Result) -> None:
        """Count a match."""
        outcome = result.outcome
        if outcome.scores is None or outcome.places is None:
            self.void.append(outcome.detail)
            return
        self.played += 1
        for seat, name in enumerate(result.setting.names):
            line = self.lines.setdefault(name, Line())
            line.scores.append(float(outcome.scores[seat]))
            line.places.append(outcome.places[seat])
            line.seconds += outcome.seconds[seat]
            if verdict := outcome.verdicts.get(seat):
                line.verdicts[verdict.kind] += 1
                shown = f"{verdict.line[:60]!r}" if verdict.line else "nothing"
                self.last.append(f"{name}: {verdict.kind}: {verdict.detail}; it said {shown}")

    def show(self) -> None:
        """Print the table, the best first."""
        console = Console(highlight=False)
        if self.lines:
            console.print(self._table())
        for text in dict.fromkeys(self.last):
            console.print(printable(text), style="yellow", markup=False)
        for text, games in Counter(self.void).items():
            count = f"{games} games are void" if games > 1 else "void"
            words = f"{count}, played by nobody: {printable(text)}"
            console.print(words, style="red", markup=False)

    def _table(self) -> Table:
        table = Table(title=f"{self.played} {'game' if self.played == 1 else 'games'}")
        table.add_column("player")
        for heading in ("won", "mean place", "mean score", "seconds a game"):
            table.add_column(heading, justify="right")
        table.add_column("verdicts")
        for name, line in sorted(self.lines.items(), key=lambda pair: fmean(pair[1].places)):
            table.add_row(name, *self._cells(line))
        return table

    def _cells(self, line: Line) -> list[str]:
        return [
            str(line.places.count(1)),
            f"{fmean(line.places):.2f}",
            f"{fmean(line.scores):.2f}",
            f"{line.seconds / len(line.scores):.3f}",
            ", ".join(f"{count} {kind}" for kind, count in line.verdicts.items()),
        ]


def progress(results: Iterable[Result], games: int) -> Iterator[Result]:
    """Pass the results on, with a bar where somebody watches a terminal."""
    console = Console(stderr=True)
    columns: list[Any] = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True,
                  disable=not console.is_terminal or games == 1) as bar:  # fmt: skip
        task = bar.add_task("games", total=games)
        for result in results:
            bar.advance(task)
            yield result
