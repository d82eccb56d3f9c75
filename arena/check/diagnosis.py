"""Findings from a match: the bot's verdict in plain words, and problems without a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import evolve, frozen

from arena.check.end_of_input import feed_and_end
from arena.check.match_observer import MatchObserver, ObservedFactory
from arena.check.mistake_explanations import describe_allowed, explain_refusal, explain_verdict
from arena.check.report import Finding
from arena.check.trials import Trial
from arena.host import Result
from arena.rules import End, Fault, Verdict

ENDED_BY_HOST = "the host ended it"
SUCCESS = "exit status 0"
MAX_STDERR_BYTES = 1 << 20  # bytes in a match
MAX_STDERR_LINES = 5  # lines quoted


@frozen
class TrialResult:
    """A trial that was played."""

    trial: Trial
    result: Result
    seen: MatchObserver
    watched: ObservedFactory
    grace: float  # seconds the program had to end; 0 if it is known not to end

    def list_findings(self) -> Iterator[Finding]:
        """Return all findings of a trial."""
        if self.result.outcome.end is End.VOID:
            yield self._report_void()
            return
        if self.seen.verdict:
            yield self._report_verdict(self.seen.verdict)
        else:
            yield from self._report_aftermath()
        if self.watched.log.count > MAX_STDERR_BYTES:
            yield self._report_stderr()

    def _build_finding(self, kind: str, detail: str, advice: str, **more: Any) -> Finding:
        trial = self.trial
        more = {"fault": False, "seat": trial.seat, "again": trial.again, **more}
        return Finding(kind=kind, situation=trial.situation, detail=detail, advice=advice, **more)

    def _report_verdict(self, verdict: Verdict) -> Finding:
        seen = self.seen
        advice = explain_verdict(
            verdict,
            early=seen.early,
            runs=self.watched.is_program,
            buffers=self._is_buffering(verdict),
        )
        crashed = verdict.kind is Fault.CRASHED
        if crashed and self.watched.sandbox:
            advice = explain_refusal(self._stderr_end, self.watched.sandbox.tier) or advice
        silent = verdict.kind in (Fault.TIMEOUT, Fault.CRASHED) and not verdict.line
        return self._build_finding(
            verdict.kind.value,
            verdict.detail,
            advice,
            fault=True,
            about=type(verdict.question).__name__,
            ask=verdict.ask,
            sent=tuple(seen.sent),
            answered=None if silent else verdict.line,
            allowed=describe_allowed(seen.wire, verdict.question),
            stderr=self._stderr_end if crashed else "",
        )

    def _is_buffering(self, verdict: Verdict) -> bool:
        """Whether the program answers once its input ends, when it is sent the same lines again."""
        if verdict.kind is not Fault.TIMEOUT or verdict.line or not self.watched.is_program:
            return False
        ending = feed_and_end(self.watched.factory, self.seen.sent_lines, self.grace)
        answered = len(self.seen.turns) + self.seen.too_late
        return ending is not None and len(ending.output.splitlines()) > answered

    @property
    def _stderr_end(self) -> str:
        errors = self.result.errors[self.trial.seat]
        return "\n".join(errors.strip().splitlines()[-MAX_STDERR_LINES:])

    def _report_void(self) -> Finding:
        detail = self.result.outcome.detail
        return self._build_finding(
            "void", detail, "The match could not be played, which is not the bot's fault."
        )

    def _report_aftermath(self) -> Iterator[Finding]:
        """Yield findings about the end of the program, none of which leads to a verdict."""
        if self.watched.unasked_output.strip():
            yield self._report_unasked()
        for process in self.watched.processes if self.grace else ():
            if process.exit_reason == ENDED_BY_HOST:
                yield evolve(
                    report_lingering(self.trial.situation, self.grace), seat=self.trial.seat
                )
            elif process.exit_reason != SUCCESS:
                yield self._report_exit_status(process.exit_reason)

    def _report_unasked(self) -> Finding:
        said = self.watched.unasked_output.strip()
        return self._build_finding(
            "unasked",
            "it wrote a line that answers no question",
            "After the end of a match this is not a fault. During a match, such a line is taken "
            "as the next answer.",
            answered=said,
        )

    def _report_exit_status(self, exit_reason: str) -> Finding:
        return self._build_finding(
            "status",
            f"the program ended with {exit_reason} after the match",
            "This is not a fault. Does the program read the end of its input as a line?",
            stderr=self._stderr_end,
        )

    def _report_stderr(self) -> Finding:
        size = f"{self.watched.log.count / 1e6:.1f} MB"
        return self._build_finding(
            "stderr",
            f"it wrote {size} to standard error in one match",
            "This is not a fault, but it costs the bot time. The host keeps only the end.",
            stderr=self._stderr_end,
        )


def report_lingering(situation: str, grace: float) -> Finding:
    """Return the finding that a program does not end with its input."""
    return Finding(
        kind="lingers",
        fault=False,
        situation=situation,
        detail=f"the program kept running for more than {grace:g} s after the end of its input",
        advice="The host kills it. This is not a fault, but each match takes longer "
        "than it needs to. End the program when there is nothing more to read.",
    )


def report_leftovers(situation: str, left: int) -> Finding:
    """Return the finding that a program leaves processes behind."""
    return Finding(
        kind="leaves",
        fault=False,
        situation=situation,
        detail=f"{left} process{'es' * (left > 1)} that it started kept running after its end",
        advice="The host kills them. This is not a fault.",
    )
