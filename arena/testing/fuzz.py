"""The fuzzer: tries to break a game for a given time, and keeps the smallest failing case."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, islice
from time import monotonic

from attrs import evolve, frozen
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

from arena.plugins import Game
from arena.rules import describe_error, describe_error_with_line
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
FIRST_CASES, CASES, SELDOM_CASES = 5, 20, 100
"""The cases of a law's first turn, and of its later ones."""
SELDOM_SECONDS = 20.0  # for the laws that need many cases, after the first turn of each law
MAX_SELDOM_SHARE = 0.3  # of a shorter time
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

    law_counts: Mapping[str, int]  #: the number of cases in which each law was tried
    broken_law: BrokenLaw | None

    @property
    def case_count(self) -> int:
        """The number of cases of all laws together."""
        return sum(self.law_counts.values())

    @property
    def untried_laws(self) -> list[str]:
        """The laws for which there was no time."""
        return [law for law, tried in self.law_counts.items() if not tried]


def fuzz(game: Game, seconds: float, always: Options, progress: Progress, first: int) -> FuzzResult:
    """Check a game against all laws in turn until time is up, with cases from seed `first` on.

    A game that no module defines under a name cannot be loaded in other interpreters, so the law on
    the order of sets is left out for it; so is a law that lists no case of the game.
    """
    listed = {name: law.cases(game, always) for name, law in LAWS.items() if law.cases}
    laws = {name: law for name, law in LAWS.items() if listed.get(name, True)}
    if not locate_game(game):
        del laws[the_order_of_sets_does_not_matter.name]
    sources = {name: _repeat_cases(cases, first) for name, cases in listed.items() if cases}
    begun = monotonic()
    alone = begun + min(SELDOM_SECONDS, MAX_SELDOM_SHARE * seconds)
    drawn = draw_cases(game, always)
    return _Fuzzer(game, laws, drawn, sources, first, alone, begun + seconds).run(progress)


@frozen
class _Fuzzer:
    """Which laws are tried on which game, in which cases, and until when."""

    game: Game
    laws: Mapping[str, Law]
    drawn: SearchStrategy[Case]  #: for laws that list no cases
    listed: Mapping[str, Iterator[Case]]  #: for the others, by law
    first: int  #: the seed of the first turns
    alone_until: float  #: when others than the seldom laws get turns, too
    until: float

    def run(self, progress: Progress) -> FuzzResult:
        """Give laws their turns until one is broken or time is up."""
        tried = dict.fromkeys(self.laws, 0)
        for number, name, cases in self.list_turns():
            if monotonic() > self.until:
                break
            progress(name, sum(tried.values()))
            trial = _LawTrial(self.game, self.laws[name], self.until)
            if name in self.listed:
                problem = trial.run_listed(islice(self.listed[name], cases))
            else:
                problem = trial.run_drawn(self.drawn, number, cases)
            tried[name] += trial.tried
            if problem is not None and trial.case is not None:
                return FuzzResult(tried, BrokenLaw(self.game.name, name, trial.case, problem))
        return FuzzResult(tried, None)

    def list_turns(self) -> Iterator[tuple[int, str, int]]:
        """Yield seeds, names of laws and numbers of cases, without end.

        Each law has a short turn first, so that none has to wait until all others had a long one.
        Then laws whose breaks show seldom are alone for a while; then all are tried in turn.
        """
        basic = [law.name for law in BASIC_LAWS]
        for name in (*basic, *(name for name in self.laws if name not in basic)):
            yield self.first, name, FIRST_CASES
        for number in count(self.first + 1):
            alone = monotonic() < self.alone_until
            for name, law in self.laws.items():
                if law.seldom or not alone:
                    yield number, name, SELDOM_CASES if law.seldom else CASES


def _repeat_cases(cases: Sequence[Case], first: int) -> Iterator[Case]:
    """Yield the cases that a law lists, and then the same with other seeds, without end."""
    yield from cases
    for number in count(first):
        yield from (evolve(case, seed=f"{number}") for case in cases)


class _LawTrial:
    """One law, tried in some cases."""

    def __init__(self, game: Game, law: Law, until: float) -> None:
        self._game, self._law, self._until = game, law, until
        self.tried = 0
        self.case: Case | None = None  # the last that broke it: hypothesis ends with the smallest

    def run_drawn(self, drawn: SearchStrategy[Case], number: int, cases: int) -> str | None:
        """Try cases that are drawn until time is up; return why the law does not hold, or None."""

        @seed(number)
        @settings(
            max_examples=SELDOM_CASES if self._law.seldom else CASES,  # on which draws depend
            deadline=None, database=None, report_multiple_bugs=False,
            suppress_health_check=[*HealthCheck], phases=[Phase.generate, Phase.shrink],
        )  # fmt: skip
        @given(case=drawn)
        def holds(case: Case) -> None:
            if self.case is not None or (self.tried < cases and not self._is_late):
                self._try(case)

        return self._describe_break(holds)

    def run_listed(self, cases: Iterable[Case]) -> str | None:
        """Try these cases until time is up; return why the law does not hold, or None."""

        def holds() -> None:
            for case in cases:
                self._try(case)
                if self._is_late:
                    return

        return self._describe_break(holds)

    @property
    def _is_late(self) -> bool:
        """Whether time is up; each turn has one case at least."""
        return bool(self.tried) and monotonic() > self._until

    def _describe_break(self, holds: Callable[[], None]) -> str | None:
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
    return describe_error_with_line(problem)
