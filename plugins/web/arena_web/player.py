"""A player that is a person in a browser: steps go out by a feed, answers come in by requests."""

from __future__ import annotations

import re
import select
from collections.abc import Sequence
from time import time
from typing import Any

from attrs import evolve

from arena.host import Limits
from arena.players import NOT_YET, Loop, Process, now
from arena.records import Eye, Step
from arena.rules import Failed, Fault, Illegal, OneOf, Question, SomeOf, Text, UserError
from arena.wires import Greeting, Malformed, freeze
from arena_web.chairs import Chair, Sent
from arena_web.feeds import STEPS

LEFT = Failed(Fault.CRASHED, "left the table")


class Closed(UserError):
    """The server ends, and so does the table: the match is void, and no player is at fault."""


class Browser:
    """Somebody at a page; what cannot be answered is asked again, and the clock goes on."""

    blocking = False
    hears = True
    errors = exit_reason = ""

    def __init__(self, eye: Eye, chair: Chair, limits: Limits, *, timed: bool) -> None:
        self.timed = timed
        self._eye, self._chair, self._limits = eye, chair, limits
        self._number = 0  # of the last question
        self._started = False  # has there been an answer? Before it there is more time
        self._question: Question[Any]
        self.asked = self.begun = self.answered = self.latency = 0.0
        self.line = ""

    @property
    def processes(self) -> Sequence[Process]:
        """Return none."""
        return ()

    def join(self, loop: Loop) -> None:
        """Have this loop look at what is sent."""
        loop.watch(self._chair.descriptor, select.POLLIN, self._chair.read)

    def greet(self, greeting: Greeting) -> None:
        """Show how the match begins."""
        self._show([self._eye.begin()])

    def hear(self, events: Sequence[Any]) -> None:
        """Show what happens."""
        self._show(self._told(events))

    def ask(self, events: Sequence[Any], question: Question[Any]) -> object:
        """Show what happens, and the question, unless the view knows that there is none."""
        steps, eye = self._told(events), self._eye
        self.line, self._question = "", question
        decided = getattr(eye.view, "decided", None)
        if decided and (answer := decided(question)) is not None:
            self.asked = self.begun = self.answered = now()
            self.line = eye.view.say(question, answer)
            self._show([*steps, evolve(eye.answered(eye.sight, question, answer), words=())])  # type: ignore[arg-type]  # a seat's eye
            return answer
        asked = eye.asked(eye.sight, question)  # type: ignore[arg-type]  # a seat's eye
        self._number += 1
        words = [word for line in asked.words if (word := without_keys(line)) is not None]
        put = {**evolve(asked, words=tuple(words)).packed, "ask": self._put(question, words)}
        self._chair.asked = self._number
        self._chair.feed.put(STEPS, [*(step.packed for step in steps if step), put])
        self.asked = self.begun = now()
        return self.answer()

    def look(self) -> None:
        """Do nothing: who has just been asked has not answered yet."""

    def answer(self) -> object:
        """Return what was sent, once it is an answer."""
        self.answered = now()
        if self._chair.closed:
            raise Closed("the server has ended")
        if self._chair.left:
            return self._over(LEFT)
        while sent := self._chair.next():
            if sent.number != self._number:
                continue
            try:
                answer = self._read(sent)
            except (Malformed, Illegal) as problem:
                self._chair.feed.put("no", {"n": self._number, "why": str(problem)})
                continue
            self._started = True
            self._show([self._eye.answered(self._eye.sight, self._question, answer)])  # type: ignore[arg-type]  # a seat's eye
            return self._over(answer)
        return NOT_YET

    def withdraw(self) -> bool:
        """Take the question back."""
        self.answered = max(self.asked, now())
        self._over(None)
        self._show([self._eye.withdrawn(self._eye.sight, self._question)])  # type: ignore[arg-type]  # a seat's eye
        return False

    def _over(self, reply: object) -> object:
        self._chair.asked = 0
        return reply

    def _told(self, events: Sequence[Any]) -> list[Step]:
        return [self._eye.told(None, event) for event in events]

    def _show(self, steps: Sequence[Step]) -> None:
        if shown := [step.packed for step in steps if step]:
            self._chair.feed.put(STEPS, shown)

    def _read(self, sent: Sent) -> object:
        """Return the answer; the view reads it as if it was typed, for it may take note of it."""
        view, question = self._eye.view, self._question
        line = sent.line
        if line is None:
            answer = question.options.read(freeze(sent.answer))
            line = view.say(question, answer)
        self.line = line
        return question.options.read(view.read(question, line))

    def _put(self, question: Question[Any], words: Sequence[str]) -> dict[str, Any]:
        """Return the question as the page needs it."""
        allowed = self._limits.move + (0.0 if self._started else self._limits.start)
        return {
            "n": self._number,
            "title": title(question, words),
            "options": self._options(question),
            "default": question.default,
            "allowed": allowed if self.timed else None,
            "at": time(),
        }

    def _options(self, question: Question[Any]) -> dict[str, Any]:
        """Return what may be answered, with the words of the view where there is a choice."""
        match question.options:
            case OneOf() as options:
                labels = [self._eye.view.say(question, option) for option in options]
                return {"one": [*options], "labels": labels}
            case SomeOf(cards) as options:
                sizes = options.sizes
                return {"some": [*cards], "least": sizes[0], "most": sizes[-1]}
            case Text(pattern):
                return {"text": pattern}
        return {"line": ""}


def title(question: Question[Any], words: Sequence[str]) -> str:
    """Return a question in one line: the view's own, if it puts one, or what its class is called.

    >>> title(Question(OneOf((1, 2))), ["Your hand: 1 2"])
    'Your turn: question'
    """
    asked = [line.strip() for line in words if "?" in line]
    if asked:
        return asked[-1]
    called = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(question).__name__).lower()
    return f"Your turn: {called}"


def without_keys(line: str) -> str | None:
    """Return a line of a question without what could be typed; None where nothing else is in it.

    >>> without_keys("What do you say? (Enter to pass)"), without_keys("  (yes | no)")
    ('What do you say?', None)
    """
    if re.fullmatch(r"\s*\(.*\)", line):
        return None
    return re.sub(r"\? \(.*\)$", "?", line) if "? (" in line else line
