"""One game in progress, as both environments play it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena import Greeting, IllegalAnswerError, Play, Score, Seat
from arena_pettingzoo.game_setup import GameSetup
from arena_pettingzoo.rendering import TextLog
from arena_pettingzoo.seat_observer import Observation, SeatObserver


class Episode:
    """One game: its questions, the observations of the seats, and the changes of the scores."""

    def __init__(self, setup: GameSetup, seed: str, log: TextLog | None) -> None:
        self._setup, self._log = setup, log
        self.play = Play.deal(setup.variant, setup.seats, seed)
        self._observers = [
            SeatObserver(
                setup.game, Greeting(setup.game.name, seat, setup.seats, setup.variant, "")
            )
            for seat in range(setup.seats)
        ]
        self._scores: Sequence[Score] = (0,) * setup.seats
        self._pass_on()

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.play.over

    def observe(self, seat: Seat) -> Observation:
        """Return a seat's observation and the mask of its legal actions."""
        return self._observers[seat].observe(self.play.pending.get(seat))

    def info(self, seat: Seat) -> dict[str, Any]:
        """Return the name of the question to a seat, if there is one, as `question`."""
        question = self.play.pending.get(seat)
        return {} if question is None else {"question": type(question).__name__}

    def allows(self, seat: Seat, action: int) -> bool:
        """Whether an action of this seat is legal now."""
        mask = self._observers[seat].actions.mask(self.play.pending.get(seat))
        return 0 <= action < mask.size and bool(mask[action])

    def act(self, seat: Seat, action: int) -> None:
        """Answer for a seat; raise ValueError if the action is not legal."""
        question, closed = self.play.pending[seat], self.play.closed
        try:
            answer = self.play.answer(seat, self._observers[seat].actions.answer(action))
        except IllegalAnswerError as problem:
            raise ValueError(f"seat_{seat}: action {action} is not allowed: {problem}") from None
        if self._log:
            self._log.record_answer(seat, question, answer, last=self.play.closed != closed)
        self._pass_on()

    def gains(self) -> list[float]:
        """Return the change of each seat's score since the last call.

        At first all scores count as 0, so that the gains add up to the final scores.
        """
        before, self._scores = self._scores, self.play.scores
        return [float(now - had) for now, had in zip(self._scores, before, strict=True)]

    def _pass_on(self) -> None:
        """Pass each new event on to the seats that may know it."""
        for to, event in self.play.drain():
            for observer in self._observers if to is None else (self._observers[to],):
                observer.hear(event)
            if self._log:
                self._log.record_event(to, event)
