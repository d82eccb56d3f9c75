"""A player that is a person at a terminal, without time limits."""

from __future__ import annotations

import select
from collections.abc import Iterable, Sequence
from typing import Any

from arena.players.bot_process import Process
from arena.players.keyboard import Keyboard
from arena.players.player import NOT_YET
from arena.players.poll_loop import PollLoop
from arena.players.screen import Screen
from arena.rules import Fault, IllegalAnswerError, PlayerFailure, Question
from arena.wires import Codec, Greeting, MalformedLineError, encode_withdrawal

HELP_COMMANDS = ("help", "?")  # are never answers
HELP_LINES = (
    "Type help to see this and the question again. Ctrl-D leaves and shows the score.",
    "At a terminal, the arrow keys edit the line and recall earlier ones.",
)
TOO_LATE_LINE = "  Too late: somebody else was first."


def describe_withdrawal(view: Codec, question: Question[Any]) -> Iterable[str]:
    """Return the lines that tell a person that their question was withdrawn."""
    return [*encode_withdrawal(view, question)] or [TOO_LATE_LINE]


class Person:
    """A person who reads the lines of a view and types; invalid input is asked for again.

    `rules` are what `help` says.
    """

    blocking = timed = False
    hears = True
    errors = exit_reason = ""

    def __init__(self, view: Codec, keyboard: Keyboard, screen: Screen, rules: str = "") -> None:
        self._view, self._screen = view, screen
        self._keyboard = keyboard
        self._help = (*rules.splitlines(), *HELP_LINES)
        self._question: Question[Any]
        self._loop = PollLoop()
        self.asked = self.begun = self.answered = self.latency = 0.0
        self.line = ""

    @property
    def processes(self) -> Sequence[Process]:
        """Return no processes."""
        return ()

    def join(self, loop: PollLoop) -> None:
        """Let this loop watch the keyboard."""
        self._loop, keyboard = loop, self._keyboard
        loop.watch(keyboard.descriptor, select.POLLIN, self._read)

    def greet(self, greeting: Greeting) -> None:
        """Show the greeting, as the view describes it."""
        self._screen.show(self._view.tell(greeting))

    def hear(self, events: Sequence[Any]) -> None:
        """Show the events."""
        for event in events:
            self._screen.show(self._view.tell(event))

    def ask(self, events: Sequence[Any], question: Question[Any]) -> object:
        """Show the events and the question, unless the view knows a forced answer."""
        self.hear(events)
        self.asked = self.answered = self._loop.woke_at
        decided = getattr(self._view, "find_forced_answer", None)
        if decided and (answer := decided(question)) is not None:
            self.line = self._view.say(question, answer)
            return answer
        self._question = question
        self._show_question()
        return self.answer()

    def look(self) -> None:
        """Do nothing: a person who was just asked has not typed yet."""

    def answer(self) -> object:
        """Return the answer that was typed, or NOT_YET."""
        self.answered = self._loop.woke_at
        while (line := self._keyboard.line()) is not None:
            self.line = line
            if line.lower() in HELP_COMMANDS:
                self._show_help()
                continue
            try:
                return self._question.options.read(self._view.read(self._question, line))
            except (MalformedLineError, IllegalAnswerError) as problem:
                self._screen.show([f"  Invalid: {problem}"])
                self._prompt()
        return PlayerFailure(Fault.CRASHED, "left the table") if self._keyboard.ended else NOT_YET

    def withdraw(self) -> bool:
        """Withdraw the prompt."""
        self.answered = max(self.asked, self._loop.woke_at)
        self._screen.show(["", *describe_withdrawal(self._view, self._question)])
        return False

    def _show_question(self) -> None:
        """Show the question and a prompt."""
        self._screen.show(self._view.ask(self._question))
        self._prompt()

    def _show_help(self) -> None:
        """Show the help, and the question again, which the help has moved out of sight."""
        self._screen.show(self._help)
        self._show_question()

    def _prompt(self) -> None:
        self._keyboard.prompt(self._screen.file)

    def _read(self) -> None:
        self._keyboard.read()
        if self._keyboard.ended:
            self._loop.forget(self._keyboard.descriptor)
