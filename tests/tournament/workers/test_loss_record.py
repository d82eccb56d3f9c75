"""What was lost with workers: what is given up, and when a run ends."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor

import pytest

from arena.rules import UserError
from arena.tournament.entries import Entry, ReadyEntry
from arena.tournament.workers.loss_record import (
    MAX_DEATHS,
    MAX_FAILED_STARTS,
    MAX_LOSSES,
    LossRecord,
)
from arena.tournament.workers.match_batch import PlannedMatch

DEATH, DISCONNECTION = BrokenExecutor("killed"), ConnectionError("the network is down")


def plan(deal: int, *names: str) -> PlannedMatch:
    return PlannedMatch(
        deal, 0, tuple(ReadyEntry(Entry(name, "1", name), None) for name in names or ("a", "b"))
    )


@pytest.mark.parametrize("problem", [DEATH, DISCONNECTION])
def test_a_match_that_is_lost_twice_is_given_up(problem: Exception) -> None:
    """A match is given up at its second loss, unless it ended in between."""
    record = LossRecord()
    for _ in range(2):
        losses = [record.count_loss(plan(0), problem) for _ in range(MAX_LOSSES)]
        assert losses == [False] * (MAX_LOSSES - 1) + [True]
    assert not record.count_loss(plan(0), problem)
    record.count_end(plan(0))
    assert not record.count_loss(plan(0), problem)


@pytest.mark.parametrize(("problem", "culprits"), [(DEATH, {"a@1"}), (DISCONNECTION, set())])
def test_only_deaths_of_workers_count_against_entrants(
    problem: Exception, culprits: set[str]
) -> None:
    """An entrant whose matches kill workers is a culprit, and one whose connection broke is not."""
    record = LossRecord()
    for deal, other in enumerate("bcd"):
        for _ in range(MAX_LOSSES):
            record.count_loss(plan(deal, "a", other), problem)
            record.count_death(problem, "")
        record.count_end(plan(9, "b", "c"))
        record.count_end(plan(10, "c", "d"))
        record.count_end(plan(11, "b", "d"))
    assert {entrant for entrant, _ in record.crashes.pop_culprits()} == culprits


def test_a_run_ends_when_its_workers_only_die() -> None:
    """Deaths are counted until a match ends; then they are counted anew."""
    record = LossRecord()
    for _ in range(2):
        for deal in range(MAX_DEATHS - 1):
            record.count_loss(plan(deal), DEATH)
            assert record.count_death(DEATH, "") == ""
        record.count_end(plan(0))
    for deal in range(MAX_DEATHS - 1):
        record.count_loss(plan(deal), DEATH)
        record.count_death(DEATH, "")
    record.count_loss(plan(MAX_DEATHS), DEATH)
    with pytest.raises(UserError, match=r"every worker dies, whatever it plays: .*killed"):
        record.count_death(DEATH, "")


def test_a_run_ends_when_none_of_its_workers_starts() -> None:
    """Failed starts are reasons for a pause, and end a run in which no worker began a match."""
    record = LossRecord()
    for _ in range(MAX_FAILED_STARTS - 1):
        assert record.count_death(DEATH, "oh") == "no worker starts (oh)"
    with pytest.raises(UserError, match=r"no worker starts \(oh\); put that right"):
        record.count_death(DEATH, "oh")
    record.count_loss(plan(0), DISCONNECTION)
    assert record.count_death(DEATH, "oh") == "no worker starts (oh)"


def test_a_shortage_points_to_nobody() -> None:
    """Matches that were lost as the machine lacked a resource do not count as a cause of death."""
    record = LossRecord()
    record.count_loss(plan(0), DEATH)
    record.forgive()
    assert record.count_death(DEATH, "oh") == "no worker starts (oh)"
