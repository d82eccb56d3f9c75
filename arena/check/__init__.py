"""Checking a bot before it plays for something: matches, hard situations, the end of its input.

`check(game, entrant)` gives a report: what the bot does wrong, where, and what to do about
it. Faults are what a match would hold against it; the rest is good to know.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from attrs import define, evolve, field, frozen

from arena.check.ends import feed
from arena.check.judge import TrialResult, leaves, lingers
from arena.check.report import Facts, Finding, Part, Report
from arena.check.seen import Seen, Watched, alike, wire_of
from arena.check.trials import Batch, Plan, Trial
from arena.host import Entrant, HostConfig, Limits, Shortage, host, short_of
from arena.plugins import Game
from arena.rules import Fault, Variant, fresh

__all__ = ["USUAL", "Facts", "Finding", "Part", "Report", "check"]

USUAL = Limits(move=5.0)
MOST_TIMEOUTS = 3  # timeouts, after which the rest is left out; or programs that did not end
AT_ONCE = "its input ends before anything was sent"
AFTERWARDS = "its input ends after a whole match was sent"

Show = Callable[[Part], None]


def nobody(part: Part) -> None:
    """Show it to nobody."""


def check(
    game: Game,
    entrant: Entrant,
    variant: Variant | None = None,
    *,
    sizes: Collection[int] | None = None,
    limits: Limits = USUAL,
    seed: str | None = None,
    quick: bool = False,
    show: Show = nobody,
) -> Report:
    """Try a bot against bundled bots, in the game's situations, and at the end of its input.

    `sizes` are those of the tables; without them it is tried at small, middle and large
    ones. `quick` plays one match a table, and no situations. `show` gets each part as it is
    done. A bot that never answers, or is late again and again, is not tried any further.
    """
    chosen, seed = variant or game.read_variant({}), fresh() if seed is None else seed
    watched = Watched(entrant.factory)
    plan = Plan(game, chosen, evolve(entrant, factory=watched), seed, sizes, quick)
    protocol = getattr(entrant.factory, "protocol", None) or game.protocols[0]
    checker = Checker(plan, watched, limits, Facts(protocol, seed), show)
    checker.run()
    return Report(game.name, entrant.name, tuple(checker.parts), checker.facts, checker.left_out)


@frozen
class First:
    """The first match that went well: played once more, does it come out alike?"""

    trial: Trial
    seen: Seen


@define
class Checker:
    """A check on its way."""

    plan: Plan
    watched: Watched
    limits: Limits
    facts: Facts
    show: Show
    parts: list[Part] = field(factory=list)
    left_out: str = ""
    _first: First | None = None
    _timeouts: int = 0
    _lingered: int = 0

    def run(self) -> None:
        """Try everything, up to the point where there is nothing more to learn."""
        for batch in self.plan.batches():
            self._done(batch.name, self._try(batch))
            if self.left_out:
                return
        if self.watched.runs:
            self._ends()
        if not self.plan.quick:
            self._again()

    def _done(self, name: str, findings: Iterator[Finding]) -> None:
        self.parts.append(Part(name, tuple(findings)))
        self.show(self.parts[-1])

    def _try(self, batch: Batch) -> Iterator[Finding]:
        for trial in batch.trials:
            played = self._play(trial)
            for finding in played.findings():
                self._lingered += finding.kind == "lingers"
                yield finding
            self._learn(played)
            if self.left_out:
                return

    def _play(self, trial: Trial) -> TrialResult:
        entrant = trial.seated[trial.seat]
        wire = wire_of(trial.spec, entrant, trial.seat)
        seen = Seen(trial.spec, trial.seat, wire, self.watched)
        grace = self.limits.grace if self._lingered < MOST_TIMEOUTS else 0.0
        config = HostConfig(evolve(self.limits, grace=grace))
        result = host(trial.spec, trial.seated, config, [seen])
        if lacking := short_of(result.problem):
            raise Shortage(f"{lacking}; the check was cut short")
        return TrialResult(trial, result, seen, self.watched, grace)

    def _learn(self, played: TrialResult) -> None:
        """Take note of times, and of whether it makes sense to go on."""
        facts, seen = self.facts, played.seen
        facts.matches += 1
        facts.stderr = max(facts.stderr, self.watched.log.bytes)
        for number, turn in enumerate(seen.turns):
            facts.time(turn.seconds, first=not number)
        if not seen.verdict:
            self._first = self._first or First(played.trial, seen)
        else:
            self._timeouts += seen.verdict.kind is Fault.TIMEOUT
            if not facts.answers and seen.verdict.kind in (Fault.TIMEOUT, Fault.CRASHED):
                self.left_out = "it has not given a single answer"
            elif self._timeouts == MOST_TIMEOUTS:
                self.left_out = f"it was late in {MOST_TIMEOUTS} matches"

    def _ends(self) -> None:
        """See whether it ends with its input, before a match and after one."""
        self.facts.ends_by_itself = True
        self._done(AT_ONCE, self._end(AT_ONCE, ()))
        if self._first:
            self._done(AFTERWARDS, self._end(AFTERWARDS, self._first.seen.lines))

    def _end(self, name: str, lines: tuple[str, ...]) -> Iterator[Finding]:
        ending = feed(self.watched.factory, lines, self.limits.grace)
        if ending and not ending.by_itself:
            self.facts.ends_by_itself = False
            yield lingers(name, self.limits.grace)
        if ending and ending.left:
            self.facts.leaves = max(self.facts.leaves, ending.left)
            yield leaves(name, ending.left)

    def _again(self) -> None:
        """Play the first match once more: does the bot decide by what it is sent alone?"""
        if self._first:
            self.facts.alike = alike(self._first.seen, self._play(self._first.trial).seen)
