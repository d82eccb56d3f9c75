"""Two plain bots that many need: one that draws its answers, and one that is to fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from arena.players.bot import Bot
from arena.rules import Question

if TYPE_CHECKING:
    from arena.wires import Greeting


class RandomBot(Bot):
    """Answers anything that is allowed."""

    def choose(self, question: Question[Any]) -> Any:
        """Draw."""
        return question.options.draw(self.random)


class FailingBot(Bot):
    """Plays as another bot does, and fails behind some answers; the fallback bot plays on.

    For situations and tests: `partial(FailingBot, Honest)` makes one.
    """

    def __init__(self, make: Callable[[], Bot], answers: int = 6) -> None:
        self._bot, self._left = make(), answers

    def check_support(self, variant: Any, seats: int) -> None:
        """Raise UserError where the other bot cannot play."""
        self._bot.check_support(variant, seats)

    def greet(self, greeting: Greeting) -> None:
        """Let the other bot take note of the game."""
        self._bot.greet(greeting)

    def hear(self, event: Any) -> None:
        """Let the other bot take note of an event."""
        self._bot.hear(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return the other bot's answer; raise RuntimeError after the last one."""
        if not self._left:
            raise RuntimeError("this bot fails on purpose")
        self._left -= 1
        return self._bot.choose(question)
