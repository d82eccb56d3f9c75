"""What a run has come to, computed from its matches: for the terminal, for JSON, for pages.

The terminal, the report and the pages show the same rows, in the same words: the tests, both bots
by opponent, and the parameters. Whoever looks at a run finds its database by its tune file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from attrs import asdict, evolve, frozen

from arena import UserError
from arena.files import read_toml
from arena.tables import Column, DataTable, RowFormat
from arena.tournament.ratings import Sprt, estimate_share
from arena.wires import to_printable
from arena_tune.match_store import MatchStore
from arena_tune.parameters import Parameter, Settings, Value, format_settings
from arena_tune.run import RunState, read_stored_run
from arena_tune.staged_search import (
    BETTER,
    EFFECT_MATCHES,
    EFFECTS,
    EXPLORE,
    GATE,
    HELD,
    NOT_SHOWN,
    PLACE,
    POINTS,
    SEARCH,
    WIN,
    WORSE_HELD_OUT,
    RunDescription,
    Scores,
    StagedSearch,
    Step,
    TuningTerms,
    plan_budget,
)
from arena_tune.tune_file import SUFFIX, find_database

DIGITS = 4
TIMEOUT_SHARE = 0.001  # of all matches, from which on a run is not said to be repeatable
BOUND = Sprt(0.0, 1.0).bounds[1]  # of all tests
CLEAR_GAIN = 0.02  # from which on both shares are told apart without decimals
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
    def opponents_table(self) -> DataTable:
        """The opponents for people."""
        return DataTable.of(self.opponents, OpponentRow.COLUMNS, goes_on_below=True)

    @property
    def parameters_table(self) -> DataTable:
        """The parameters for people."""
        return DataTable.of(self.parameters, ParameterRow.COLUMNS, goes_on_below=True)

    @property
    def conclusion_text(self) -> str:
        """The conclusion in a few words."""
        return describe_conclusion(self.conclusion, self.run.terms)

    @property
    def headline(self) -> str:
        """The result in a sentence, for somebody who knows no terms."""
        gate, terms = self.tests.get(GATE), self.run.terms
        if self.conclusion is None:
            return "The run is not finished."
        if gate is None:
            return "No gain is shown: nothing did better than the default."
        scores = f"the tuned bot {gate.compare_scores(terms.objective)}"
        if self.conclusion == BETTER:
            return f"A gain is shown: {scores}."
        if self.conclusion == WORSE_HELD_OUT:
            return f"{scores[0].upper()}{scores[1:]}, but {self.conclusion_text}."
        if gate.decision == "H1":
            return f"{scores[0].upper()}{scores[1:]}, but whether {describe_worse(terms)} is open."
        return f"No gain is shown: {scores}, which may be luck."


def describe_conclusion(conclusion: str | None, terms: TuningTerms) -> str:
    """Return a conclusion in a few words."""
    return {
        None: "not finished",
        BETTER: "better",
        NOT_SHOWN: "not shown to be better",
        WORSE_HELD_OUT: describe_worse(terms),
    }[conclusion]


def describe_worse(terms: TuningTerms) -> str:
    """Return what a bot does that fails the last test; the default is always held out."""
    alone = len(terms.held_out) == 1
    return "it loses to the default itself" if alone else "it is worse against those held out"


def title_tests(terms: TuningTerms) -> Mapping[str, str]:
    """Return the titles of both tests, by stage."""
    held = "the default itself" if len(terms.held_out) == 1 else "the opponents held out"
    return {GATE: "Test against the pool", HELD: f"Test against {held}"}


def summarize(run: RunDescription, state: RunState) -> TuningSummary:
    """Summarize a run as far as it has come."""
    search = state.search
    run = evolve(run, terms=search.terms)  # with the budgets that were spent before
    rows = tuple(list_parameters(run, search))
    tests = {stage: build_test_row(search, stage) for stage in (GATE, HELD)}
    return TuningSummary(
        run,
        tuple(search.steps),
        search.conclusion,
        search.winner,
        None if search.winner is None else name_tuned_bot(run.bot, search.winner),
        count_matches(search),
        sum(
            plan_budget(evolve(run.terms, matches=budget)).generations
            for budget in run.terms.budgets
        ),
        {stage: row for stage, row in tests.items() if row is not None},
        tuple(list_opponents(run, search)),
        rows,
        (*_remark_on_parameters(rows), *_remark_on_matches(state), *_remark_on_search(search)),
        state.verdicts,
        state.void,
        state.seconds,
    )


def _remark_on_parameters(rows: tuple[ParameterRow, ...]) -> Iterator[str]:
    for row in rows:
        if row.bound:
            end = row.low if row.bound == "low" else row.high
            yield f"{row.name} is at its bound ({end:g}); a wider range may be better"
        if row.changed_results is False:
            yield f"moving {row.name} alone changed no result; with other values of the rest it may"


def _remark_on_matches(state: RunState) -> Iterator[str]:
    late = state.verdicts.get("timeout", 0)
    if late > TIMEOUT_SHARE * max(1, count_matches(state.search)):
        yield f"{late} answers came too late; the result depends on how busy the machine was"
    for kind, count in state.verdicts.items():
        yield f"candidates lost {count} matches by the verdict {kind}"
    if state.void:
        yield f"{state.void} matches do not count: an opponent or the machine failed"


def _remark_on_search(search: StagedSearch) -> Iterator[str]:
    if search.conclusion is not None and not any(
        step.generation.stage == EXPLORE for step in search.latest_steps
    ):
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
        "score": round_score(step.candidates_mean),
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
        "headline": summary.headline,
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
        MatchStore.open(str(database), write=False).close()
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

    COLUMNS: ClassVar[RowFormat[OpponentRow]] = (
        (Column("opponent", is_text=True, may_wrap=True), lambda row: row.name),
        (Column("held out", is_text=True), lambda row: "yes" * row.held_out),
        (Column("matches"), lambda row: f"{row.matches}"),
        (Column("default"), lambda row: f"{row.default:.3f}"),
        (Column("tuned"), lambda row: f"{row.tuned:.3f}"),
        (Column("difference,\n95 % interval"),
         lambda row: f"{row.tuned - row.default:+.3f} ± {row.error:.3f}"),
    )  # fmt: skip
    NOTE: ClassVar = (
        "The scores of both in the same matches of the tests, on fresh deals, from 0 to 1; a tie is"
        " half a win. Held out: never met before the last test."
    )


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
    loss: float | None  #: the greatest loss in the mean score when it alone is moved, if measured
    error: float | None  #: half the 95 % interval of that
    changed_results: bool | None  #: whether moving it changed any result

    COLUMNS: ClassVar[RowFormat[ParameterRow]] = (
        (Column("parameter", is_text=True), lambda row: row.name),
        (Column("default"), lambda row: f"{row.default}"),
        (Column("tuned"), lambda row: f"{row.tuned}"),
        (Column("range", is_text=True, may_wrap=True),
         lambda row: ", ".join(map(str, row.choices)) or f"{row.low:g} to {row.high:g}"),
        (Column("bound", is_text=True), lambda row: row.bound or ""),
        (Column("lost when moved"),
         lambda row: "" if row.loss is None else f"{row.loss:.2f} ± {row.error:.2f}"),
    )  # fmt: skip
    NOTE: ClassVar = (
        "Bound: the tuned value is at this end of its range. Lost when moved: how far the score"
        " falls when this parameter alone moves to the worse of both ends of its range, or to the"
        f" worst other choice, with the 95 % interval of {EFFECT_MATCHES} matches."
    )


@frozen
class TestRow:
    """A test after its last block."""

    pairs: int
    counts: tuple[float, ...]  #: by result; parts of pairs at tables of more than two
    llr: float
    decision: str | None
    default: float  #: its mean score in these pairs
    tuned: float
    gain: float  #: the difference of both
    error: float  #: half the 95 % interval of the gain

    NOTE: ClassVar = (
        "A pair is a match of each bot with the same deal, seat and opponents. LLR, the log"
        f" likelihood ratio, is the evidence: a test is passed at {BOUND:+.2f}, and failed at"
        f" {-BOUND:.2f}."
    )

    @property
    def text(self) -> str:
        """The test in a line."""
        decision = {"H1": "passed", "H0": "failed", None: "undecided"}[self.decision]
        return (
            f"{decision} after {self.pairs} pairs (LLR {self.llr:+.2f}): score {self.tuned:.3f}"
            f" instead of {self.default:.3f}, gain {self.gain:+.3f} ± {self.error:.3f}"
        )

    def compare_scores(self, objective: str) -> str:
        """Return what both bots do against the pool, as a predicate."""
        digits = 0 if abs(self.gain) >= CLEAR_GAIN else 1
        tuned, default = (f"{100 * score:.{digits}f} %" for score in (self.tuned, self.default))
        return {
            WIN: f"wins {tuned} against the pool instead of {default}",
            PLACE: f"leaves {tuned} of the others in the pool behind instead of {default}",
            POINTS: f"has a score of {tuned} against the pool instead of {default}",
        }[objective]


def count_matches(search: StagedSearch) -> int:
    """Count the matches of all complete generations."""
    return sum(step.generation.matches for step in search.steps)


def build_test_row(search: StagedSearch, stage: str) -> TestRow | None:
    """Return a test as it ended, or None where it was not begun."""
    steps = [step for step in search.latest_steps if step.generation.stage == stage]
    if not steps:
        return None
    last = steps[-1]
    scores = np.concatenate([step.scores for step in steps], axis=1)
    gain = estimate_gain(scores, [deal for step in steps for deal in list_deals(step)])
    scores = scores[:, ~np.isnan(scores).any(axis=0)]
    default, tuned = scores.mean(axis=1) if scores.size else (0.0, 0.0)
    llr, *others = map(round_score, (last.llr, default, tuned, *gain))
    return TestRow(round(sum(last.counts)), last.counts, llr, last.decision, *others)


def list_deals(step: Step) -> list[int]:
    """Return the deal of each pairing of a generation."""
    return [pairing.deal for pairing in step.generation.pairings]


def estimate_gain(scores: Scores, deals: Sequence[int]) -> tuple[float, float]:
    """Return the second row's mean score beyond the first's, and half its 95 % interval.

    `scores` is (2, pairs), and `deals` says whose deal each pair is. Pairs with a void match do not
    count. Pairs of a deal share its luck, so a deal counts once; the interval is that of `arena
    duel`: few deals are not certain, even if all are alike.
    """
    differences = scores[1] - scores[0]
    valid = ~np.isnan(differences)
    deal = np.unique(np.array(deals, np.int64)[valid], return_inverse=True)[1]
    means = np.bincount(deal, differences[valid]) / np.bincount(deal)
    gain = float(differences[valid].mean()) if valid.any() else 0.0
    share = estimate_share((1 + means) / 2)
    return gain, max(2 * share.high - 1 - gain, gain - (2 * share.low - 1))


def list_opponents(run: RunDescription, search: StagedSearch) -> list[OpponentRow]:
    """Return both bots' scores by opponent, from the matches of the tests; at tables of two only.

    At larger tables an opponent's row has all matches in which it sat there.
    """
    pairs: dict[int, list[tuple[float, float, int]]] = {}
    for step in search.latest_steps:
        if step.generation.stage in (GATE, HELD):
            for number, pairing in enumerate(step.generation.pairings):
                default, tuned = step.scores[:, number]
                if not np.isnan(tuned - default):
                    for opponent in set(pairing.opponents):
                        pair = float(default), float(tuned), pairing.deal
                        pairs.setdefault(opponent, []).append(pair)
    return [
        _build_opponent_row(run, opponent, np.array([default, tuned]), deals)
        for opponent, rows in sorted(pairs.items())
        for default, tuned, deals in [[*zip(*rows, strict=True)]]
    ]


def _build_opponent_row(
    run: RunDescription, opponent: int, scores: Scores, deals: Sequence[int]
) -> OpponentRow:
    default, tuned = scores.mean(axis=1).tolist()
    return OpponentRow(
        run.opponents[opponent],
        opponent in run.terms.held_out,
        len(deals),
        round_score(default),
        round_score(tuned),
        round_score(estimate_gain(scores, deals)[1]),
    )


def list_parameters(run: RunDescription, search: StagedSearch) -> list[ParameterRow]:
    """Return the parameters of the winner: at their bounds, and what moving them costs."""
    if search.winner is None:
        return []
    effects = measure_effects(run.terms.parameters, search)
    return [
        _build_parameter_row(
            parameter, search.winner[parameter.name], effects.get(parameter.name, (None,) * 3)
        )
        for parameter in run.terms.parameters
    ]


def _build_parameter_row(
    parameter: Parameter, tuned: Value, effect: Effect | tuple[None, None, None]
) -> ParameterRow:
    is_number = not parameter.choices
    return ParameterRow(
        parameter.name, parameter.default, tuned,
        parameter.low if is_number else None, parameter.high if is_number else None,
        parameter.choices, parameter.find_bound(tuned), *effect,
    )  # fmt: skip


Effect = tuple[float, float, bool]
"""The greatest loss, half its interval, and whether any variant changed a result."""


def measure_effects(parameters: Sequence[Parameter], search: StagedSearch) -> Mapping[str, Effect]:
    """Return what moving each parameter costs.

    All variants play the same matches, so one that plays alike has the same results.
    """
    steps = [step for step in search.latest_steps if step.generation.stage == EFFECTS]
    if not steps:
        return {}
    winner, scores = steps[0].generation.candidates[0], steps[0].scores
    deals = list_deals(steps[0])
    found: dict[str, Effect] = {}
    for parameter in parameters:
        pairs = [
            scores[[place, 0]]
            for place, variant in enumerate(steps[0].generation.candidates)
            if variant[parameter.name] != winner[parameter.name]
        ]
        loss, error = map(round_score, max(estimate_gain(pair, deals) for pair in pairs))
        moved = any(bool((np.abs(pair[1] - pair[0]) > 0).any()) for pair in pairs)
        found[parameter.name] = loss, error, moved
    return found


def round_score(value: float) -> float:
    """Round a score to the digits that are printed as JSON."""
    return round(float(value), DIGITS)
