"""What a match shows of a bot: its verdict in plain words, and what no verdict is for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import evolve, frozen

from arena.check.ends import feed
from arena.check.report import Finding
from arena.check.seen import Seen, Watched
from arena.check.trials import Trial
from arena.check.words import allowed, explain_refusal, meaning
from arena.host import Result
from arena.rules import End, Fault, Verdict

HOST_ENDED = "the host ended it"
WELL = "exit status 0"
CHATTY = 1 << 20  # bytes of stderr in a match
LAST_LINES = 5  # of stderr


@frozen
class TrialResult:
    """A trial that was played."""

    trial: Trial
    result: Result
    seen: Seen
    watched: Watched
    grace: float  # that its program had to end; 0: it is known not to

    def findings(self) -> Iterator[Finding]:
        """Return all that was wrong."""
        if self.result.outcome.end is End.VOID:
            yield self._void()
            return
        if self.seen.verdict:
            yield self._verdict(self.seen.verdict)
        else:
            yield from self._afterwards()
        if self.watched.log.bytes > CHATTY:
            yield self._stderr()

    def _finding(self, kind: str, detail: str, advice: str, **more: Any) -> Finding:
        trial = self.trial
        more = {"fault": False, "seat": trial.seat, "again": trial.again, **more}
        return Finding(kind=kind, situation=trial.situation, detail=detail, advice=advice, **more)

    def _verdict(self, verdict: Verdict) -> Finding:
        seen = self.seen
        advice = meaning(
            verdict, early=seen.early, runs=self.watched.runs, buffers=self._buffers(verdict)
        )
        crashed = verdict.kind is Fault.CRASHED
        if crashed and self.watched.sandbox:
            advice = explain_refusal(self._stderr_end, self.watched.sandbox.tier) or advice
        silent = verdict.kind in (Fault.TIMEOUT, Fault.CRASHED) and not verdict.line
        return self._finding(
            verdict.kind.value,
            verdict.detail,
            advice,
            fault=True,
            about=type(verdict.question).__name__,
            ask=verdict.ask,
            sent=tuple(seen.sent),
            answered=None if silent else verdict.line,
            allowed=allowed(seen.wire, verdict.question),
            stderr=self._stderr_end if crashed else "",
        )

    def _buffers(self, verdict: Verdict) -> bool:
        """Send all lines once more: does the missing answer come when the input ends?"""
        if verdict.kind is not Fault.TIMEOUT or verdict.line or not self.watched.runs:
            return False
        ending = feed(self.watched.factory, self.seen.lines, self.grace)
        answered = len(self.seen.turns) + self.seen.too_late
        return ending is not None and len(ending.said.splitlines()) > answered

    @property
    def _stderr_end(self) -> str:
        errors = self.result.errors[self.trial.seat]
        return "\n".join(errors.strip().splitlines()[-LAST_LINES:])

    def _void(self) -> Finding:
        detail = self.result.outcome.detail
        return self._finding(
            "void", detail, "The match could not be played, which is not its fault."
        )

    def _afterwards(self) -> Iterator[Finding]:
        """Return what it did when the match was over, which is not held against it."""
        if self.watched.unasked.strip():
            yield self._unasked()
        for process in self.watched.processes if self.grace else ():
            if process.exit_reason == HOST_ENDED:
                yield evolve(lingers(self.trial.situation, self.grace), seat=self.trial.seat)
            elif process.exit_reason != WELL:
                yield self._status(process.exit_reason)

    def _unasked(self) -> Finding:
        said = self.watched.unasked.strip()
        return self._finding(
            "unasked",
            "it said something that nobody had asked for",
            "No match holds it against the bot when it is over. Before that, such a line is taken "
            "for the next answer.",
            answered=said,
        )

    def _status(self, exit_reason: str) -> Finding:
        return self._finding(
            "status",
            f"its program ended with {exit_reason} after the match",
            "It is not held against the bot. Does it read the end of its input as a line?",
            stderr=self._stderr_end,
        )

    def _stderr(self) -> Finding:
        size = f"{self.watched.log.bytes / 1e6:.1f} MB"
        return self._finding(
            "stderr",
            f"it wrote {size} to standard error in one match",
            "It is not held against the bot, but takes its own time. The host keeps the end of it.",
            stderr=self._stderr_end,
        )


def lingers(situation: str, grace: float) -> Finding:
    """Say that a program does not end when its input does."""
    return Finding(
        kind="lingers",
        fault=False,
        situation=situation,
        detail=f"its program went on for more than {grace:g} s after its input had ended",
        advice="The host ends it. Nothing is held against the bot, but each match takes longer "
        "than it needs. Does it end when there is nothing more to read?",
    )


def leaves(situation: str, left: int) -> Finding:
    """Say that a program leaves others behind."""
    return Finding(
        kind="leaves",
        fault=False,
        situation=situation,
        detail=f"{left} process{'es' * (left > 1)} that it had started went on when it had ended",
        advice="The host ends them. It is not held against the bot.",
    )
