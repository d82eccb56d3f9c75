"""Two basic bots: one that answers at random, and one that fails on purpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from arena.players.python_bot import Bot
from arena.rules import Question

if TYPE_CHECKING:
    from arena.wires import Greeting


class RandomBot(Bot):
    """Gives random legal answers."""

    def choose(self, question: Question[Any]) -> Any:
        """Return a random legal answer."""
        return question.options.draw(self.random)


class FailingBot(Bot):
    """Plays like another bot, and fails after some answers; then the fallback bot plays on.

    For situations and tests: `partial(FailingBot, Honest)` makes one.
    """

    def __init__(self, make: Callable[[], Bot], answers: int = 6) -> None:
        self._bot, self._left = make(), answers

    def check_support(self, variant: Any, seats: int) -> None:
        """Raise UserError where the other bot cannot play."""
        self._bot.check_support(variant, seats)

    def greet(self, greeting: Greeting) -> None:
        """Pass the greeting to the other bot."""
        self._bot.greet(greeting)

    def hear(self, event: Any) -> None:
        """Pass an event to the other bot."""
        self._bot.hear(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return the other bot's answer; raise RuntimeError after the last one."""
        if not self._left:
            raise RuntimeError("this bot fails on purpose")
        self._left -= 1
        return self._bot.choose(question)
