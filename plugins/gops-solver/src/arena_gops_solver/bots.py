"""Bots that play GOPS by the exact solution."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, evolve

from arena import Bot, Greeting, Question, UserError
from arena_gops import Bids, Gops, Prize

if TYPE_CHECKING:
    from arena_gops_solver import SolvedGame, SolverPosition

SEATS = 2
CARDS = range(2, 16)


@define(eq=False, slots=False)
class Nash(Bot):
    """Plays the exact solution for points: no opponent gains points against it.

    For two players, shuffled prizes, and ties that nobody wins or both share. The bids are drawn
    from the equilibrium with the largest support. `table` is the file of a solved game; without it
    a table from the cache is used, and a small game is solved at once.
    """

    objective: ClassVar[str] = "points"
    table: str = ""

    def check_support(self, variant: Gops, seats: int) -> None:
        """Raise UserError if the variant is not supported, or not solved yet."""
        check_solvable(variant, seats)
        self._find_solution(variant.cards)

    def prepare(self, variant: Gops, seats: int, report: Callable[[float], None]) -> None:
        """Solve the game into the cache; raise UserError if it takes more than an hour."""
        from arena_gops_solver.table_cache import solve_into_cache

        check_solvable(variant, seats)
        solve_into_cache(self.objective, variant.cards, lambda done: report(done.share))

    def greet(self, greeting: Greeting) -> None:
        """Load the solution."""
        from arena_gops_solver.positions import SolverPosition

        super().greet(greeting)
        check_solvable(self.variant, self.seats)
        self.place = SolverPosition(*[self.variant.suit] * 3)
        self.solved = self._find_solution(self.variant.cards)

    def hear(self, event: Any) -> None:
        """Record the state of the game; in points, the score so far does not matter."""
        if isinstance(event, Prize):
            self.prize = event.card
        elif isinstance(event, Bids):
            mine, theirs = event.cards[self.seat], event.cards[1 - self.seat]
            after = self.place.after(self.prize, mine, theirs)
            self.place = evolve(after, difference=0) if self.objective == "points" else after

    def choose(self, question: Question[int]) -> int:
        """Draw a bid."""
        mix = self.mix(question)
        return self.random.choices([*mix], [*mix.values()])[0]

    def mix(self, question: Question[int]) -> dict[int, float]:
        """Return the probability of each bid in the hand."""
        return dict(
            zip(self.place.mine, compute_weights(self.solved, self.place, self.prize), strict=True)
        )

    def _find_solution(self, cards: int) -> SolvedGame:
        from arena_gops_solver.table_cache import find_solution

        found = find_solution(self.objective, cards, Path(self.table) if self.table else None)
        found.table.check()  # here, where it cannot delay a bid or lose a match
        return found


@define(eq=False, slots=False)
class NashWin(Nash):
    """Plays the exact solution for the chance to win: no opponent wins more often.

    For the same games as `nash`, up to the size that was solved for this objective.
    """

    objective: ClassVar[str] = "win"


@lru_cache(maxsize=64)  # an enumeration of its draws repeats the same weights
def compute_weights(solved: SolvedGame, place: SolverPosition, prize: int) -> tuple[float, ...]:
    """Return the probability of each of my cards in the equilibrium."""
    from arena_gops_solver.positions import find_equilibrium

    return tuple(map(float, find_equilibrium(solved.build_stage(place, prize)).weights))


def check_solvable(variant: Gops, seats: int) -> None:
    """Raise UserError if the solver does not support the variant."""
    if seats != SEATS:
        raise UserError(f"the GOPS solver supports 2 players, not {seats}")
    if variant.cards not in CARDS:
        raise UserError(
            f"cards={variant.cards}: the GOPS solver supports {CARDS[0]} to {CARDS[-1]} cards"
        )
    if variant.prizes != "shuffled":
        raise UserError(f"prizes={variant.prizes}: the GOPS solver supports only shuffled prizes")
    if variant.ties == "carry":
        raise UserError("ties=carry: the GOPS solver supports only ties=discard and ties=split")
