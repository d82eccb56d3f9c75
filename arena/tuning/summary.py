"""What a run has come to, computed from its matches: for the terminal, for JSON, for the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
from attrs import asdict, frozen

from arena.tournament.ratings import estimate_elo_difference
from arena.tuning.declarations import format_settings
from arena.tuning.parameters import Parameter, Settings, Value
from arena.tuning.run import RunState
from arena.tuning.stages import (
    BETTER,
    EFFECTS,
    GATE,
    HELD,
    NOT_SHOWN,
    SEARCH,
    WORSE_HELD_OUT,
    Course,
    Step,
)
from arena.tuning.tune_file import TuneSpec

INTERVAL_DEVIATIONS = 1.96  # standard errors: 95 %
TIMEOUT_SHARE = 0.001  # of all matches, from which on a run is not said to be repeatable
DIGITS = 4
CONCLUSIONS = {
    BETTER: "better: the tuned bot beats the default, and is not worse against those held out",
    NOT_SHOWN: "not shown to be better: the default stays",
    WORSE_HELD_OUT: "worse where it was held out: the default stays",
    None: "not finished",
}


@frozen
class OpponentRow:
    """How the default and the tuned bot score against an opponent, in the same fresh matches."""

    name: str
    held_out: bool
    matches: int  #: of each of the two
    default: float
    tuned: float
    error: float  #: half the 95 % interval of the difference


@frozen
class ParameterRow:
    """A parameter of the tuned bot."""

    name: str
    default: Value
    tuned: Value
    low: float | None
    high: float | None
    choices: tuple[Value, ...]
    bound: str | None  #: low or high, where the tuned value is at that end
    effect: (
        float | None
    )  #: the greatest loss in the mean score when it is moved; None: not measured
    has_effect: bool | None


@frozen
class TestRow:
    """A test after its last block."""

    pairs: int
    counts: tuple[int, ...]
    llr: float
    decision: str | None
    elo: float | None
    low: float | None
    high: float | None


def pack_step(step: Step) -> dict[str, Any]:
    """Return a generation as `arena tune --json` prints it."""
    packed: dict[str, Any] = {
        "generation": step.generation.number,
        "stage": step.generation.stage,
        "matches": step.generation.matches,
        "settings": dict(step.settings),
        "default_score": _round(step.means[0]),
        "score": _round(float(np.mean(step.means[1:])) if step.means[1:] else step.means[0]),
    }
    if step.generation.stage == SEARCH:
        packed["spread"] = {name: _round(value) for name, value in step.spread.items()}
    if step.counts:
        packed |= {"pairs": list(step.counts), "llr": _round(step.llr), "decision": step.decision}
    return packed


def pack_end(spec: TuneSpec, state: RunState) -> dict[str, Any]:
    """Return the end of a run as `arena tune --json` prints it."""
    course = state.course
    tests = {stage: build_test_row(course, stage) for stage in (GATE, HELD)}
    return {
        "conclusion": course.conclusion,
        "winner": None if course.winner is None else dict(course.winner),
        "bot": None if course.winner is None else name_tuned_bot(spec, course.winner),
        "matches": count_matches(course),
        **{stage: None if row is None else asdict(row) for stage, row in tests.items()},
        "opponents": [asdict(row) for row in list_opponents(spec, course)],
        "parameters": [asdict(row) for row in list_parameters(spec, course)],
        "remarks": list_remarks(spec, state),
        "verdicts": dict(state.verdicts),
        "void": state.void,
        "seconds": round(state.seconds, 3),
    }


def name_tuned_bot(spec: TuneSpec, settings: Settings) -> str:
    """Return the tuned bot as a command line names it."""
    is_class = ".py:" in spec.file.bot
    return f"{spec.file.bot}:{format_settings(settings, quote=is_class)}"


def count_matches(course: Course) -> int:
    """Count the matches of all complete generations."""
    return sum(step.generation.matches for step in course.steps)


def build_test_row(course: Course, stage: str) -> TestRow | None:
    """Return a test as it ended, or None where it was not begun."""
    steps = [step for step in course.steps if step.generation.stage == stage]
    if not steps:
        return None
    last = steps[-1]
    found = estimate_elo_difference(last.counts)
    elo, low, high = (
        _round(value) if np.isfinite(value) else None
        for value in (found.elo, found.low, found.high)
    )
    return TestRow(sum(last.counts), last.counts, _round(last.llr), last.decision, elo, low, high)


def format_test(test: TestRow) -> str:
    """Return a test as a line."""
    elo, low, high = (
        "?" if value is None else f"{value:+.1f}" for value in (test.elo, test.low, test.high)
    )
    decision = test.decision or "undecided"
    return (
        f"{test.pairs} pairs of matches, LLR {test.llr:+.2f} ({decision}),"
        f" Elo {elo} ({low} to {high})"
    )


def list_opponents(spec: TuneSpec, course: Course) -> list[OpponentRow]:
    """Return both bots' scores by opponent, from the matches of the tests; at tables of two only.

    At larger tables an opponent's row has all matches in which it sat there.
    """
    pairs: dict[int, list[tuple[float, float]]] = {}
    for step in course.steps:
        if step.generation.stage in (GATE, HELD):
            for number, pairing in enumerate(step.generation.pairings):
                default, tuned = step.scores[:, number]
                if not np.isnan(tuned - default):
                    for opponent in set(pairing.opponents):
                        pairs.setdefault(opponent, []).append((float(default), float(tuned)))
    return [
        _build_opponent_row(spec, opponent, np.array(scores))
        for opponent, scores in sorted(pairs.items())
    ]


def _build_opponent_row(spec: TuneSpec, opponent: int, scores: Any) -> OpponentRow:
    default, tuned = (float(mean) for mean in scores.mean(axis=0))
    return OpponentRow(
        spec.opponents[opponent], opponent in spec.terms.held_out, len(scores),
        _round(default), _round(tuned), _round(_compute_error(scores[:, 1] - scores[:, 0])),
    )  # fmt: skip


def list_parameters(spec: TuneSpec, course: Course) -> list[ParameterRow]:
    """Return the parameters of the winner: at their bounds, and what moving them costs."""
    if course.winner is None:
        return []
    effects = measure_effects(spec.parameters, course)
    return [
        _build_parameter_row(parameter, course.winner[parameter.name], effects.get(parameter.name))
        for parameter in spec.parameters
    ]


def _build_parameter_row(
    parameter: Parameter, tuned: Value, effect: tuple[float, bool] | None
) -> ParameterRow:
    is_number = not parameter.choices
    return ParameterRow(
        parameter.name, parameter.default, tuned,
        parameter.low if is_number else None, parameter.high if is_number else None,
        parameter.choices, parameter.find_bound(tuned),
        None if effect is None else _round(effect[0]), None if effect is None else effect[1],
    )  # fmt: skip


def measure_effects(
    parameters: Sequence[Parameter], course: Course
) -> Mapping[str, tuple[float, bool]]:
    """Return the greatest loss by parameter, and whether any of its variants changed a result.

    All variants play the same matches, so one that plays alike has the same results.
    """
    steps = [step for step in course.steps if step.generation.stage == EFFECTS]
    if not steps:
        return {}
    winner, scores = steps[0].generation.candidates[0], steps[0].scores
    found: dict[str, tuple[float, bool]] = {}
    for parameter in parameters:
        losses, moved = [0.0], False
        for place, variant in enumerate(steps[0].generation.candidates):
            if variant[parameter.name] != winner[parameter.name]:
                differences = scores[0] - scores[place]
                differences = differences[~np.isnan(differences)]
                if differences.size:
                    losses.append(float(differences.mean()))
                    moved = moved or bool(differences.any())
        found[parameter.name] = (max(losses), moved)
    return found


def list_remarks(spec: TuneSpec, state: RunState) -> list[str]:
    """Return remarks for the author beside the conclusion, a sentence each."""
    remarks = []
    for row in list_parameters(spec, state.course):
        if row.bound:
            end = row.low if row.bound == "low" else row.high
            remarks.append(f"{row.name} is at its bound ({end:g}); a wider range may be better")
        if row.has_effect is False:
            remarks.append(f"{row.name} has no effect: moving it changed no result")
    matches = max(1, count_matches(state.course))
    late = state.verdicts.get("timeout", 0)
    if late > TIMEOUT_SHARE * matches:
        remarks.append(
            f"{late} answers came too late; the result depends on how busy the machine was"
        )
    for kind, count in state.verdicts.items():
        remarks.append(f"candidates lost {count} matches by the verdict {kind}")
    if state.void:
        remarks.append(f"{state.void} matches do not count: an opponent or the machine failed")
    return remarks


def _compute_error(differences: Any) -> float:
    """Return half the 95 % interval of a mean; 0 where all are equal."""
    if len(differences) < 2:  # noqa: PLR2004
        return 1.0
    return float(INTERVAL_DEVIATIONS * differences.std(ddof=1) / sqrt(len(differences)))


def _round(value: float) -> float:
    return round(float(value), DIGITS)
