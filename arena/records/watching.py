"""Showing a match to people who watch and may see everything, as it is played or later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from arena.plugins import Answered, Game, MatchSpec, Observer
from arena.rules import Outcome, Score, Seat, Variant, Verdict, heard
from arena.wires import Greeting, Private, Said, printable

Show = Callable[[str], None]


class Watcher(Observer):
    """Shows a match line by line, in the words of its game's view."""

    def __init__(self, game: Game, variant: Variant, names: Sequence[str], show: Show) -> None:
        self._names, self._output, self._unit = names, show, game.unit
        self._view = game.view_for(None, names)
        self._show(Greeting(game.name, 0, len(names), variant, ""))

    @classmethod
    def of(cls, spec: MatchSpec, show: Show) -> Watcher:
        """Watch a match that is about to begin."""
        return cls(spec.game, spec.variant, spec.names, show)

    def told(self, seat: Seat | None, event: Any) -> None:
        """Show an event."""
        self._show(event if seat is None else Private(seat, event))

    def answered(self, answer: Answered) -> None:
        """Show an answer."""
        self._show(Said(answer.seat, answer.question, answer.answer))

    def failed(self, seat: Seat, verdict: Verdict) -> None:
        """Show a verdict, and what was said."""
        self._put(f"*** {self._names[seat]}: {verdict.kind}, {verdict.detail}")
        for line in heard(verdict.kind, verdict.line, verdict.errors):
            self._put(f"    {line}")

    def ended(self, outcome: Outcome) -> None:
        """Show how it came out."""
        for line in result(self._names, outcome, self._unit):
            self._put(line)

    def _put(self, line: str) -> None:
        self._output(printable(line))

    def _show(self, event: Any) -> None:
        for line in self._view.tell(event):
            self._put(line)


def result(names: Sequence[str], outcome: Outcome, unit: str) -> Iterator[str]:
    """Say how a match came out, the best first; `unit` is what the game calls a round."""
    played = counted(outcome.rounds, unit)
    yield f"{outcome.end.capitalize()} after {played}.{' ' * bool(outcome.detail)}{outcome.detail}"
    if outcome.places and outcome.scores:
        yield from standings(names, outcome.places, outcome.scores)


def standings(
    names: Sequence[str], places: Sequence[int], scores: Sequence[Score]
) -> Iterator[str]:
    """Say who stands where, with how many points, the best first."""
    table: Iterable[Any] = zip(places, names, scores, strict=True)
    for place, name, score in sorted(table, key=lambda row: row[0]):
        yield f"{place:>3}. {name}  {float(score):g}"


def counted(number: int, unit: str) -> str:
    """Say how many there are of something.

    >>> counted(1, "trick"), counted(13, "trick")
    ('1 trick', '13 tricks')
    """
    return f"{number} {unit}{'' if number == 1 else 's'}"
