"""What a check finds: kinds of mistakes, each once, and facts about the bot."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from attrs import asdict, define, evolve, frozen

from arena.rules import Seat

FORMAT_VERSION = 1


@frozen(kw_only=True)
class Finding:
    """A kind of mistake: where it was made first, what to do about it, and how often it was.

    `kind` is a verdict's, or one of `unasked`, `lingers`, `status`, `stderr`, `leaves` and
    `void`, which no match holds against a player.
    """

    kind: str
    fault: bool  # would a match hold it against the bot?
    situation: str
    detail: str  # what was wrong, in the host's words
    advice: str  # what it means, and what to do about it
    about: str = ""  # which question it was; mistakes at others are others
    seat: Seat | None = None
    ask: int | None = None  # the number of the ask in the match, from 1
    sent: tuple[str, ...] = ()  # the lines since its last answer
    answered: str | None = None
    allowed: str = ""
    stderr: str = ""  # the end of it
    again: str = ""  # the command that plays the match again
    times: int = 1  # matches

    @property
    def key(self) -> tuple[str, str, str]:
        """The kind of the mistake: findings with equal keys are one mistake made several times."""
        if self.kind in ("malformed", "crashed", "flooded", "void"):
            return self.kind, self.about, re.sub(r"\d+", "#", self.detail)
        return self.kind, self.about, ""

    def pack(self) -> dict[str, Any]:
        """Return it as JSON."""
        packed = asdict(self)
        del packed["about"]
        return packed


@define
class BotFacts:
    """What is good to know of a bot, whether it passes or not."""

    protocol: str
    seed: str  # of the check
    matches: int = 0
    answers: int = 0
    first_answer: float | None = None  # seconds at most, with the start of the program
    slowest_answer: float | None = None  # of all others
    alike: bool | None = None  # does it answer the same lines alike? None: nobody knows
    ends_by_itself: bool | None = None  # when its input ends; None: it is no program
    leaves: int = 0  # processes alive when it had ended
    stderr: int = 0  # bytes in a match, at most

    def time(self, seconds: float, *, first: bool) -> None:
        """Take note of how long an answer took."""
        self.answers += 1
        if first:
            self.first_answer = max(seconds, self.first_answer or 0.0)
        else:
            self.slowest_answer = max(seconds, self.slowest_answer or 0.0)


@frozen
class CheckStage:
    """A part of a check that is done: what was tried, and what it found there."""

    name: str
    findings: tuple[Finding, ...]

    @property
    def state(self) -> str:
        """`ok`, `warn` for findings that lead to no verdict, or `wrong`."""
        if any(finding.fault for finding in self.findings):
            return "wrong"
        return "warn" if self.findings else "ok"


@frozen
class CheckReport:
    """A check that is done."""

    game: str
    bot: str
    parts: tuple[CheckStage, ...]
    facts: BotFacts
    left_out: str = ""  # why not everything was tried

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return each kind of mistake once: faults first, then in the order of the check."""
        found = merge_findings(finding for part in self.parts for finding in part.findings)
        return tuple(sorted(found, key=lambda finding: not finding.fault))

    @property
    def passed(self) -> bool:
        """Whether no finding would lead to a verdict in a match."""
        return not any(finding.fault for finding in self.findings)

    def pack(self) -> dict[str, Any]:
        """Return it as JSON, as `arena check --json` prints it."""
        return {
            "format": FORMAT_VERSION,
            "game": self.game,
            "bot": self.bot,
            "passed": self.passed,
            "left_out": self.left_out,
            "parts": [{"name": part.name, "state": part.state} for part in self.parts],
            "findings": [finding.pack() for finding in self.findings],
            "facts": asdict(self.facts),
        }


def merge_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Return each kind of mistake once, with how often it was made."""
    kinds: dict[tuple[str, str, str], Finding] = {}
    for finding in findings:
        before = kinds.get(finding.key)
        times = finding.times + (before.times if before else 0)
        kinds[finding.key] = evolve(before or finding, times=times)
    return list(kinds.values())
