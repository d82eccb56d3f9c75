"""What explains a match: the whole game solved, or what the match's last rounds can come to."""

from __future__ import annotations

from attrs import frozen

from arena_gops_solver.matches.recorded_match import RecordedMatch
from arena_gops_solver.positions import Solution
from arena_gops_solver.subgames import choose_subgame_size, solve_from


@frozen
class WholeGame:
    """The whole game, which explains every round."""

    solved: Solution

    def __call__(self, match: RecordedMatch) -> tuple[Solution, int]:
        """Return the game, and from which round on, counted from 0."""
        return self.solved, 0


@frozen
class Endgames:
    """The last rounds of each match, solved from where the match stood."""

    objective: str
    rounds: int

    @classmethod
    def of(cls, objective: str, matches: int) -> Endgames:
        """Take as many rounds as can be solved within seconds for so many matches."""
        return cls(objective, choose_subgame_size(objective, matches))

    def __call__(self, match: RecordedMatch) -> tuple[Solution, int]:
        """Return the game as it went on, and from which round on, counted from 0."""
        first = max(0, len(match.bids) - self.rounds)
        points_before = sum(match.prizes[:first])
        return solve_from(match.rounds[first].place, self.objective, points_before), first
