"""The watch over rules without end interrupts them wherever they are played, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from time import process_time
from typing import Any

import pytest

from arena import Bot, Question, RandomBot, Table
from arena.host import Result, play_match, play_series
from arena.rules import End
from tests.support.toys import TOY, by_seat, register_rounds


class Thinker(Bot):
    """Thinks for many looks of the watch."""

    def choose(self, question: Question[Any]) -> int:
        began = process_time()
        while process_time() - began < 0.1:
            pass
        return 1


async def hang(_: Table) -> Sequence[int] | None:
    """Never end, and never ask."""
    while True:
        pass


def play_endless(_: int = 0) -> Result:
    """Play a match in which the rules hang."""
    return play_match(
        TOY, [RandomBot] * 2, seed="1", options={"rounds": [*register_rounds([hang])]}
    )


@pytest.fixture(autouse=True)
def _short_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.players.rules_watch.LOOK_SECONDS", 0.02)


def test_a_bot_that_thinks_for_long_is_not_interrupted() -> None:
    """Only the rules are watched: a bot in this process has its own limit of time."""
    rounds = [*register_rounds((by_seat, by_seat))]
    result = play_match(TOY, [Thinker, Thinker], seed="1", options={"rounds": rounds})
    assert result.outcome.end is End.FINISHED, result.outcome.detail
    assert not result.outcome.verdicts


def test_rules_without_end_are_interrupted_in_all_threads() -> None:
    """In the first one, and in several others at once: each match is void, and says where."""
    results = [play_endless()]
    with ThreadPoolExecutor(3) as threads:
        results += threads.map(play_endless, range(3))
    for result in results:
        assert result.outcome.end is End.VOID
        assert "is there a loop without end" in result.outcome.detail
        assert "test_rules_watch.py" in result.outcome.detail


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_rules_without_end_do_not_keep_a_series(workers: int) -> None:
    """Its matches are void, one after the other."""
    rounds = [*register_rounds([hang])]
    series = play_series(
        TOY, [RandomBot] * 2, games=2, seed="1", options={"rounds": rounds}, workers=workers
    )
    assert [result.outcome.end for result in series] == [End.VOID] * 2
