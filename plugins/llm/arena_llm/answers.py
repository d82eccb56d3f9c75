"""Answers in a model's replies: one JSON object, in the words of the text, read strictly.

A reply is never searched for words that look like an answer: whoever does that counts what a model
has considered as what it has decided. What is read is the last JSON object with the key that was
asked for; values in it are labels, which are the narrator's words, or the options' own values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from random import Random
from typing import Any

from attrs import evolve, frozen

from arena import Between, IllegalAnswerError, Narrator, OneOf, Question, SomeOf
from arena.rules import abbreviate
from arena.wires import build_answer_schema, fold_spelling, freeze
from arena_llm.settings import AnswerForm

MIX_TOLERANCE = 0.02  # by which probabilities may miss the sum of 1
OBJECT_START = re.compile(r'(?:^|(?<=\}))[^"{}\n]*(\{)', re.MULTILINE)
"""The start of an object that is not within another one, even where that one is broken."""
DECODER = json.JSONDecoder(strict=False)  # models write line breaks into strings


class Fault(StrEnum):
    """Why there is no legal answer."""

    MALFORMED = "malformed"  #: it has no object with the key
    ILLEGAL = "illegal"  #: the options refuse it
    TRUNCATED = "truncated"  #: it reached the limit of tokens
    EMPTY = "empty"  #: it says nothing
    REFUSED = "refused"  #: the model, or a filter, declines
    LATE = "late"  #: its time was used up before it could be asked


class ReplyError(Exception):
    """A reply that gives no legal answer."""

    def __init__(self, fault: Fault, reason: str = "") -> None:
        super().__init__(reason or fault)
        self.fault, self.reason = fault, reason


@frozen
class Choices:
    """What a model may answer to a question, in the text's own words where they are unambiguous."""

    question: Question[Any]
    allowed: Any  #: options of labels, or the question's own
    form: AnswerForm  #: what may be asked for: only one of several labels can be mixed
    _values: Mapping[str, Any]  #: by label
    _labels: Mapping[str, str]  #: by spelling

    @classmethod
    def of(cls, question: Question[Any], narrator: Narrator, form: AnswerForm) -> Choices:
        """Return the choices of a question, as a narrator spells them."""
        options = question.options
        if not isinstance(options, OneOf | SomeOf):
            return cls(question, options, AnswerForm.ONE, {}, {})
        cards = options.cards if isinstance(options, SomeOf) else options
        spelled = [(card, [*narrator.spell(question, card)]) for card in cards]
        values = {words[0]: card for card, words in spelled}
        if len(values) < len({*cards}):
            return cls(question, options, AnswerForm.ONE, {}, {})
        labels: dict[str, str] = {}
        most = max(len(words) for _, words in spelled)
        for place in range(most):  # what is shown first goes before other spellings
            for _, words in spelled:
                for word in words[place : place + 1]:
                    labels.setdefault(fold_spelling(word), words[0])
        if isinstance(options, SomeOf):
            shown = SomeOf(tuple(words[0] for _, words in spelled), options.least, options.most)
            return cls(question, shown, AnswerForm.ONE, values, labels)
        return cls(question, OneOf(values), form, values, labels)

    def shuffle(self, random: Random) -> Choices:
        """Return the same choices, listed in another order."""
        match self.allowed:
            case SomeOf(cards):
                mixed: Any = evolve(self.allowed, cards=tuple(random.sample(cards, len(cards))))
            case OneOf():
                mixed = OneOf(random.sample([*self.allowed], len(self.allowed)))
            case _:
                return self
        return evolve(self, allowed=mixed)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of a reply.

        Endpoints that enforce schemas know neither `uniqueItems` nor optional keys.
        """
        if self.form is AnswerForm.MIX:
            numbers = {label: {"type": "number"} for label in self.allowed}
            answer = _build_object(numbers)
        else:
            answer = build_answer_schema(self.allowed)
            answer.pop("uniqueItems", None)
        return _build_object({"reasoning": {"type": "string"}, self.key: answer})

    @property
    def key(self) -> str:
        """The key of a reply that holds the answer."""
        return "mix" if self.form is AnswerForm.MIX else "answer"

    def read(self, said: Any) -> Any:
        """Return the answer of a value; raise IllegalAnswerError with the options' own reason."""
        answer = freeze(said)
        if not self._values:
            is_number = isinstance(self.allowed, Between)
            return self.question.options.read(_read_number(answer) if is_number else answer)
        if not isinstance(self.allowed, SomeOf) or not isinstance(answer, tuple):
            return self._read_value(answer)
        return self.question.options.read(
            tuple(self._values[label] for label in self.allowed.read(self._to_labels(answer)))
        )

    def read_mix(self, said: Any) -> dict[str, float]:
        """Return probabilities by label, which sum to 1; raise IllegalAnswerError."""
        if not isinstance(said, dict):
            raise IllegalAnswerError(f"{abbreviate(said)} is not an object of probabilities")
        mix: dict[str, float] = dict.fromkeys(self._values, 0.0)
        for word, share in said.items():
            label = self.allowed.read(self._to_label(word))
            if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
                raise IllegalAnswerError(
                    f"the probability of {word!r}, {abbreviate(share)}, is not a number from 0 to 1"
                )
            mix[label] += share
        total = sum(mix.values())
        if abs(total - 1) > MIX_TOLERANCE:
            raise IllegalAnswerError(f"the probabilities sum to {total:g}, not to 1")
        return {label: share / total for label, share in mix.items()}

    def read_shares(self, mix: Mapping[str, float]) -> dict[Any, float]:
        """Return the probability of each answer, given those of their labels."""
        return {self._values[label]: share for label, share in mix.items() if share}

    def draw(self, mix: Mapping[str, float], random: Random) -> Any:
        """Return an answer, drawn by probabilities."""
        (label,) = random.choices([*mix], [*mix.values()])
        return self._values[label]

    def _read_value(self, answer: Any) -> Any:
        """Return the answer of a label, or of one of the options' own values."""
        if isinstance(answer, str):
            return self._values[self.allowed.read(self._to_label(answer))]
        try:
            return self.question.options.read(answer)
        except IllegalAnswerError:
            return self.allowed.read(answer)  # which says it in the words that the model has read

    def _to_labels(self, answer: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(self._to_label(word) for word in answer)

    def _to_label(self, said: Any) -> Any:
        """Return the label that was meant, or what was said."""
        if isinstance(said, str):
            return said if said in self._values else self._labels.get(fold_spelling(said), said)
        for label, value in self._values.items():
            if type(value) is type(said) and value == said:
                return label
        return said


def _read_number(answer: Any) -> Any:
    """Return a number that was written as a string, or the answer as it is."""
    is_number = isinstance(answer, str) and re.fullmatch(r"-?[0-9]{1,18}", answer)
    return int(answer) if is_number else answer


def find_object(text: str, key: str) -> dict[str, Any]:
    """Return the last JSON object of a reply that has a key, or raise ReplyError.

    An object within another one is part of that one, also where that one is broken.
    """
    last: dict[str, Any] | None = None
    end = 0
    while start := OBJECT_START.search(text, end):
        try:
            value, end = DECODER.raw_decode(text, start.start(1))
        except (ValueError, RecursionError):
            end = start.end()
            continue
        if key in value:
            last = value
    if last is None:
        raise ReplyError(Fault.MALFORMED, f'it contains no JSON object with the key "{key}"')
    return last


def _build_object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**properties},
        "required": [*properties],
        "additionalProperties": False,
    }
