"""Explanations of mistakes, with advice for the author of the bot."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from arena.rules import Fault, OneOf, Question, Verdict, join_words
from arena.wires import Codec
from arena.wires import describe_options as in_general

MAX_LISTED_ANSWERS = 60  # longer lists of answers are shortened
EARLY_ANSWER = (
    "This line was there before the question: the bot answered twice, or answered no question. "
    "From then on, every answer comes one question too early."
)
MEANINGS = {
    Fault.ILLEGAL: "The line is an answer, but the rules do not allow it here. "
    "Does the bot keep track of its cards?",
    Fault.MALFORMED: "The line is not an answer in this protocol. Does the bot print anything else "
    "to standard output, or answer twice? Write everything else to standard error.",
    Fault.FLOODED: "The bot writes far more than it is asked for. Is there a loop that prints?",
}
REFUSALS = (
    "operation not permitted", "permission denied", "function not implemented",
    "read-only file system", "bad system call", "sigsys",
)  # fmt: skip
"""Lower-case error messages of programs for system calls that a sandbox refuses."""


def explain_refusal(errors: str, tier: str) -> str:
    """Return an explanation if a program seems to have failed on a call its sandbox refused."""
    if not tier or not any(refusal in errors.lower() for refusal in REFUSALS):
        return ""
    return (
        f"The sandbox ({tier}) seems to have blocked something. Does the bot run with --sandbox "
        "trusted? The page on sandboxes lists what differs in a sandbox."
    )


def explain_verdict(verdict: Verdict, *, early: bool, runs: bool, buffers: bool) -> str:
    """Return an explanation of a verdict, with advice for the author."""
    match verdict.kind:
        case Fault.TIMEOUT:
            return (
                _explain_timeout(verdict, buffers=buffers)
                if runs
                else "The bot thinks for too long."
            )
        case Fault.CRASHED:
            return _explain_crash(verdict) if runs else "The bot raised an exception."
        case Fault.FLOODED:
            return MEANINGS[verdict.kind]
    return EARLY_ANSWER if early else MEANINGS[verdict.kind]


def _explain_crash(verdict: Verdict) -> str:
    if verdict.detail.startswith("did not start"):
        return "The program cannot be started. Is its command right, and is everything installed?"
    if "exit status 0" in verdict.detail:
        return "The program ended before the match did. Does it miss a turn or a line?"
    return "The program crashed. The end of its standard error should say why."


def _explain_timeout(verdict: Verdict, *, buffers: bool) -> str:
    """Return the likely reason for a timeout: a buffered answer, half a line, or no answer."""
    time = f"It had {verdict.limit:g} seconds{', including its start' * (verdict.ask == 1)}. "
    if verdict.line:
        return time + "Its output is not a whole line: the newline at the end is missing."
    if buffers:
        return time + (
            "Its answer came only after the end of its input: it was waiting in a buffer. "
            "Does it flush its output after each line?"
        )
    return time + (
        "It wrote nothing. Does it flush its output after each line, wait for a line that does not "
        "come, or think for too long?"
    )


def describe_allowed(wire: Codec, question: Question[Any]) -> str:
    """Return the answers that a question allows, as lines of the wire."""
    options = question.options
    if isinstance(options, OneOf):
        return join_alternatives([wire.say(question, option) for option in options])
    default = question.default
    example = options.draw(Random(0)) if default is None else default
    return f"{in_general(options)}; such as {wire.say(question, example)}"


def join_alternatives(lines: Sequence[str]) -> str:
    """Join the allowed answers with commas and "or".

    >>> join_alternatives(["1", "3", "7"]), join_alternatives(["Pass"])
    ('1, 3 or 7', 'Pass')
    """
    most, last = list(lines[:-1]), lines[-1]
    if len(most) > MAX_LISTED_ANSWERS:
        most = [*most[:MAX_LISTED_ANSWERS], "..."]
    return join_words([*most, last], "or")
