"""A game told in words for one who watches, by the game's own view."""

from __future__ import annotations

from typing import Any

from arena import AnswerEvent, Greeting, PrivateEvent, Question, Seat
from arena_pettingzoo.game_setup import Setup


class Account:
    """The lines of one game so far; answers to one ask are shown when all of them are in."""

    def __init__(self, setup: Setup, names: list[str], *, prints: bool) -> None:
        self._view = setup.game.build_view(None, names)
        self._prints = prints
        self._lines: list[str] = []
        self._said: list[AnswerEvent] = []
        self._show(Greeting(setup.game.name, 0, setup.seats, setup.variant, ""))

    @property
    def text(self) -> str:
        """Return all lines so far."""
        return "\n".join(self._lines)

    def told(self, seat: Seat | None, event: Any) -> None:
        """Take an event down, and whether only one seat was told."""
        self._show(event if seat is None else PrivateEvent(seat, event))

    def answered(self, seat: Seat, question: Question[Any], answer: Any, *, last: bool) -> None:
        """Take an answer down; `last` says that the ask is over with it."""
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
