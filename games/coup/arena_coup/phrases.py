"""Sentences about a turn, which the text views and the narrator share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena import Phrases, Seat, begin_sentence
from arena_coup.characters import parse_action
from arena_coup.messages import Acted, Blocked, Challenged, Lost, Out, Proved, Settled, Won

NOUNS = {
    "foreign-aid": "foreign aid",
    "assassinate": "assassination",
}
ACTION_TEXTS = {
    "income": "{take} 1 coin.",
    "foreign-aid": "{ask} for foreign aid, 2 coins.",
    "tax": "{claim} the Duke: tax, 3 coins.",
    "exchange": "{claim} the Ambassador: exchange with the court.",
    "steal": "{claim} the Captain: steal from {whom}.",
    "assassinate": "{pay} 3 coins and {claim} the Assassin: assassinate {whom}.",
    "coup": "{pay} 7 coins: coup against {whom}.",
}
VERBS = ("take", "ask", "claim", "pay")


def name_action(action: str) -> str:
    """Return the noun for an action."""
    name = parse_action(action)[0].name
    return NOUNS.get(name, name)


def describe_action(phrases: Phrases, seat: Seat, action: str) -> str:
    """Describe the action that a seat takes."""
    kind, target = parse_action(action)
    whom = "" if target is None else phrases.name(target)
    verbs = {verb: phrases.verb(verb, seat) for verb in VERBS}
    return f"{phrases.name(seat)} {ACTION_TEXTS[kind.name].format(whom=whom, **verbs)}"


def describe_event(phrases: Phrases, event: Any) -> Iterator[str]:
    """Describe a public event of a turn."""
    return map(begin_sentence, _describe_event(phrases, event))


def _describe_event(phrases: Phrases, event: Any) -> Iterator[str]:
    match event:
        case Acted(seat, action):
            yield describe_action(phrases, seat, action)
        case Blocked(seat, character):
            yield f"{phrases.clause('claim', seat)} the {character}, to block."
        case Challenged(seat, claimant, character):
            claim = f"{phrases.possessive(claimant)} {character}"
            yield f"{phrases.clause('challenge', seat)} {claim}."
        case Proved(seat, character):
            draws = phrases.verb("draw", seat)
            yield f"{phrases.clause('show', seat)} the {character}, and {draws} another."
        case Lost(seat, character):
            lost = f"{phrases.clause('lose', seat)} an influence: {character}."
            yield phrases.mark_bad(lost, seat)
        case Out(seat):
            yield f"{phrases.clause('be', seat)} out."
        case Settled(_, action, False):
            yield f"The {name_action(action)} fails."
        case Won(seat):
            yield phrases.mark_good(f"{phrases.clause('win', seat)}!", seat)
