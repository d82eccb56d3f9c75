"""The rows of a run's tables: its tests, both bots by opponent, and the parameters.

The terminal, the report and the pages show the same rows, in the same words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any, ClassVar

import numpy as np
from attrs import frozen

from arena.tournament.ratings import estimate_elo_difference
from arena.tuning.parameters import Parameter, Value
from arena.tuning.plan import RunDescription
from arena.tuning.stages import EFFECTS, GATE, HELD, Course

INTERVAL_DEVIATIONS = 1.96  # standard errors: 95 %
DIGITS = 4


@frozen
class OpponentRow:
    """How the default and the tuned bot score against an opponent, in the same fresh matches."""

    name: str
    held_out: bool
    matches: int  #: of each of the two
    default: float
    tuned: float
    error: float  #: half the 95 % interval of the difference

    HEADINGS: ClassVar = (
        "opponent", "held out", "matches", "default", "tuned", "difference, 95 % interval",
    )  # fmt: skip

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the row, as the terminal and the pages show them."""
        return (
            self.name, "yes" * self.held_out, f"{self.matches}", f"{self.default:.3f}",
            f"{self.tuned:.3f}", f"{self.tuned - self.default:+.3f} ± {self.error:.3f}",
        )  # fmt: skip


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
    effect: float | None  #: the greatest loss in the mean score when it is moved, if measured
    has_effect: bool | None

    HEADINGS: ClassVar = ("parameter", "default", "tuned", "range", "bound", "lost when moved")

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the row, as the terminal and the pages show them."""
        span = ", ".join(map(str, self.choices)) or f"{self.low:g} to {self.high:g}"
        effect = "" if self.effect is None else f"{self.effect:.3f}"
        return (
            self.name, f"{self.default}", f"{self.tuned}", span, self.bound or "",
            "no effect" if self.has_effect is False else effect,
        )  # fmt: skip


@frozen
class TestRow:
    """A test after its last block."""

    pairs: int
    counts: tuple[float, ...]  #: by result; parts of pairs at tables of more than two
    llr: float
    decision: str | None
    elo: float | None
    low: float | None
    high: float | None

    @property
    def text(self) -> str:
        """The test in a line."""
        elo, low, high = (
            "?" if value is None else f"{value:+.1f}" for value in (self.elo, self.low, self.high)
        )
        return (
            f"{self.pairs} pairs of matches, LLR {self.llr:+.2f} ({self.decision or 'undecided'}),"
            f" Elo {elo} ({low} to {high})"
        )


def count_matches(course: Course) -> int:
    """Count the matches of all complete generations."""
    return sum(step.generation.matches for step in course.steps)


def build_test_row(course: Course, stage: str) -> TestRow | None:
    """Return a test as it ended, or None where it was not begun."""
    steps = [step for step in course.latest_steps if step.generation.stage == stage]
    if not steps:
        return None
    last = steps[-1]
    found = estimate_elo_difference(last.counts)
    elo, low, high = (
        round_score(value) if np.isfinite(value) else None
        for value in (found.elo, found.low, found.high)
    )
    pairs, llr = round(sum(last.counts)), round_score(last.llr)
    return TestRow(pairs, last.counts, llr, last.decision, elo, low, high)


def list_opponents(run: RunDescription, course: Course) -> list[OpponentRow]:
    """Return both bots' scores by opponent, from the matches of the tests; at tables of two only.

    At larger tables an opponent's row has all matches in which it sat there.
    """
    pairs: dict[int, list[tuple[float, float]]] = {}
    for step in course.latest_steps:
        if step.generation.stage in (GATE, HELD):
            for number, pairing in enumerate(step.generation.pairings):
                default, tuned = step.scores[:, number]
                if not np.isnan(tuned - default):
                    for opponent in set(pairing.opponents):
                        pairs.setdefault(opponent, []).append((float(default), float(tuned)))
    return [
        _build_opponent_row(run, opponent, np.array(scores))
        for opponent, scores in sorted(pairs.items())
    ]


def _build_opponent_row(run: RunDescription, opponent: int, scores: Any) -> OpponentRow:
    default, tuned = (float(mean) for mean in scores.mean(axis=0))
    return OpponentRow(
        run.opponents[opponent],
        opponent in run.terms.held_out,
        len(scores),
        round_score(default),
        round_score(tuned),
        round_score(_compute_error(scores[:, 1] - scores[:, 0])),
    )


def list_parameters(run: RunDescription, course: Course) -> list[ParameterRow]:
    """Return the parameters of the winner: at their bounds, and what moving them costs."""
    if course.winner is None:
        return []
    effects = measure_effects(run.terms.parameters, course)
    return [
        _build_parameter_row(parameter, course.winner[parameter.name], effects.get(parameter.name))
        for parameter in run.terms.parameters
    ]


def _build_parameter_row(
    parameter: Parameter, tuned: Value, effect: tuple[float, bool] | None
) -> ParameterRow:
    is_number = not parameter.choices
    return ParameterRow(
        parameter.name, parameter.default, tuned,
        parameter.low if is_number else None, parameter.high if is_number else None,
        parameter.choices, parameter.find_bound(tuned),
        None if effect is None else round_score(effect[0]), None if effect is None else effect[1],
    )  # fmt: skip


def measure_effects(
    parameters: Sequence[Parameter], course: Course
) -> Mapping[str, tuple[float, bool]]:
    """Return the greatest loss by parameter, and whether any of its variants changed a result.

    All variants play the same matches, so one that plays alike has the same results.
    """
    steps = [step for step in course.latest_steps if step.generation.stage == EFFECTS]
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


def _compute_error(differences: Any) -> float:
    """Return half the 95 % interval of a mean; 0 where all are equal."""
    if len(differences) < 2:  # noqa: PLR2004
        return 1.0
    return float(INTERVAL_DEVIATIONS * differences.std(ddof=1) / sqrt(len(differences)))


def round_score(value: float) -> float:
    """Round a score to the digits that are printed as JSON."""
    return round(float(value), DIGITS)
