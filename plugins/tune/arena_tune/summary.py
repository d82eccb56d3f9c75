"""What a run has come to, computed from its matches: for the terminal, for JSON, for pages.

The terminal, the report and the pages show the same rows, in the same words: the tests, both bots
by opponent, and the parameters. Whoever looks at a run finds its database by its tune file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from attrs import asdict, evolve, frozen

from arena import UserError
from arena.extend import estimate_elo_difference, read_toml, to_printable
from arena_tune.parameters import Parameter, Settings, Value, format_settings
from arena_tune.plan import RunDescription, plan_budget
from arena_tune.run import RunState, read_stored_run
from arena_tune.stages import (
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
from arena_tune.trial_store import TrialStore
from arena_tune.tune_file import SUFFIX, find_database

INTERVAL_DEVIATIONS = 1.96  # standard errors: 95 %
DIGITS = 4
TIMEOUT_SHARE = 0.001  # of all matches, from which on a run is not said to be repeatable
CONCLUSIONS = {
    BETTER: "better: the tuned bot beats the default, and is not worse against those held out",
    NOT_SHOWN: "not shown to be better: the default stays",
    WORSE_HELD_OUT: "worse where it was held out: the default stays",
    None: "not finished",
}
DATABASE_SUFFIX, DATA_SUFFIX = ".db", ".arena"
FOLDERS = re.compile(r"""[^=,:"]*/""")


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


def _remark_on_parameters(rows: tuple[ParameterRow, ...]) -> Iterator[str]:
    for row in rows:
        if row.bound:
            end = row.low if row.bound == "low" else row.high
            yield f"{row.name} is at its bound ({end:g}); a wider range may be better"
        if row.has_effect is False:
            yield f"{row.name} has no effect: moving it changed no result"


def _remark_on_matches(state: RunState) -> Iterator[str]:
    late = state.verdicts.get("timeout", 0)
    if late > TIMEOUT_SHARE * max(1, count_matches(state.course)):
        yield f"{late} answers came too late; the result depends on how busy the machine was"
    for kind, count in state.verdicts.items():
        yield f"candidates lost {count} matches by the verdict {kind}"
    if state.void:
        yield f"{state.void} matches do not count: an opponent or the machine failed"


def _remark_on_search(run: RunDescription, course: Course) -> Iterator[str]:
    if course.conclusion is not None and not run.terms.explore:
        yield "only the neighbourhood of the default was searched; `explore` looks elsewhere first"


def name_tuned_bot(bot: str, settings: Settings) -> str:
    """Return the tuned bot as a command line names it."""
    return f"{bot}:{format_settings(settings, quote='.py:' in bot)}"


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


def find_tuning_databases(path: Path) -> list[Path]:
    """Return the databases that a tune file, a database, or a folder with some stands for.

    There are none where it is something else, such as a tournament.
    """
    if path.suffix == DATA_SUFFIX:
        found = [path.with_suffix(DATABASE_SUFFIX)]
    elif path.is_dir():
        found = sorted(path.glob(f"*{DATABASE_SUFFIX}"))
    elif path.suffix == SUFFIX:
        return [find_database(path)] if _is_tune_file(path) else []
    else:
        found = [path]
    return [database for database in found if _has_run(database)]


def _is_tune_file(path: Path) -> bool:
    try:
        return "bot" in read_toml(path)
    except (OSError, ValueError):  # whoever else reads it says what is wrong with it
        return False


def _has_run(database: Path) -> bool:
    try:
        TrialStore.open(str(database), write=False).close()
    except UserError:
        return False
    return True


def read_tuning_summary(database: Path, *, public: bool = False) -> TuningSummary:
    """Read what a run has come to, in `public` without the folders of its bots.

    It is computed again from all matches, which takes seconds. Raises UserError.
    """
    run, state = read_stored_run(database)
    return summarize(_hide_folders(run) if public else run, state)


def _hide_folders(run: RunDescription) -> RunDescription:
    return evolve(run, bot=hide_folders(run.bot), opponents=tuple(map(hide_folders, run.opponents)))


def hide_folders(bot: str) -> str:
    """Return the name of a bot without folders of this machine.

    >>> hide_folders("../my bots/riser.py:Riser:book=/srv/book.txt,more=1")
    'riser.py:Riser:book=book.txt,more=1'
    """
    return to_printable(FOLDERS.sub("", bot))


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


def _compute_error(differences: Any) -> float:
    """Return half the 95 % interval of a mean; 0 where all are equal."""
    if len(differences) < 2:  # noqa: PLR2004
        return 1.0
    return float(INTERVAL_DEVIATIONS * differences.std(ddof=1) / sqrt(len(differences)))


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


def round_score(value: float) -> float:
    """Round a score to the digits that are printed as JSON."""
    return round(float(value), DIGITS)
