"""The solutions that explain matches: of the whole game, or of the last rounds."""

from __future__ import annotations

from attrs import frozen

from arena_gops_solver.matches.recorded_match import RecordedMatch
from arena_gops_solver.positions import Solution
from arena_gops_solver.subgames import choose_subgame_size, solve_from


@frozen
class WholeGameSolution:
    """The solution of the whole game, which explains every round."""

    solved: Solution

    def __call__(self, match: RecordedMatch) -> tuple[Solution, int]:
        """Return the game and the first explained round, counted from 0."""
        return self.solved, 0


@frozen
class EndgameSolver:
    """Solves the last rounds of each match, from the position in the match."""

    objective: str
    rounds: int

    @classmethod
    def of(cls, objective: str, matches: int) -> EndgameSolver:
        """Choose as many rounds as can be solved within seconds for this number of matches."""
        return cls(objective, choose_subgame_size(objective, matches))

    def __call__(self, match: RecordedMatch) -> tuple[Solution, int]:
        """Return the game from the first explained round on, and that round, counted from 0."""
        first = max(0, len(match.bids) - self.rounds)
        points_before = sum(match.prizes[:first])
        return solve_from(match.rounds[first].place, self.objective, points_before), first
