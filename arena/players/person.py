"""A player that is a person at a terminal: friendly, and not held to the clock."""

from __future__ import annotations

import select
from collections.abc import Iterable, Sequence
from typing import Any

from arena.players.loop import Loop
from arena.players.player import NOT_YET
from arena.players.process import Process
from arena.players.screen import Screen
from arena.players.terminal import Keyboard
from arena.rules import Failed, Fault, Illegal, Question
from arena.wires import Codec, Greeting, Malformed, withdrawal

HELP = ("help", "?")  # are never answers
COMMANDS = (
    "help says this again, and the question; Ctrl-D leaves, and says the score.",
    "At a terminal the arrow keys edit a line, and bring earlier ones back.",
)
TOO_LATE = "  Too late: somebody was first."


def taken_back(view: Codec, question: Question[Any]) -> Iterable[str]:
    """Return what a person is shown whose question is taken back."""
    return [*withdrawal(view, question)] or [TOO_LATE]


class Person:
    """Somebody who reads a view's lines and types; what cannot be is asked again.

    `rules` are what `help` says.
    """

    blocking = timed = False
    hears = True
    errors = exit_reason = ""

    def __init__(self, view: Codec, keyboard: Keyboard, screen: Screen, rules: str = "") -> None:
        self._view, self._screen = view, screen
        self._keyboard = keyboard
        self._help = (*rules.splitlines(), *COMMANDS)
        self._question: Question[Any]
        self._loop = Loop()
        self.asked = self.begun = self.answered = self.latency = 0.0
        self.line = ""

    @property
    def processes(self) -> Sequence[Process]:
        """Return none."""
        return ()

    def join(self, loop: Loop) -> None:
        """Have this loop look at the keyboard."""
        self._loop, keyboard = loop, self._keyboard
        loop.watch(keyboard.descriptor, select.POLLIN, self._read)

    def greet(self, greeting: Greeting) -> None:
        """Let the view say what is played."""
        self._screen.show(self._view.tell(greeting))

    def hear(self, events: Sequence[Any]) -> None:
        """Show what happens."""
        for event in events:
            self._screen.show(self._view.tell(event))

    def ask(self, events: Sequence[Any], question: Question[Any]) -> object:
        """Show what happens, and the question, unless the view knows that there is none."""
        self.hear(events)
        self.asked = self.answered = self._loop.woke
        decided = getattr(self._view, "decided", None)
        if decided and (answer := decided(question)) is not None:
            self.line = self._view.say(question, answer)
            return answer
        self._question = question
        self._put()
        return self.answer()

    def look(self) -> None:
        """Do nothing: who has just been asked has not typed yet, or it was read."""

    def answer(self) -> object:
        """Return what was typed, once it is an answer."""
        self.answered = self._loop.woke
        while (line := self._keyboard.line()) is not None:
            self.line = line
            if line.lower() in HELP:
                self._screen.show(self._help)
                self._put()
                continue
            try:
                return self._question.options.read(self._view.read(self._question, line))
            except (Malformed, Illegal) as problem:
                self._screen.show([f"  That cannot be: {problem}"])
                self._prompt()
        return Failed(Fault.CRASHED, "left the table") if self._keyboard.ended else NOT_YET

    def withdraw(self) -> bool:
        """Take the prompt back."""
        self.answered = max(self.asked, self._loop.woke)
        self._screen.show(["", *taken_back(self._view, self._question)])
        return False

    def _put(self) -> None:
        """Show the question, and wait for what is typed."""
        self._screen.show(self._view.ask(self._question))
        self._prompt()

    def _prompt(self) -> None:
        self._keyboard.prompt(self._screen.file)

    def _read(self) -> None:
        self._keyboard.read()
        if self._keyboard.ended:
            self._loop.forget(self._keyboard.descriptor)
