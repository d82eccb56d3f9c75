"""Checking a bot before it plays for real: matches, difficult scenarios, the end of its input.

`check(game, entrant)` returns a report of the bot's mistakes, where they happen, and how to fix
them. Faults would lead to a verdict in a match; the other findings are remarks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from attrs import define, evolve, field, frozen

from arena.check.diagnosis import (
    TrialResult,
    advise_on_bot,
    advise_on_machine,
    report_leftovers,
    report_lingering,
)
from arena.check.report import BotFacts, CheckReport, CheckStage, Finding
from arena.check.trials import (
    SITUATION,
    CheckPlan,
    MatchObserver,
    ObservedFactory,
    Trial,
    TrialBatch,
    answers_alike,
    build_codec,
    feed_and_end,
    try_second_match,
)
from arena.host import (
    BotError,
    Entrant,
    HostConfig,
    Limits,
    ShortageError,
    describe_shortage,
    host,
    plays_many,
)
from arena.plugins import Game
from arena.rules import Fault, Seed, Variant, Verdict, generate_seed, read_seed

__all__ = [
    "DEFAULT_LIMITS",
    "BotFacts",
    "CheckReport",
    "CheckStage",
    "Finding",
    "advise_on_machine",
    "check",
    "show_nothing",
]

DEFAULT_LIMITS = Limits(move=5.0)
"""The limits of a check unless others are named: 5 seconds for an answer."""

MAX_TIMEOUTS = 3  # timeouts (or programs that did not end) before the check stops
END_BEFORE_MATCH = "end of input before the match"
END_AFTER_MATCH = "end of input after a match"

ShowStage = Callable[[CheckStage], None]


def show_nothing(part: CheckStage) -> None:
    """Ignore a finished stage."""


def check(
    game: Game,
    entrant: Entrant,
    variant: Variant | None = None,
    *,
    sizes: Collection[int] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    seed: Seed | None = None,
    quick: bool = False,
    show: ShowStage = show_nothing,
) -> CheckReport:
    """Check a bot against bundled bots, in the game's scenarios, and at the end of its input.

    `sizes` are table sizes; the default is small, medium and large ones. `quick` plays one match
    per table, and skips the scenarios. `show` receives each stage when it is finished. The check
    stops early if the bot never answers, or is late several times. Raises BotError for a team.
    """
    if entrant.partners:
        raise BotError(f"{entrant.bot} is a team: check its bots one by one")
    chosen = variant or game.read_variant({})
    first = generate_seed() if seed is None else read_seed(seed)
    watched = ObservedFactory(entrant.factory)
    plan = CheckPlan(game, chosen, evolve(entrant, factory=watched), first, sizes, quick, limits)
    protocol = getattr(entrant.factory, "protocol", None) or game.protocols[0]
    facts = BotFacts(protocol, first, slow_start=tuple(advise_on_bot(entrant.factory)))
    checker = BotChecker(plan, watched, facts, show)
    checker.run()
    return CheckReport(
        game.name, entrant.name, tuple(checker.parts), checker.facts, checker.stop_reason
    )


@frozen
class MatchToRepeat:
    """The first match without a verdict, which is played again to compare the answers."""

    trial: Trial
    seen: MatchObserver


@define
class BotChecker:
    """A check that is running."""

    plan: CheckPlan
    watched: ObservedFactory
    facts: BotFacts
    show: ShowStage
    parts: list[CheckStage] = field(factory=list)
    stop_reason: str = ""
    _first: MatchToRepeat | None = None
    _timeout_count: int = 0
    _linger_count: int = 0

    def run(self) -> None:
        """Run all stages, or stop once the others would reveal nothing new."""
        for batch in self.plan.iter_batches():
            self._finish_stage(batch.name, self._play_batch(batch))
            if self.stop_reason:
                return
        if self.watched.is_program:
            self._check_end_of_input()
        if self._first and plays_many(self.watched.factory):
            self._check_second_match(self._first.trial)
        if not self.plan.quick:
            self._replay_first_match()

    def _finish_stage(self, name: str, findings: Iterator[Finding]) -> None:
        self.parts.append(CheckStage(name, tuple(findings)))
        self.show(self.parts[-1])

    def _play_batch(self, batch: TrialBatch) -> Iterator[Finding]:
        for trial in batch.trials:
            played = self._play(trial)
            for finding in played.list_findings():
                self._linger_count += finding.kind == "lingers"
                yield finding
            self._record_facts(played)
            if self.stop_reason:
                return

    def _play(self, trial: Trial) -> TrialResult:
        entrant = trial.seated[trial.seat]
        wire = build_codec(trial.spec, entrant, trial.seat)
        seen = MatchObserver(trial.spec, trial.seat, wire, self.watched)
        grace = self.plan.limits.grace if self._linger_count < MAX_TIMEOUTS else 0.0
        config = HostConfig(evolve(self.plan.limits, grace=grace))
        result = host(trial.spec, trial.seated, config, [seen])
        if lacking := describe_shortage(result.problem):
            raise ShortageError(f"{lacking}; the check was cut short")
        return TrialResult(trial, result, seen, self.watched, grace)

    def _record_facts(self, played: TrialResult) -> None:
        """Record the times, and set a reason to stop if other stages would reveal nothing new."""
        facts, seen = self.facts, played.seen
        facts.matches += 1
        facts.stderr = max(facts.stderr, self.watched.log.count)
        for number, turn in enumerate(seen.turns):
            facts.time(turn.seconds, first=not number)
        if not seen.verdict:
            self._first = self._first or MatchToRepeat(played.trial, seen)
        else:
            self._timeout_count += seen.verdict.kind is Fault.TIMEOUT
            self.stop_reason = self._find_stop_reason(seen.verdict) or self.stop_reason

    def _find_stop_reason(self, verdict: Verdict) -> str:
        """Return the reason why further matches would show the same again, or ""."""
        if not self.facts.answers and verdict.kind in (Fault.TIMEOUT, Fault.CRASHED):
            return "it did not give a single answer"
        if self._timeout_count == MAX_TIMEOUTS:
            return f"it was late in {MAX_TIMEOUTS} matches"
        return ""

    def _check_end_of_input(self) -> None:
        """Check whether the program ends with its input, before a match and after one."""
        self.facts.ends_by_itself = True
        self._finish_stage(END_BEFORE_MATCH, self._feed_and_end(END_BEFORE_MATCH, ()))
        if self._first:
            self._finish_stage(
                END_AFTER_MATCH, self._feed_and_end(END_AFTER_MATCH, self._first.seen.sent_lines)
            )

    def _check_second_match(self, trial: Trial) -> None:
        """Check whether the program plays a second match in the same process."""
        found = try_second_match(trial, self.watched.factory, self.plan.limits)
        self.facts.many_games = found is None
        self._finish_stage(SITUATION, iter([found] if found else []))

    def _feed_and_end(self, name: str, lines: tuple[str, ...]) -> Iterator[Finding]:
        ending = feed_and_end(self.watched.factory, lines, self.plan.limits.grace)
        if ending and not ending.by_itself:
            self.facts.ends_by_itself = False
            yield report_lingering(name, self.plan.limits.grace)
        if ending and ending.leftover_count:
            self.facts.leaves = max(self.facts.leaves, ending.leftover_count)
            yield report_leftovers(name, ending.leftover_count)

    def _replay_first_match(self) -> None:
        """Play the first match again, to find out whether the bot gives the same answers."""
        if self._first:
            self.facts.alike = answers_alike(self._first.seen, self._play(self._first.trial).seen)
