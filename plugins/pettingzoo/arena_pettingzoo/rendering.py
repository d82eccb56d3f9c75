"""The text of a game for spectators, from the game's own view."""

from __future__ import annotations

from typing import Any

from arena import AnswerEvent, Greeting, PrivateEvent, Question, Seat
from arena_pettingzoo.game_setup import GameSetup


class TextLog:
    """The lines of one game so far; simultaneous answers are shown once all are known."""

    def __init__(self, setup: GameSetup, names: list[str], *, prints: bool) -> None:
        self._view = setup.game.build_view(None, names)
        self._prints = prints
        self._lines: list[str] = []
        self._said: list[AnswerEvent] = []
        self._show(Greeting(setup.game.name, 0, setup.seats, setup.variant, ""))

    @property
    def text(self) -> str:
        """All lines so far."""
        return "\n".join(self._lines)

    def record_event(self, seat: Seat | None, event: Any) -> None:
        """Record an event, private if it has a seat."""
        self._show(event if seat is None else PrivateEvent(seat, event))

    def record_answer(
        self, seat: Seat, question: Question[Any], answer: Any, *, last: bool
    ) -> None:
        """Record an answer; `last` says that it completes the question."""
        self._said.append(AnswerEvent(seat, question, answer))
        if last:
            said, self._said = self._said, []
            for each in said:
                self._show(each)

    def _show(self, event: Any) -> None:
        for line in self._view.tell(event):
            self._lines.append(line)
            if self._prints:
                print(line)  # noqa: T201  # render_mode="human"
