"""The words of prompts: what holds for a match, how a question is put, what was wrong with a reply.

Players are called by their numbers. Whoever changes a text here changes what models do, so the
version goes up with it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from arena import Between, Game, Greeting, SomeOf
from arena.rules import find_sides, join_words
from arena.wires import describe_sizes
from arena_llm.answers import Choices, Fault
from arena_llm.settings import AnswerForm, Guidance, TextForm

VERSION = 1

SYSTEM = """\
You play {title} against other players, to win. You are {name}; {seats} play.{partners}

The rules:
{rules}
{variant}
You read all that your seat was told, in order, and then a question. Lines with "> " end with an
answer that you have given. {lines}Reply with one JSON object and nothing else."""

JSON_LINES = (
    "The lines are JSON; a seat is the number of a player, less one: you have seat {seat}. "
)
"""What a model is told of lines of JSON."""

SHAPES = {
    AnswerForm.ONE: 'Reply with {"reasoning": "<why, in short>", "answer": <your answer>}.',
    AnswerForm.MIX: (
        'Reply with {"reasoning": "<why, in short>", "mix": {"<an answer>": <its probability>,'
        " ...}}. The answer is drawn by your probabilities, which sum to 1; one that you leave out"
        " is never drawn."
    ),
}
"""How a reply looks, by what is asked for."""

CORRECTIONS = {
    Fault.MALFORMED: "Your last reply cannot be read: {reason}. Reply with the JSON object alone.",
    Fault.ILLEGAL: "Your last answer is not legal: {reason}. Answer the same question again.",
    Fault.TRUNCATED: (
        "Your last reply was cut off before its end: it was too long. Think less, and reply with"
        " the JSON object."
    ),
    Fault.EMPTY: "Your last reply was empty. Reply with the JSON object.",
    Fault.REFUSED: (
        "You declined to answer. This is a card game between programs, in which a bluff is a legal"
        " move. Answer the question."
    ),
}
"""What a model reads after a reply that gave no legal answer."""


def build_names(seats: int) -> list[str]:
    """Return what the players are called."""
    return [f"Player {seat + 1}" for seat in range(seats)]


def build_system_prompt(game: Game, greeting: Greeting, text: TextForm = TextForm.PROSE) -> str:
    """Return what holds for a whole match."""
    names = build_names(greeting.seats)
    options = game.write_variant(greeting.variant)
    (team,) = (
        side for side in find_sides(greeting.variant, greeting.seats) if greeting.seat in side
    )
    partners = join_words(names[seat] for seat in team if seat != greeting.seat)
    return SYSTEM.format(
        title=game.title,
        name=names[greeting.seat],
        seats=greeting.seats,
        partners=f" You win or lose together with {partners}." if partners else "",
        rules=game.presentation.rules or game.summary,
        lines=JSON_LINES.format(seat=greeting.seat) if text is TextForm.JSON else "",
        variant=f"\nOptions of this match: {write_json(options)}\n" if options else "",
    )


def build_question(
    history: Sequence[str], question: Sequence[str], choices: Choices, guidance: Guidance
) -> str:
    """Return what a seat was told and is asked."""
    allowed = [] if guidance is Guidance.FREE else [describe_allowed(choices.allowed)]
    return "\n".join([*history, "", *question, *allowed, SHAPES[choices.form]]).strip("\n")


def describe_allowed(allowed: Any) -> str:
    """Return a line on what may be answered."""
    match allowed:
        case SomeOf(cards):
            number = describe_sizes(allowed)
            return f"You may answer a list of {number} of these, each once: {write_json([*cards])}"
        case Between():
            return f"You may answer {allowed}."
    return f"You may answer one of these: {write_json([*allowed])}"


def write_json(value: Any) -> str:
    """Return JSON for a reader, who knows more letters than a line of the wire may have."""
    return json.dumps(value, ensure_ascii=False)


def hash_prompt(*texts: str) -> str:
    """Return what tells a prompt from others."""
    return sha256("\0".join(texts).encode()).hexdigest()[:16]
