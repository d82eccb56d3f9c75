"""What a law is. A decorator turns a function into a law, and the registry lists it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from attrs import frozen

from arena.plugins import Game
from arena.testing.harness.cases import Case, Options

__tracebackhide__ = True  # pytest shows where a law was broken, and not what called it

Check = Callable[[Game, Case], None]
Source = Callable[[Game, Options], Sequence[Case]]
Around = Callable[[Game], AbstractContextManager[object]]


@frozen
class Law:
    """A statement that holds for every game. Call it with a game and a case.

    `cases` generates the cases in which it is tried, from a game and the options of all cases;
    without it, hypothesis draws them. `around` is open while one case after the other is tried.
    What breaks a law that is `seldom` shows in few cases, so the fuzzer begins with it. The call
    raises AssertionError if the law does not hold in the case.
    """

    check: Check
    cases: Source | None = None
    around: Around = nullcontext
    seldom: bool = False

    @property
    def name(self) -> str:
        """The function's name."""
        return self.check.__name__

    @property
    def sentence(self) -> str:
        """The law in words: the function's docstring."""
        return self.check.__doc__ or ""

    def __call__(self, game: Game, case: Case) -> None:
        """Check a game against the law in a case; raise AssertionError if it does not hold."""
        self.check(game, case)


def law(
    cases: Source | None = None, around: Around = nullcontext, *, seldom: bool = False
) -> Callable[[Check], Law]:
    """Turn a function into a law; see `Law` for `cases`, `around` and `seldom`."""
    return lambda check: Law(check, cases, around, seldom)
