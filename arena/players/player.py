"""What a match knows of a player: that it is told, is asked, and answers in its own time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from arena.players.poll_loop import PollLoop
from arena.players.process import Process, end_processes
from arena.rules import Question
from arena.wires import Greeting


class NotYet:
    """What a player gives that is still thinking."""

    def __repr__(self) -> str:
        return "NOT_YET"


NOT_YET = NotYet()
"""What a player returns that has not answered yet."""


class Player(Protocol):
    """Who answers for a seat. Nothing here blocks but a Python bot's own thinking.

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
        """Have the loop look at its descriptors, if it has any."""

    def greet(self, greeting: Greeting) -> None:
        """Tell it which game it plays, and where it sits."""

    def hear(self, events: Sequence[Any]) -> None:
        """Pass the events on."""

    def ask(self, events: Sequence[Any], question: Question[Any]) -> object:
        """Pass the events on and put the question; return a reply at once, as `answer` does."""

    def look(self) -> None:
        """Take in what has come since it was asked, without waiting for it."""

    def answer(self) -> object:
        """Return its reply."""

    def withdraw(self) -> bool:
        """Let it know that the question is taken back; return whether it had replied."""

    @property
    def line(self) -> str:
        """Return the last answer as it came."""

    @property
    def errors(self) -> str:
        """Return the end of what it wrote to its stderr."""

    @property
    def exit_reason(self) -> str:
        """The reason for its program's end, once it has ended."""

    @property
    def processes(self) -> Sequence[Process]:
        """What has to be ended when it leaves."""


def end_programs(players: Iterable[Player], grace: float) -> None:
    """End the programs of all these players together, with `grace` seconds to end by themselves."""
    end_processes([process for player in players for process in player.processes], grace)
