"""The report of a check: each kind of mistake once, and facts about the bot."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from attrs import asdict, define, evolve, frozen

from arena.rules import Seat

FORMAT_VERSION = 1
VOID = "void"  # the kind of a finding: a match that could not be played


@frozen(kw_only=True)
class Finding:
    """A kind of mistake: its first occurrence, advice, and the number of matches with it.

    `kind` is the kind of a verdict, or one of `unasked`, `lingers`, `status`, `stderr`, `leaves`,
    `ready` and `void`, which have no effect in a match.
    """

    kind: str  #: see above
    fault: bool  #: whether it leads to a verdict in a match
    situation: str  #: the match, or the part of the check
    detail: str  #: the host's description
    advice: str  #: its meaning, and how to fix it
    about: str = ""  #: the kind of question; mistakes at other questions are separate
    seat: Seat | None = None  #: the bot's
    ask: int | None = None  #: the number of the question in the match, from 1
    sent: tuple[str, ...] = ()  #: the lines since the bot's last answer
    answered: str | None = None  #: its answer, as it came
    allowed: str = ""  #: what would have been legal
    stderr: str = ""  #: the last lines
    again: str = ""  #: the command that repeats the match
    times: int = 1  #: the number of matches

    @property
    def key(self) -> tuple[str, str, str]:
        """The kind of the mistake: findings with equal keys are one mistake made several times."""
        if self.kind in ("malformed", "crashed", "flooded", VOID):
            return self.kind, self.about, re.sub(r"\d+", "#", self.detail)
        return self.kind, self.about, ""

    def pack(self) -> dict[str, Any]:
        """Return the finding as JSON."""
        packed = asdict(self)
        del packed["about"]
        return packed


@define
class BotFacts:
    """Facts about a bot, whether it passes or not."""

    protocol: str  #: the lines that it speaks
    seed: str  #: the seed of the check
    matches: int = 0  #: the number of matches that it played
    answers: int = 0  #: the number of its answers in them
    first_answer: float | None = None  #: the longest, in seconds, including the program's start
    slowest_answer: float | None = None  #: the longest of all later answers, in seconds
    alike: bool | None = None  #: whether equal lines get equal answers; None if unknown
    ends_by_itself: bool | None = None  #: at the end of its input; None if not a program
    many_games: bool | None = None  #: whether it plays several in a process; None: not asked for
    leaves: int = 0  #: processes alive after its end
    stderr: int = 0  #: the most bytes in a match
    slow_start: tuple[str, ...] = ()  #: the reasons for a slow start, with remedies

    def time(self, seconds: float, *, first: bool) -> None:
        """Record the time of an answer."""
        self.answers += 1
        if first:
            self.first_answer = max(seconds, self.first_answer or 0.0)
        else:
            self.slowest_answer = max(seconds, self.slowest_answer or 0.0)


@frozen
class CheckStage:
    """A finished part of a check, with its findings."""

    name: str  #: what was tried
    findings: tuple[Finding, ...]  #: the mistakes, perhaps none

    @property
    def state(self) -> str:
        """The state of the stage: `ok`, `warn` (findings without a verdict), or `wrong`."""
        if any(finding.fault for finding in self.findings):
            return "wrong"
        return "warn" if self.findings else "ok"


@frozen
class CheckReport:
    """The result of a check."""

    game: str  #: the name of the game
    bot: str  #: the name of the bot
    parts: tuple[CheckStage, ...]  #: in the order of the check
    facts: BotFacts  #: what it is like, whether it passes or not
    left_out: str = ""  #: the reason why some stages were skipped

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Each kind of mistake once: faults first, then in the order of the check."""
        found = merge_findings(finding for part in self.parts for finding in part.findings)
        return tuple(sorted(found, key=lambda finding: not finding.fault))

    @property
    def void_match(self) -> Finding | None:
        """The finding of a match that could not be played, which is the host's fault, or None."""
        return next((finding for finding in self.findings if finding.kind == VOID), None)

    @property
    def passed(self) -> bool:
        """Whether no finding would lead to a verdict in a match."""
        return not any(finding.fault for finding in self.findings)

    def pack(self) -> dict[str, Any]:
        """Return the report as JSON, as `arena check --json` prints it."""
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
    """Merge findings of the same mistake, and count their matches."""
    kinds: dict[tuple[str, str, str], Finding] = {}
    for finding in findings:
        before = kinds.get(finding.key)
        times = finding.times + (before.times if before else 0)
        kinds[finding.key] = evolve(before or finding, times=times)
    return list(kinds.values())
