"""One game in progress, as both kinds of environment drive it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena import Greeting, IllegalAnswerError, Play, Score, Seat
from arena_pettingzoo.game_setup import Setup
from arena_pettingzoo.rendering import Account
from arena_pettingzoo.seat_observer import Observation, Viewpoint


class Episode:
    """One game: who is asked, what each seat observes, and what its score has gained."""

    def __init__(self, setup: Setup, seed: str, account: Account | None) -> None:
        self._setup, self._account = setup, account
        self.play = Play.deal(setup.variant, setup.seats, seed)
        self._viewpoints = [
            Viewpoint(setup.game, Greeting(setup.game.name, seat, setup.seats, setup.variant, ""))
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
        return self._viewpoints[seat].observe(self.play.pending.get(seat))

    def info(self, seat: Seat) -> dict[str, Any]:
        """Return the name of the question that a seat is asked, if it is."""
        question = self.play.pending.get(seat)
        return {} if question is None else {"question": type(question).__name__}

    def allows(self, seat: Seat, action: int) -> bool:
        """Return whether this seat may take this action now."""
        mask = self._viewpoints[seat].actions.mask(self.play.pending.get(seat))
        return 0 <= action < mask.size and bool(mask[action])

    def act(self, seat: Seat, action: int) -> None:
        """Answer for a seat that is asked; raise ValueError where the action is not allowed."""
        question, closed = self.play.pending[seat], self.play.closed
        try:
            answer = self.play.answer(seat, self._viewpoints[seat].actions.answer(action))
        except IllegalAnswerError as problem:
            raise ValueError(f"seat_{seat}: action {action} is not allowed: {problem}") from None
        if self._account:
            self._account.answered(seat, question, answer, last=self.play.closed != closed)
        self._pass_on()

    def gains(self) -> list[float]:
        """Return the change of each seat's score since the last call.

        At first all scores count as 0, so that the gains add up to the final scores.
        """
        before, self._scores = self._scores, self.play.scores
        return [float(now - had) for now, had in zip(self._scores, before, strict=True)]

    def _pass_on(self) -> None:
        """Let each seat hear what it was told, and nobody anything else."""
        for to, event in self.play.drain():
            for viewpoint in self._viewpoints if to is None else (self._viewpoints[to],):
                viewpoint.hear(event)
            if self._account:
                self._account.told(to, event)
