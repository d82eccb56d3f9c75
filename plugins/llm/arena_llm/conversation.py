"""What a seat was told, was asked and has answered, as the texts that its model reads.

They are made of the lines that a person at the seat would read, and of nothing else, so what the
seat was never told cannot come into a prompt. Left out are how to type an answer, and the words of
strangers: a nickname could say "ignore the rules".
"""

from __future__ import annotations

from typing import Any

from arena import Game, Greeting, Mark, MarkedLine, OneOf, Perspective, Question, Text
from arena.records import MatchStep
from arena_llm import prompts
from arena_llm.answers import Choices
from arena_llm.settings import AnswerForm, Guidance

HIDDEN_MARKS = (Mark.HINT, Mark.FREE_TEXT)


class Conversation:
    """A seat's side of a match in texts."""

    history: list[str]  #: lines on what happened, oldest first
    asked: list[str]  #: lines of the question that is to be answered

    def __init__(self, game: Game, greeting: Greeting) -> None:
        names = prompts.build_names(greeting.seats)
        self._seat, self._view = (
            greeting.seat,
            Perspective(game, greeting.variant, names, greeting.seat),
        )
        self.system = prompts.build_system_prompt(game, greeting)
        self.history, self.asked = select_lines(self._view.begin()), []
        self._has_answered = False  # was the last question a question to the model?

    def hear(self, event: Any) -> None:
        """Add what the seat is told."""
        self.history += select_lines(self._view.see_event(self._seat, event))

    def find_forced_answer(self, question: Question[Any]) -> Any:
        """Return the answer that needs no model, or None: the only one, or a free text."""
        options = question.options
        if isinstance(options, OneOf) and len(options) == 1:
            return options[0]
        if isinstance(options, Text):
            return options.sample if question.default is None else question.default
        return self._view.narrator.find_forced_answer(question)

    def ask(
        self, question: Question[Any], form: AnswerForm, guidance: Guidance
    ) -> tuple[Choices, str]:
        """Return what may be answered to a question, and the prompt that asks it."""
        self.asked = select_lines(self._view.see_question(self._seat, question))
        choices = Choices.of(question, self._view.narrator, form)
        return choices, prompts.build_question(self.history, self.asked, choices, guidance)

    def answer(self, question: Question[Any], answer: Any) -> None:
        """Add the seat's answer, below what it was asked, unless there was nothing to decide."""
        self._view.see_answer(self._seat, question, answer)
        self._has_answered = bool(self.asked)
        if self.asked:
            titles = (line for line in reversed(self.asked) if line.endswith("?"))
            said = self._view.narrator.say(question, answer)
            self.history.append(f"{next(titles, self.asked[-1])} > {said}")
        self.asked = []

    def withdraw(self, question: Question[Any]) -> None:
        """Add below the seat's answer that it came too late."""
        if self._has_answered:
            self.history += select_lines(self._view.see_withdrawal(self._seat, question))


def select_lines(step: MatchStep) -> list[str]:
    """Return the lines of a step that a model reads."""
    return [
        str(line)
        for line in step.words
        if not isinstance(line, MarkedLine) or line.mark not in HIDDEN_MARKS
    ]
