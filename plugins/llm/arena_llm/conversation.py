"""What a seat was told, was asked and has answered, as the texts that its model reads.

They are made of the lines that a person at the seat would read, or that a program there would get,
and of nothing else, so what the seat was never told cannot come into a prompt. Left out are how to
type an answer, and the words of strangers: a nickname could say "ignore the rules".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, NoReturn

from arena import (
    Game,
    Greeting,
    Mark,
    Narrator,
    OneOf,
    Perspective,
    Question,
    Text,
    UserError,
)
from arena.records import MatchStep
from arena.wires import JsonLines, dump, is_marked
from arena_llm import prompts
from arena_llm.answers import Choices
from arena_llm.settings import AnswerForm, Guidance, TextForm

HIDDEN_MARKS = (Mark.HINT, Mark.FREE_TEXT)


class Conversation:
    """A seat's side of a match in texts."""

    history: list[str]  #: lines on what happened, oldest first
    asked: list[str]  #: lines of the question that is to be answered

    def __init__(self, game: Game, greeting: Greeting, text: TextForm = TextForm.PROSE) -> None:
        names = prompts.build_names(greeting.seats)
        self._game = game
        self._seat, self._view = (
            greeting.seat,
            Perspective(game, greeting.variant, names, greeting.seat),
        )
        self._json = JsonLines(game.vocabulary) if text is TextForm.JSON else None
        self._words = JsonWords(greeting.seat, names) if self._json else self._view.narrator
        self.system = prompts.build_system_prompt(game, greeting, text)
        beginning = select_lines(self._view.begin())
        self.history, self.asked = [] if self._json else beginning, []
        self._has_answered = False  # was the last question a question to the model?

    def hear(self, event: Any) -> None:
        """Add what the seat is told.

        Raises:
            UserError: where JSON would hold the words of strangers.
        """
        step = self._view.see_event(self._seat, event)
        if self._json is None:
            self.history += select_lines(step)
            return
        if any(is_marked(line, Mark.FREE_TEXT) for line in step.words):
            self._refuse_json()
        self.history += self._json.tell(event)

    def _refuse_json(self) -> NoReturn:
        raise UserError(
            f"{self._game.title}: its JSON lines hold what other players type, which could be"
            " an order to a model; use --text prose"
        )

    def find_forced_answer(self, question: Question[Any]) -> Any:
        """Return the answer that needs no model, or None: the only one, or a free text.

        Raises:
            UserError: where JSON would hold the words of strangers.
        """
        options = question.options
        if isinstance(options, OneOf) and len(options) == 1:
            return options[0]
        if isinstance(options, Text):
            if self._json:  # what each player types here may be told to all
                self._refuse_json()
            return options.sample if question.default is None else question.default
        return self._view.narrator.find_forced_answer(question)

    def ask(
        self,
        question: Question[Any],
        form: AnswerForm,
        guidance: Guidance,
        order: Random | None = None,
    ) -> tuple[Choices, str]:
        """Return what may be answered to a question, and the prompt that asks it.

        With `order` the choices are listed in an order that is drawn.
        """
        step = self._view.see_question(self._seat, question)
        self.asked = [*self._json.ask(question)] if self._json else select_lines(step)
        choices = Choices.of(question, self._words, form)
        if order:
            choices = choices.shuffle(order)
        return choices, prompts.build_question(self.history, self.asked, choices, guidance)

    def answer(self, question: Question[Any], answer: Any) -> None:
        """Add the seat's answer, below what it was asked, unless there was nothing to decide."""
        self._view.see_answer(self._seat, question, answer)
        self._has_answered = bool(self.asked)
        if self.asked:
            self.history.append(f"{self._find_title(question)} > {self._say(question, answer)}")
        self.asked = []

    def _find_title(self, question: Question[Any]) -> str:
        if self._json:
            return dump({"ask": type(question).__name__})
        titles = (line for line in reversed(self.asked) if line.endswith("?"))
        return next(titles, self.asked[-1])

    def _say(self, question: Question[Any], answer: Any) -> str:
        return dump(answer) if self._json else self._view.narrator.say(question, answer)

    def withdraw(self, question: Question[Any]) -> None:
        """Add below the seat's answer that it came too late."""
        step = self._view.see_withdrawal(self._seat, question)
        if self._has_answered:
            said: Iterable[str] = select_lines(step)
            self.history += self._json.withdraw(question) if self._json else said


class JsonWords(Narrator):
    """Calls options what they are called on JSON lines."""

    def spell(self, question: Question[Any], option: Any) -> Sequence[str]:
        """Return the JSON of an option; a text stands for itself."""
        return [option if isinstance(option, str) else dump(option)]


def select_lines(step: MatchStep) -> list[str]:
    """Return the lines of a step that a model reads."""
    return [str(line) for line in step.words if not is_marked(line, *HIDDEN_MARKS)]
