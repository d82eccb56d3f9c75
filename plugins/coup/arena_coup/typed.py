"""What people are asked, and what they can type: `steal Bob`, or as little as is clear."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arena import Malformed, Question
from arena_coup.characters import CHARACTERS, Cards
from arena_coup.messages import ALLOW, Act, Block, Challenge, Keep, Lose, Show
from arena_coup.words import Words


def prompt(question: Question[Any], words: Words) -> tuple[str, str]:
    """Put a question, and list what can be typed."""
    return asked(question, words), f"  ({allowed(question, words)})"


def asked(question: Question[Any], words: Words) -> str:
    """Put a question."""
    match question:
        case Act():
            return "What do you do?"
        case Challenge(_, claimant, character):
            return f"Do you challenge {words.whose(claimant)} {character}?"
        case Block(_, seat, action):
            return f"Do you block {words.whose(seat)} {words.noun(action)}?"
        case Show(_, character):
            return f"Which card do you turn up? It is lost, but for the {character}."
        case Lose():
            return "Which influence do you lose?"
        case Keep(options):
            return f"Which do you keep? ({options.least})"
    raise TypeError(f"nobody is asked a {type(question).__name__}")


def allowed(question: Question[Any], words: Words) -> str:
    """List what can be typed."""
    options: Any = question.options
    if isinstance(question, Keep):
        return " ".join(options.cards)
    names = [typed(option, words) for option in options]
    return " | ".join("Enter to allow" if name == ALLOW else name for name in names)


def typed(answer: str | Cards, words: Words) -> str:
    """Write an answer as it is typed, with the target's name for its seat."""
    if isinstance(answer, tuple):
        return " ".join(answer)
    name, _, target = answer.partition(":")
    return f"{name} {words.name(int(target))}" if target else name


def read_typed(question: Question[Any], line: str, words: Words) -> object:
    """Return the answer that is typed, or raise Malformed in words for people."""
    options: Any = question.options
    if isinstance(question, Keep):
        cards = line.replace(",", " ").split()
        return tuple(the_one(card, CHARACTERS, CHARACTERS) for card in cards)
    if not line.strip() and ALLOW in options:
        return ALLOW
    return the_one(" ".join(line.split()), options, [typed(option, words) for option in options])


def the_one(line: str, options: Sequence[str], names: Iterable[str]) -> str:
    """Return the option whose name is typed, or whose name alone begins so."""
    start = line.casefold()
    folded = [name.casefold() for name in names]
    found = [options[at] for at, name in enumerate(folded) if name == start] or [
        options[at] for at, name in enumerate(folded) if start and name.startswith(start)
    ]
    if len(found) != 1:
        raise Malformed(f"{line!r} is not clear" if found else f"{line!r} cannot be chosen here")
    return found[0]
