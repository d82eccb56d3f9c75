"""Showing a match to people who watch and may see everything, as it is played or later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from arena.codec import Greeting
from arena.game import Game
from arena.observer import Answered, Observer, Setting
from arena.outcome import Outcome, Verdict
from arena.play import Variant
from arena.printable import printable
from arena.table import Seat
from arena.view import Private, Said

Show = Callable[[str], None]


class Watcher(Observer):
    """Shows a match line by line, in the words of its game's view."""

    def __init__(self, game: Game, variant: Variant, names: Sequence[str], show: Show) -> None:
        self._names, self._output = names, show
        self._view = game.view_for(None, names)
        self._show(Greeting(game.name, 0, len(names), variant, ""))

    @classmethod
    def of(cls, setting: Setting, show: Show) -> Watcher:
        """Watch a match that is about to begin."""
        return cls(setting.game, setting.variant, setting.names, show)

    def told(self, seat: Seat | None, event: Any) -> None:
        """Show an event."""
        self._show(event if seat is None else Private(seat, event))

    def answered(self, answer: Answered) -> None:
        """Show an answer."""
        self._show(Said(answer.seat, answer.question, answer.answer))

    def failed(self, seat: Seat, verdict: Verdict) -> None:
        """Show a verdict."""
        self._put(f"*** {self._names[seat]}: {verdict.kind}, {verdict.detail}")

    def ended(self, outcome: Outcome) -> None:
        """Show how it came out."""
        for line in result(self._names, outcome):
            self._put(line)

    def _put(self, line: str) -> None:
        self._output(printable(line))

    def _show(self, event: Any) -> None:
        for line in self._view.tell(event):
            self._put(line)


def result(names: Sequence[str], outcome: Outcome) -> Iterator[str]:
    """Say how a match came out, the best first."""
    rounds = "1 round" if outcome.rounds == 1 else f"{outcome.rounds} rounds"
    yield f"{outcome.end.capitalize()} after {rounds}.{' ' * bool(outcome.detail)}{outcome.detail}"
    if outcome.places and outcome.scores:
        table: Iterable[Any] = zip(outcome.places, names, outcome.scores, strict=True)
        for place, name, score in sorted(table, key=lambda row: row[0]):
            yield f"{place:>3}. {name}  {float(score):g}"
