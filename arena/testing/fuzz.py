"""The fuzzer: tries to break a game for a given time, and keeps the smallest failing case."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from time import monotonic
from traceback import extract_tb

from attrs import frozen
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

from arena.plugins import Game
from arena.rules import describe_error
from arena.testing.harness.cases import Case, CpuLimitExceededError, Options, cpu_limit, to_source
from arena.testing.harness.hash_seeds import locate_game
from arena.testing.harness.hypothesis_strategies import draw_cases
from arena.testing.law import Law
from arena.testing.laws.registry import LAWS
from arena.testing.laws.rules import (
    all_chance_comes_from_the_table,
    every_game_ends,
    seed_and_answers_determine_the_game,
    the_order_of_sets_does_not_matter,
)

CPU_LIMIT_SECONDS = 10.0  # processor time that a case may take
CASES_PER_TRIAL, SELDOM_CASES_PER_TRIAL = 20, 100  # before the next law is tried
SELDOM_SECONDS = 20.0  # for the laws that need many cases, before all others
MAX_SELDOM_SHARE = 0.5  # of a shorter time
BASIC_LAWS = (
    every_game_ends, all_chance_comes_from_the_table, seed_and_answers_determine_the_game,
)  # fmt: skip
"""Laws whose breaks others would find, too, and explain less well."""

Progress = Callable[[str, int], None]
"""Called with the name of the law that is being tried, and the number of cases so far."""


@frozen
class BrokenLaw:
    """A case that breaks a law, shrunk as far as possible."""

    game: str
    law: str
    case: Case
    reason: str

    @property
    def test_source(self) -> str:
        """The source of a test of this case, ready to be put into a file."""
        reason = self.reason.splitlines()[0].replace("\\", "\\\\").replace('"', "'")
        name = re.sub(r"\W", "_", f"{self.game}_{self.law}")
        return (
            "from arena.testing import Case, check_law\n\n\n"
            f"def test_{name}() -> None:\n"
            f'    """{LAWS[self.law].sentence}\n\n    Found by fuzzing: {reason}\n    """\n'
            f'    check_law("{self.game}", "{self.law}", {to_source(self.case)})\n'
        )


@frozen
class FuzzResult:
    """The result of fuzzing a game."""

    case_count: int  # cases
    broken_law: BrokenLaw | None


def fuzz(game: Game, seconds: float, always: Options, progress: Progress, first: int) -> FuzzResult:
    """Check a game against all laws in turn until time is up, with cases from seed `first` on.

    Laws whose breaks show seldom come first, once the game ends and is determined. A game that no
    module defines under a name cannot be loaded in other interpreters, so the law on the order
    of sets is left out for it.
    """
    laws = {name: law for name, law in LAWS.items() if law.cases is None}
    if not locate_game(game):
        del laws[the_order_of_sets_does_not_matter.name]
    begun = monotonic()
    alone = begun + min(SELDOM_SECONDS, MAX_SELDOM_SHARE * seconds)
    return _run_job(
        _FuzzJob(game, laws, draw_cases(game, always), alone, begun + seconds), progress, first
    )


@frozen
class _FuzzJob:
    """Which laws are tried on which game, and until when."""

    game: Game
    laws: Mapping[str, Law]
    drawn: SearchStrategy[Case]
    alone_until: float  # when others than the laws whose breaks show seldom are tried, too
    until: float

    def list_trials(self, first: int) -> Iterator[tuple[int, str]]:
        """Yield seeds and names of laws in turn, without end; the caller looks at the time."""
        yield from ((first, law.name) for law in BASIC_LAWS)
        seldom = [name for name, law in self.laws.items() if law.seldom]
        for number in count(first):
            for name in seldom if monotonic() < self.alone_until else self.laws:
                yield number, name


def _run_job(hunt: _FuzzJob, progress: Progress, first: int) -> FuzzResult:
    tried = 0
    for number, name in hunt.list_trials(first):
        if monotonic() > hunt.until:
            break
        progress(name, tried)
        trial = _LawTrial(hunt.game, hunt.laws[name])
        problem = trial.run(hunt.drawn, number, hunt.until)
        tried += trial.tried
        if problem is not None and trial.case is not None:
            return FuzzResult(tried, BrokenLaw(hunt.game.name, name, trial.case, problem))
    return FuzzResult(tried, None)


class _LawTrial:
    """One law, tried in some cases."""

    def __init__(self, game: Game, law: Law) -> None:
        self._game, self._law = game, law
        self.tried = 0
        self.case: Case | None = None  # the last that broke it: hypothesis ends with the smallest

    def run(self, drawn: SearchStrategy[Case], number: int, until: float) -> str | None:
        """Try the law until time is up; return the reason why it does not hold, or None."""

        @seed(number)
        @settings(
            max_examples=SELDOM_CASES_PER_TRIAL if self._law.seldom else CASES_PER_TRIAL,
            deadline=None, database=None, report_multiple_bugs=False,
            suppress_health_check=[*HealthCheck], phases=[Phase.generate, Phase.shrink],
        )  # fmt: skip
        @given(case=drawn)
        def holds(case: Case) -> None:
            if self.tried and self.case is None and monotonic() > until:  # one case at least
                return
            self._try(case)

        try:
            with self._law.around(self._game):
                holds()
        except CpuLimitExceededError as problem:  # smaller ones would be as endless
            return str(problem)
        except Flaky as problem:
            return f"the same case does not always end alike: {describe_error(problem)}"
        except Exception as problem:  # noqa: BLE001  # whatever rules raise is what is looked for
            return _describe_failure(problem)
        return None

    def _try(self, case: Case) -> None:
        self.tried += 1
        try:
            with cpu_limit(CPU_LIMIT_SECONDS):
                self._law(self._game, case)
        except (Exception, CpuLimitExceededError):
            self.case = case
            raise


def _describe_failure(problem: Exception) -> str:
    """Describe an exception, with its place unless it is an AssertionError with a message."""
    if isinstance(problem, AssertionError) and str(problem):
        return str(problem)
    at = extract_tb(problem.__traceback__)[-1]
    return f"{describe_error(problem)} ({at.filename}:{at.lineno}, in {at.name})"
