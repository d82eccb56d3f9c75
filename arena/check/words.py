"""What a mistake means, and what to do about it, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from arena.rules import Fault, OneOf, Question, Verdict, spoken_list
from arena.wires import Codec
from arena.wires import allowed as in_general

MANY = 60  # answers that are listed one by one
EARLY = (
    "This line was there before the question: it had answered twice, or what was no question. "
    "From then on every answer is one too early."
)
MEANINGS = {
    Fault.ILLEGAL: "The line is an answer, but the rules do not allow this one here. "
    "Does it keep up to date what it holds?",
    Fault.MALFORMED: "The line is no answer in this protocol. Does it print anything but answers "
    "to standard output, or answer twice? Standard error is the place for all else.",
    Fault.FLOODED: "It says much more than it is asked for. Is there a loop that prints?",
}
REFUSALS = (
    "operation not permitted", "permission denied", "function not implemented",
    "read-only file system", "bad system call", "sigsys",
)  # fmt: skip
"""What programs say, in small letters, of a system call that a sandbox refuses."""


def explain_refusal(errors: str, tier: str) -> str:
    """Say that a program broke off for what its sandbox refused, if it looks like that."""
    if not tier or not any(refusal in errors.lower() for refusal in REFUSALS):
        return ""
    return (
        f"The sandbox ({tier}) seems to have refused it something. Does it run with --sandbox "
        "trusted? The page on strangers' programs says what differs in a sandbox."
    )


def meaning(verdict: Verdict, *, early: bool, runs: bool, buffers: bool) -> str:
    """Say what a verdict means."""
    match verdict.kind:
        case Fault.TIMEOUT:
            return _late(verdict, buffers=buffers) if runs else "It thinks for too long."
        case Fault.CRASHED:
            return _gone(verdict) if runs else "The bot raised an exception."
        case Fault.FLOODED:
            return MEANINGS[verdict.kind]
    return EARLY if early else MEANINGS[verdict.kind]


def _gone(verdict: Verdict) -> str:
    if verdict.detail.startswith("did not start"):
        return "The program cannot be run. Is its command right, and all that it needs there?"
    if "exit status 0" in verdict.detail:
        return "The program ended although it was still asked. Does it miss a turn, or a line?"
    return "The program broke off. What it wrote to standard error last should say why."


def _late(verdict: Verdict, *, buffers: bool) -> str:
    """Say why an answer may not have come: it waits in a buffer, or is not whole, or not there."""
    time = f"It had {verdict.limit:g} seconds{', its start included' * (verdict.ask == 1)}. "
    if verdict.line:
        return time + "What came is not a whole line: there is no newline behind it."
    if buffers:
        return time + (
            "Its answer came when its input had ended: it was waiting in a buffer. "
            "Does it flush its output after each line?"
        )
    return time + (
        "It said nothing. Does it flush its output after each line, wait for a line that does not "
        "come, or think for too long?"
    )


def allowed(wire: Codec, question: Question[Any]) -> str:
    """Say what could have been answered, in lines of the wire."""
    options = question.options
    if isinstance(options, OneOf):
        return alternatives([wire.say(question, option) for option in options])
    default = question.default
    example = options.draw(Random(0)) if default is None else default
    return f"{in_general(options)}; such as {wire.say(question, example)}"


def alternatives(lines: Sequence[str]) -> str:
    """Join what may be said.

    >>> alternatives(["1", "3", "7"]), alternatives(["Pass"])
    ('1, 3 or 7', 'Pass')
    """
    most, last = list(lines[:-1]), lines[-1]
    if len(most) > MANY:
        most = [*most[:MANY], "..."]
    return spoken_list([*most, last], "or")
