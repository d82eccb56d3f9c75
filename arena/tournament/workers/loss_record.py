"""What was lost with workers: matches, which are played again or given up, and whole executors.

The executor of a worker that died is lost, and with it the matches that were begun. A match that is
lost twice, the second time alone, is given up. If executors are lost again and again, and no match
ends in between, the host is at fault, and the run ends.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import BrokenExecutor

from attrs import Factory, define

from arena.rules import UserError, describe_error
from arena.tournament.deals import Key
from arena.tournament.entries import Id
from arena.tournament.workers.crash_record import CrashRecord
from arena.tournament.workers.match_batch import PlannedMatch

MAX_LOSSES = 2  # of a match: the second time it was played alone
MAX_DEATHS = 30  # consecutive ones, without a finished match
MAX_FAILED_STARTS = 3  # consecutive ones, if no worker of the run has ever begun a match


@define
class LossRecord:
    """The matches and workers that were lost since matches ended."""

    crashes: CrashRecord = Factory(CrashRecord)
    _losses: Counter[Key] = Factory(Counter)  # of each match that is to be played again
    _suspects: set[Id] = Factory(set)  # the entrants of matches that were lost with the last worker
    _has_begun: bool = False  # whether a worker of this run has begun a match
    _failed_starts: int = 0  # of workers
    _deaths: int = 0  # in matches, since the last finished match

    def count_end(self, match: PlannedMatch) -> None:
        """Count a match that came to its end: workers live."""
        self._losses.pop(match.key, None)
        self._deaths = 0
        self._has_begun = True
        self.crashes.count_end(match.ids)

    def count_loss(self, match: PlannedMatch, problem: Exception) -> bool:
        """Count a match that was begun and lost, with the error of its batch.

        Returns whether it is given up.
        """
        self._has_begun = True
        has_died = isinstance(problem, BrokenExecutor)
        if has_died:
            self._suspects.update(match.ids)
        self._losses[match.key] += 1
        if self._losses[match.key] < MAX_LOSSES:
            return False
        del self._losses[match.key]
        if has_died:
            self.crashes.count_crash(match.key, match.ids)
        return True

    def forgive(self) -> None:
        """Forget whom the last losses point to: the machine lacked a resource."""
        self._suspects.clear()

    def count_death(self, problem: Exception, end: str) -> str:
        """Count the loss of an executor by this error, with the last words of its workers.

        Returns:
            The reason for a pause, if its workers died before they had begun a match; else "".

        Raises:
            UserError: if workers keep dying.
        """
        suspects, self._suspects = self._suspects, set()
        self.crashes.count_death(suspects)
        if suspects:
            self._deaths += 1
            if self._deaths >= MAX_DEATHS:
                raise UserError(f"every worker dies, whatever it plays: {describe_error(problem)}")
            return ""
        self._failed_starts += 1
        line = f"no worker starts ({end})"
        if not self._has_begun and self._failed_starts >= MAX_FAILED_STARTS:
            raise UserError(f"{line}; put that right, and run this again")
        return line
