"""Trying to break a game for as long as one likes: other cases each time, the smallest kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from itertools import count
from time import monotonic
from traceback import extract_tb

from attrs import frozen
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

from arena.plugins import Game
from arena.rules import in_words
from arena.testing.cases import Case, Options, as_source
from arena.testing.cpu_limit import CpuLimitExceeded, cpu_limit
from arena.testing.hash_seeds import home, the_order_of_sets_does_not_matter
from arena.testing.law import Law
from arena.testing.laws import LAWS
from arena.testing.strategies import cases

CPU_LIMIT = 10.0  # seconds of the processor that a case may take
AT_ONCE = 20  # cases of one law, before the next one has its turn

Progress = Callable[[str, int], None]
"""Is told which law is being tried, and how many cases have been."""


@frozen
class Found:
    """A case that breaks a law, as small as it could be made."""

    game: str
    law: str
    case: Case
    reason: str

    @property
    def test(self) -> str:
        """Return it as a test, ready to be put into a file."""
        reason = self.reason.splitlines()[0].replace("\\", "\\\\").replace('"', "'")
        name = re.sub(r"\W", "_", f"{self.game}_{self.law}")
        return (
            "from arena.testing import Case, hold\n\n\n"
            f"def test_{name}() -> None:\n"
            f'    """{LAWS[self.law].sentence}\n\n    Found by fuzzing: {reason}\n    """\n'
            f'    hold("{self.game}", "{self.law}", {as_source(self.case)})\n'
        )


@frozen
class Fuzzed:
    """What came of it."""

    tried: int  # cases
    found: Found | None


def fuzz(game: Game, seconds: float, always: Options, progress: Progress, first: int) -> Fuzzed:
    """Hold a game to all laws in turn, until time is up; the cases are drawn from `first` on.

    A game that no module has under a name cannot be had in other interpreters, and is not.
    """
    laws = {name: law for name, law in LAWS.items() if law.cases is None}
    if not home(game):
        del laws[the_order_of_sets_does_not_matter.name]
    with ExitStack() as stack:
        for law in laws.values():
            stack.enter_context(law.around(game))
        return _fuzz(_Hunt(game, laws, cases(game, always), monotonic() + seconds), progress, first)


@frozen
class _Hunt:
    """What is tried on which game, and until when."""

    game: Game
    laws: Mapping[str, Law]
    drawn: SearchStrategy[Case]
    until: float


def _fuzz(hunt: _Hunt, progress: Progress, first: int) -> Fuzzed:
    tried = 0
    for number in count(first):
        for name, law in hunt.laws.items():
            if monotonic() > hunt.until:
                return Fuzzed(tried, None)
            progress(name, tried)
            trial = _Trial(hunt.game, law)
            problem = trial.run(hunt.drawn, number, hunt.until)
            tried += trial.tried
            if problem is not None and trial.case is not None:
                return Fuzzed(tried, Found(hunt.game.name, name, trial.case, problem))
    raise AssertionError("the numbers have come to an end")


class _Trial:
    """One law tried in some cases."""

    def __init__(self, game: Game, law: Law) -> None:
        self._game, self._law = game, law
        self.tried = 0
        self.case: Case | None = None  # the last that broke it: hypothesis ends with the smallest

    def run(self, drawn: SearchStrategy[Case], number: int, until: float) -> str | None:
        """Say why it does not hold, or None."""

        @seed(number)
        @settings(
            max_examples=AT_ONCE, deadline=None, database=None, report_multiple_bugs=False,
            suppress_health_check=[*HealthCheck], phases=[Phase.generate, Phase.shrink],
        )  # fmt: skip
        @given(case=drawn)
        def holds(case: Case) -> None:
            if self.tried and self.case is None and monotonic() > until:  # one case at least
                return
            self._try(case)

        try:
            holds()
        except CpuLimitExceeded as problem:  # smaller ones would be as endless
            return str(problem)
        except Flaky as problem:
            return f"the same case does not go on alike each time: {in_words(problem)}"
        except Exception as problem:  # noqa: BLE001  # whatever rules raise is what is looked for
            return _reason(problem)
        return None

    def _try(self, case: Case) -> None:
        self.tried += 1
        try:
            with cpu_limit(CPU_LIMIT):
                self._law(self._game, case)
        except (Exception, CpuLimitExceeded):
            self.case = case
            raise


def _reason(problem: Exception) -> str:
    """Return the words of what was raised; where it has none, or comes from rules, also where."""
    if isinstance(problem, AssertionError) and str(problem):
        return str(problem)
    at = extract_tb(problem.__traceback__)[-1]
    return f"{in_words(problem)} ({at.filename}:{at.lineno}, in {at.name})"
