"""Trying to break a game for as long as one likes: other cases each time, the smallest kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from time import monotonic
from traceback import extract_tb

from attrs import frozen
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

from arena.errors import in_words
from arena.game import Game
from arena.testing.cases import Case, Options, pasted
from arena.testing.laws import LAWS, Law
from arena.testing.patience import Endless, patience
from arena.testing.strategies import cases

PATIENCE = 10.0  # seconds of the processor that a case may take
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
        """Give it as a test, ready to be put into a file."""
        reason = self.reason.splitlines()[0].replace("\\", "\\\\").replace('"', "'")
        name = re.sub(r"\W", "_", f"{self.game}_{self.law}")
        return (
            "from arena.testing import Case, hold\n\n\n"
            f"def test_{name}() -> None:\n"
            f'    """{LAWS[self.law].__doc__}\n\n    Found by fuzzing: {reason}\n    """\n'
            f'    hold("{self.game}", "{self.law}", {pasted(self.case)})\n'
        )


@frozen
class Fuzzed:
    """What came of it."""

    tried: int  # cases
    found: Found | None


def fuzz(game: Game, seconds: float, always: Options, progress: Progress, first: int) -> Fuzzed:
    """Hold a game to all laws in turn, until time is up; the cases are drawn from `first` on."""
    drawn, until, tried = cases(game, always), monotonic() + seconds, 0
    for number in count(first):
        for name, law in LAWS.items():
            if monotonic() > until:
                return Fuzzed(tried, None)
            progress(name, tried)
            trial = _Trial(game, law)
            problem = trial.run(drawn, number, until)
            tried += trial.tried
            if problem is not None and trial.case is not None:
                return Fuzzed(tried, Found(game.name, name, trial.case, problem))
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
            if self.case is None and monotonic() > until:
                return
            self._try(case)

        try:
            holds()
        except Endless as problem:  # it is not made smaller: that would be as endless each time
            return str(problem)
        except Flaky as problem:
            return f"the same case does not go on alike each time: {in_words(problem)}"
        except Exception as problem:  # noqa: BLE001  # whatever rules raise is what is looked for
            return _reason(problem)
        return None

    def _try(self, case: Case) -> None:
        self.tried += 1
        try:
            with patience(PATIENCE):
                self._law(self._game, case)
        except (Exception, Endless):
            self.case = case
            raise


def _reason(problem: Exception) -> str:
    """Give the words of what was raised; where it has none, or comes from rules, also where."""
    if isinstance(problem, AssertionError) and str(problem):
        return str(problem)
    at = extract_tb(problem.__traceback__)[-1]
    return f"{in_words(problem)} ({at.filename}:{at.lineno}, in {at.name})"
