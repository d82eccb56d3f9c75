"""A player that is a bot in this process, and the autopilot that plays a seat on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any

from arena.bot import Bot
from arena.codec import Greeting
from arena.outcome import Failed, Fault
from arena.players.player import NOT_YET
from arena.table import Question

if TYPE_CHECKING:
    from arena.players.loop import Loop
    from arena.players.process import Process


class Local:
    """A bot that answers as soon as it is asked: what it raises is its crash."""

    blocking = True
    timed = True
    errors = epitaph = ""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._hears = type(bot).hear is not Bot.hear  # most bots of some games need not be told
        self._crash: Failed | None = None
        self.asked = self.answered = self.latency = 0.0
        self.line = ""

    @property
    def processes(self) -> Sequence[Process]:
        """Give none."""
        return ()

    def join(self, loop: Loop) -> None:
        """There is nothing to look at."""

    def greet(self, greeting: Greeting) -> None:
        """Let the bot know where it sits."""
        self._try(self._bot.greet, greeting)

    def hear(self, events: Sequence[Any]) -> None:
        """Let the bot hear one after the other."""
        if self._hears:
            for event in events:
                self._try(self._bot.hear, event)

    def ask(self, events: Sequence[Any], question: Question[Any]) -> object:
        """Let the bot hear and think."""
        self.asked = monotonic()
        self.hear(events)
        reply = self._try(self._bot.choose, question)
        self.answered = monotonic()
        return reply

    def answer(self) -> object:
        """Never needed: it has answered."""
        return NOT_YET

    def _try(self, method: Callable[[Any], object], argument: object) -> object:
        """Call the bot, unless it has crashed already."""
        if self._crash is None:
            try:
                return method(argument)
            except Exception as problem:  # noqa: BLE001  # whatever a stranger's bot may raise
                self._crash = Failed(Fault.CRASHED, f"{type(problem).__name__}: {problem}")
        return self._crash


class Autopilot(Bot):
    """Plays a seat on without ambition: the default answer, else any."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def choose(self, question: Question[Any]) -> Any:
        """Give the default answer, or draw one."""
        if question.default is not None:
            return question.default
        return question.options.draw(self._random)
