"""A question as the form of a page: its title, and the legal answers with their labels."""

from __future__ import annotations

from collections.abc import Sequence
from time import time
from typing import Any

from arena import Between, Narrator, OneOf, OneSeat, Question, SomeOf, Text, Zone
from arena.cards import FRENCH, spell_card
from arena.plugins import name_question
from arena.wires import find_title, to_printable
from arena_web.protocol.messages import (
    AnswerOptions,
    Choice,
    ChoiceOptions,
    LineOptions,
    NumberOptions,
    QuestionForm,
    SelectionOptions,
    TextOptions,
)


def build_question_form(
    narrator: Narrator,
    question: Question[Any],
    *,
    number: int,
    title: str,
    guide: str,
    allowed: float | None,
    hand: Zone | None,
) -> QuestionForm:
    """Return the form of a question that is asked now.

    Args:
        narrator: that of the seat.
        question: what is asked.
        number: of the question at the seat.
        title: above the answers.
        guide: the tip for a beginner; empty for none.
        allowed: seconds for an answer; None: all the time.
        hand: that of the seat, if its cards lie before it.
    """
    standing, closed = (
        narrator.list_standing_answers(question),
        narrator.list_closed_answers(question),
    )
    return QuestionForm(
        n=number,
        title=title,
        options=build_options(narrator, question, hand),
        standing_answers=[label for label, answer in standing.items() if answer is not None],
        closed_answers={capitalize(label): to_printable(why) for label, why in closed.items()},
        default=question.default,
        guide=guide,
        allowed=allowed,
        at=time(),
    )


def build_options(
    narrator: Narrator, question: Question[Any], hand: Zone | None = None
) -> AnswerOptions:
    """Return the legal answers as a page shows them."""
    match question.options:
        case OneOf() as options:
            return ChoiceOptions(_list_choices(narrator, question, options, hand))
        case SomeOf(cards) as options:
            sizes = options.sizes
            choices = _list_choices(narrator, question, cards, hand)
            submits = [narrator.submit(question, size) for size in sizes]
            return SelectionOptions(choices, sizes[0], sizes[-1], submits)
        case Between(low, high, step) as numbers:
            return NumberOptions(low, high, step, str(numbers))
        case Text(pattern):
            return TextOptions(pattern, f"a text that matches {pattern}")
    return LineOptions()


def _list_choices(
    narrator: Narrator, question: Question[Any], options: Sequence[Any], hand: Zone | None
) -> list[Choice]:
    held = _list_held(options, hand)
    return [_build_choice(narrator, question, option, is_held=option in held) for option in options]


def _build_choice(
    narrator: Narrator, question: Question[Any], option: Any, *, is_held: bool
) -> Choice:
    """Return a choice; a label that is no name of a player begins with a capital."""
    label = narrator.spell(question, option)[0]
    if not isinstance(question.options, OneSeat):
        label = capitalize(label)
    about = to_printable(narrator.explain(question, option))
    seat = narrator.find_target(question, option)
    target = "" if seat is None else narrator.phrases.names[seat]
    return Choice(
        option,
        label,
        about,
        is_held=is_held and not about,  # an explanation stands below the hand
        is_card=option in FRENCH and label in (option, spell_card(option)[0]),
        target=target,
        action=label.removesuffix(target).strip() if target else "",
    )


def _list_held(options: Sequence[Any], hand: Zone | None) -> list[Any]:
    """Return the options that are cards of a hand.

    Numbers are cards only where all numbers are in the hand: one may be something else.
    """
    if hand is None:
        return []
    cards = {str(card) for place, card in enumerate(hand.cards) if place not in hand.lost}
    held = [option for option in options if str(option) in cards]
    are_cards = all(isinstance(option, str) or option in held for option in options)
    return [option for option in held if are_cards or isinstance(option, str)]


def capitalize(label: str) -> str:
    """Return a label with its first letter as a capital, and all others as they are."""
    return label[:1].upper() + label[1:]


def split_title(question: Question[Any], words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the title of a question, from its class name if no line is one, and the other lines.

    >>> split_title(Question(OneOf((1, 2))), ["Your hand: 1 2"])
    ('Your turn: question', ('Your hand: 1 2',))
    """
    at = find_title(words)
    if at is None:
        return f"Your turn: {name_question(type(question).__name__)}", tuple(words)
    return words[at].strip(), (*words[:at], *words[at + 1 :])
