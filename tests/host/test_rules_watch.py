"""The watch over rules without end leaves everything else alone."""

from __future__ import annotations

import signal
from time import process_time
from typing import Any

import pytest

from arena import Bot, Question
from arena.host import play_match, watch_rules
from arena.rules import End
from tests.support.toys import TOY, by_seat, register_rounds


class Thinker(Bot):
    """Thinks for many ticks of the watch."""

    def choose(self, question: Question[Any]) -> int:
        began = process_time()
        while process_time() - began < 0.1:
            pass
        return 1


def test_a_bot_that_thinks_for_long_is_not_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the rules are watched: a bot in this process has its own limit of time."""
    monkeypatch.setattr("arena.host.rules_watch.TICK_SECONDS", 0.01)
    rounds = [*register_rounds((by_seat, by_seat))]
    with watch_rules():
        result = play_match(TOY, [Thinker, Thinker], seed="1", options={"rounds": rounds})
    assert result.outcome.end is End.FINISHED, result.outcome.detail
    assert not result.outcome.verdicts


def test_nothing_of_the_watch_is_left() -> None:
    """The timer is off and the handler of its signal is the one from before."""
    before = signal.getsignal(signal.SIGVTALRM)
    with watch_rules():
        assert signal.getsignal(signal.SIGVTALRM) is not before
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
