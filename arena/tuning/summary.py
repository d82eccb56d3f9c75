"""What a run has come to, computed from its matches: for the terminal, for JSON, for pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from attrs import asdict, evolve, frozen

from arena.tuning.declarations import format_settings
from arena.tuning.parameters import Settings
from arena.tuning.plan import RunDescription, plan_budget
from arena.tuning.run import RunState
from arena.tuning.stages import (
    BETTER,
    GATE,
    HELD,
    NOT_SHOWN,
    SEARCH,
    WORSE_HELD_OUT,
    Course,
    Step,
)
from arena.tuning.summary_rows import (
    OpponentRow,
    ParameterRow,
    TestRow,
    build_test_row,
    count_matches,
    list_opponents,
    list_parameters,
    round_score,
)

TIMEOUT_SHARE = 0.001  # of all matches, from which on a run is not said to be repeatable
CONCLUSIONS = {
    BETTER: "better: the tuned bot beats the default, and is not worse against those held out",
    NOT_SHOWN: "not shown to be better: the default stays",
    WORSE_HELD_OUT: "worse where it was held out: the default stays",
    None: "not finished",
}


@frozen
class TuningSummary:
    """All that is shown of a run."""

    run: RunDescription
    steps: tuple[Step, ...]
    conclusion: str | None  #: None in an unfinished run
    winner: Settings | None
    bot: str | None  #: the tuned bot, as a command line names it
    matches: int  #: of all complete generations
    generations: int  #: that the search has in all
    tests: Mapping[str, TestRow]  #: by stage; those that were begun
    opponents: tuple[OpponentRow, ...]
    parameters: tuple[ParameterRow, ...]
    remarks: tuple[str, ...]  #: for the author, a sentence each
    verdicts: Mapping[str, int]  #: of candidates, by kind
    void: int  #: matches that do not count
    seconds: float  #: of all matches together

    @property
    def searched(self) -> tuple[Step, ...]:
        """The generations of the search."""
        return tuple(step for step in self.steps if step.generation.stage == SEARCH)

    @property
    def conclusion_text(self) -> str:
        """The conclusion in words."""
        return CONCLUSIONS[self.conclusion]


def summarize(run: RunDescription, state: RunState) -> TuningSummary:
    """Summarize a run as far as it has come."""
    course = state.course
    rows = tuple(list_parameters(run, course))
    tests = {stage: build_test_row(course, stage) for stage in (GATE, HELD)}
    return TuningSummary(
        run,
        tuple(course.steps),
        course.conclusion,
        course.winner,
        None if course.winner is None else name_tuned_bot(run.bot, course.winner),
        count_matches(course),
        sum(
            plan_budget(evolve(run.terms, matches=budget)).generations
            for budget in run.terms.budgets
        ),
        {stage: row for stage, row in tests.items() if row is not None},
        tuple(list_opponents(run, course)),
        rows,
        (*_remark_on_parameters(rows), *_remark_on_matches(state), *_remark_on_search(run, course)),
        state.verdicts,
        state.void,
        state.seconds,
    )


def pack_step(step: Step) -> dict[str, Any]:
    """Return a generation as `arena tune --json` prints it."""
    packed: dict[str, Any] = {
        "generation": step.generation.number,
        "stage": step.generation.stage,
        "matches": step.generation.matches,
        "settings": dict(step.settings),
        "default_score": round_score(step.means[0]),
        "score": round_score(
            float(np.mean(step.means[1:])) if step.means[1:] else step.means[0],
        ),
    }
    if step.generation.stage == SEARCH:
        packed["spread"] = {name: round_score(value) for name, value in step.spread.items()}
    if step.counts:
        packed |= {"pairs": list(step.counts), "llr": round_score(step.llr)}
        packed["decision"] = step.decision
    return packed


def pack_end(summary: TuningSummary) -> dict[str, Any]:
    """Return the end of a run as `arena tune --json` prints it."""
    tests = {stage: summary.tests.get(stage) for stage in (GATE, HELD)}
    return {
        "conclusion": summary.conclusion,
        "winner": None if summary.winner is None else dict(summary.winner),
        "bot": summary.bot,
        "matches": summary.matches,
        **{stage: None if row is None else asdict(row) for stage, row in tests.items()},
        "opponents": list(map(asdict, summary.opponents)),
        "parameters": list(map(asdict, summary.parameters)),
        "remarks": list(summary.remarks),
        "verdicts": dict(summary.verdicts),
        "void": summary.void,
        "seconds": round(summary.seconds, 3),
    }


def name_tuned_bot(bot: str, settings: Settings) -> str:
    """Return the tuned bot as a command line names it."""
    return f"{bot}:{format_settings(settings, quote='.py:' in bot)}"


def _remark_on_parameters(rows: tuple[ParameterRow, ...]) -> Iterator[str]:
    for row in rows:
        if row.bound:
            end = row.low if row.bound == "low" else row.high
            yield f"{row.name} is at its bound ({end:g}); a wider range may be better"
        if row.has_effect is False:
            yield f"{row.name} has no effect: moving it changed no result"


def _remark_on_search(run: RunDescription, course: Course) -> Iterator[str]:
    if course.conclusion is not None and not run.terms.explore:
        yield "only the neighbourhood of the default was searched; `explore` looks elsewhere first"


def _remark_on_matches(state: RunState) -> Iterator[str]:
    late = state.verdicts.get("timeout", 0)
    if late > TIMEOUT_SHARE * max(1, count_matches(state.course)):
        yield f"{late} answers came too late; the result depends on how busy the machine was"
    for kind, count in state.verdicts.items():
        yield f"candidates lost {count} matches by the verdict {kind}"
    if state.void:
        yield f"{state.void} matches do not count: an opponent or the machine failed"
