"""What a law is. A function becomes one by its decorator, and is listed from then on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from attrs import frozen

from arena.plugins import Game
from arena.testing.cases import Case, Options

__tracebackhide__ = True  # pytest shows where a law was broken, and not what called it

Check = Callable[[Game, Case], None]
Source = Callable[[Game, Options], Sequence[Case]]
Around = Callable[[Game], AbstractContextManager[object]]


@frozen
class Law:
    """What holds for every game. It is called with a game and a case, and is silent.

    `cases` makes those in which it is tried, from a game and the options of all cases; without
    it hypothesis draws them. `around` is open while one case after the other is tried.
    Raises AssertionError where a case shows that it does not hold.
    """

    check: Check
    cases: Source | None = None
    around: Around = nullcontext

    @property
    def name(self) -> str:
        """Return the function's name."""
        return self.check.__name__

    @property
    def sentence(self) -> str:
        """Return what holds, in words: the function's docstring."""
        return self.check.__doc__ or ""

    def __call__(self, game: Game, case: Case) -> None:
        """Hold a game to it in a case; raise AssertionError."""
        self.check(game, case)


def law(cases: Source | None = None, around: Around = nullcontext) -> Callable[[Check], Law]:
    """Make a law of a function, with the cases in which it is tried, and what is open then."""
    return lambda check: Law(check, cases, around)
