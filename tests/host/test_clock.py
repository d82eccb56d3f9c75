"""A seat's clock: a limit for each move, a bank, an increment, an allowance to start."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.host import Limits
from arena.host.clock import SeatClock

SECONDS = st.floats(0.0, 100.0)


def test_the_start_up_allowance_is_for_the_first_answer_only() -> None:
    """Slow languages start slowly; that they have started is paid once."""
    clock = SeatClock(Limits(move=5.0, start=10.0))
    assert clock.allowed == 15.0
    clock.spend(0.1)
    assert clock.allowed == 5.0
    clock.spend(4.0)
    assert clock.allowed == 5.0
    assert clock.used == pytest.approx(4.1)


def test_the_start_up_allowance_is_not_out_of_the_bank() -> None:
    """What goes beyond the allowance is."""
    limits = Limits(move=30.0, start=10.0, bank=20.0)
    for spent, allowed in ((9.0, 20.0), (10.0, 20.0), (13.0, 17.0), (30.0, 0.0)):
        clock = SeatClock(limits)
        assert clock.allowed == 30.0
        clock.spend(spent)
        assert clock.allowed == allowed


def test_who_has_not_started_keeps_the_allowance() -> None:
    """Where the ask was over before its first line came; the time is on its clock all the same."""
    clock = SeatClock(Limits(move=5.0, start=10.0, bank=20.0))
    clock.spend(13.0, started=False)
    assert (clock.used, clock.allowed) == (13.0, 15.0)
    clock.spend(1.0)
    assert clock.allowed == 5.0


def test_a_bank_with_an_increment_is_a_chess_clock() -> None:
    """The limit for a move holds beside it; the increment comes after each answer."""
    clock = SeatClock(Limits(move=4.0, start=0.0, bank=6.0, increment=1.0))
    assert clock.allowed == 4.0
    clock.spend(4.0)
    assert clock.allowed == 3.0
    clock.spend(3.0)
    assert clock.allowed == 1.0
    clock.spend(0.0)
    assert clock.allowed == 2.0


def test_a_bank_is_never_below_nothing() -> None:
    """Who overdrew has the increment left, no less."""
    clock = SeatClock(Limits(start=0.0, bank=1.0, increment=0.5))
    clock.spend(9.0)
    assert clock.allowed == 0.5


@given(st.lists(SECONDS, max_size=20), SECONDS, SECONDS.filter(bool), SECONDS)
def test_allowed_is_the_less_of_move_and_bank(
    spent: list[float], start: float, bank: float, increment: float
) -> None:
    """Nobody ever has more than the limit for a move, or less than nothing."""
    clock = SeatClock(Limits(7.0, start, bank, increment))
    for seconds in spent:
        clock.spend(seconds)
        assert 0.0 <= clock.allowed <= 7.0
    assert clock.used == pytest.approx(sum(spent))


@pytest.mark.parametrize(
    "wrong",
    [{"move": 0.0}, {"move": -1.0}, {"move": math.nan}, {"start": -1.0}, {"start": math.nan},
     {"bank": 0.0}, {"bank": math.nan}, {"increment": -1.0}, {"grace": -1.0}],
)  # fmt: skip
def test_limits_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    """A limit is a number of seconds."""
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Limits(**wrong)
