"""The interface of players: a match tells them events, asks, and waits for answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from arena.players.bot_process import Process, end_processes
from arena.players.poll_loop import PollLoop
from arena.rules import Question
from arena.wires import Greeting


class NotYet:
    """The type of NOT_YET, the reply of a player that has not answered."""

    def __repr__(self) -> str:
        return "NOT_YET"


NOT_YET = NotYet()
"""The reply of a player that has not answered yet."""


class Player(Protocol):
    """A player, which answers for a seat; only a Python bot's own thinking blocks.

    A reply is an answer, NOT_YET, or a `PlayerFailure`.
    """

    blocking: bool  # does it think in this process, so that it comes after all others?
    timed: bool  # is it held to the clock?
    hears: bool  # does it take note of events?
    asked: float  # when, by the host's own time
    begun: float  # when it could begin to think: when asked, or when the line it owed had come
    answered: float  # when its answer was there, by the same clock
    latency: float  # seconds until the host found it; its doubt is the player's benefit

    def join(self, loop: PollLoop) -> None:
        """Let the loop watch the player's descriptors, if it has any."""

    def greet(self, greeting: Greeting) -> None:
        """Send the greeting: the game and the seat."""

    def hear(self, events: Sequence[Any]) -> None:
        """Pass the events on."""

    def ask(self, events: Sequence[Any], question: Question[Any]) -> object:
        """Pass the events on and put the question; return a reply at once, as `answer` does."""

    def look(self) -> None:
        """Read what the player has sent since it was asked, without waiting."""

    def answer(self) -> object:
        """Return the player's reply."""

    def withdraw(self) -> bool:
        """Withdraw the question; return whether the player had replied."""

    @property
    def line(self) -> str:
        """Return the last answer as it came."""

    @property
    def errors(self) -> str:
        """Return the end of what it wrote to its stderr."""

    @property
    def exit_reason(self) -> str:
        """The reason why the program ended, once it has."""

    @property
    def processes(self) -> Sequence[Process]:
        """The processes to end when the player leaves."""


def end_programs(players: Iterable[Player], grace: float) -> None:
    """End the programs of these players together, after `grace` seconds to end by themselves."""
    end_processes([process for player in players for process in player.processes], grace)
