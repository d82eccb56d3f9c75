"""Questions for people, and the answers they type: `steal Bob`, or any unambiguous beginning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arena import MalformedLineError, Phrases, Question
from arena_coup.characters import CHARACTERS, Cards
from arena_coup.messages import (
    ALLOW,
    Block,
    Challenge,
    ChooseAction,
    KeepCards,
    LoseInfluence,
    ShowCard,
)
from arena_coup.phrases import name_action


def build_prompt(question: Question[Any], words: Phrases) -> tuple[str, str]:
    """Return the text of a question, with the answers that can be typed."""
    return describe_question(question, words), f"  ({describe_options(question, words)})"


def describe_question(question: Question[Any], words: Phrases) -> str:
    """Return the text of a question."""
    match question:
        case ChooseAction():
            return "What do you do?"
        case Challenge(_, claimant, character):
            return f"Do you challenge {words.possessive(claimant)} {character}?"
        case Block(_, seat, action):
            return f"Do you block {words.possessive(seat)} {name_action(action)}?"
        case ShowCard(_, character):
            return f"Which card do you turn up? It is lost, but for the {character}."
        case LoseInfluence():
            return "Which influence do you lose?"
        case KeepCards(options):
            return f"Which do you keep? ({options.least})"
    raise TypeError(f"unknown question {type(question).__name__}")


def describe_options(question: Question[Any], words: Phrases) -> str:
    """List the answers that can be typed."""
    options: Any = question.options
    if isinstance(question, KeepCards):
        return " ".join(options.cards)
    names = [format_answer(option, words) for option in options]
    return " | ".join("Enter to allow" if name == ALLOW else name for name in names)


def format_answer(answer: str | Cards, words: Phrases) -> str:
    """Return an answer as text to type, with the target's name in place of its seat."""
    if isinstance(answer, tuple):
        return " ".join(answer)
    name, _, target = answer.partition(":")
    return f"{name} {words.name(int(target))}" if target else name


def parse_answer(question: Question[Any], line: str, words: Phrases) -> object:
    """Return the typed answer; raise MalformedLineError with a message for people."""
    options: Any = question.options
    if isinstance(question, KeepCards):
        cards = line.replace(",", " ").split()
        return tuple(match_option(card, CHARACTERS, CHARACTERS) for card in cards)
    if not line.strip() and ALLOW in options:
        return ALLOW
    return match_option(
        " ".join(line.split()), options, [format_answer(option, words) for option in options]
    )


def match_option(line: str, options: Sequence[str], names: Iterable[str]) -> str:
    """Return the option with this name, or the only one whose name begins with it."""
    start = line.casefold()
    folded = [name.casefold() for name in names]
    found = [options[at] for at, name in enumerate(folded) if name == start] or [
        options[at] for at, name in enumerate(folded) if start and name.startswith(start)
    ]
    if len(found) != 1:
        raise MalformedLineError(
            f"{line!r} is ambiguous" if found else f"{line!r} cannot be chosen here"
        )
    return found[0]
