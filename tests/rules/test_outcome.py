"""Places: by score, and behind all others those who earned a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.rules import Fault, Verdict, rank_seats
from tests.support.toys import PICK


def late(ask: int) -> Verdict:
    """Return a verdict of this ask."""
    return Verdict(Fault.TIMEOUT, PICK, "", 1.0, 1.0, "", ask)


@pytest.mark.parametrize(
    ("scores", "verdicts", "expected"),
    [
        ((5, 9, 5), {}, (2, 1, 2)),
        ((0, 0), {}, (1, 1)),
        ((Fraction(7, 2), 3.5, 4), {}, (2, 2, 1)),
        ((5, 9), {1: late(1)}, (1, 2)),
        ((5, 9), {0: late(7), 1: late(7)}, (1, 1)),
        ((5, 9, 5, 1, 0), {1: late(3), 2: late(3), 3: late(4)}, (1, 4, 4, 3, 2)),
    ],
)
def test_places(
    scores: tuple[int, ...], verdicts: Mapping[int, Verdict], expected: tuple[int, ...]
) -> None:
    """Ties share the better place; the later verdict is the better; those of one ask tie."""
    assert rank_seats(scores, verdicts) == expected


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6), st.data())
def test_nobody_gains_by_failing(scores: list[int], data: st.DataObject) -> None:
    """With a verdict nobody comes before one without, whatever the scores."""
    seats = st.integers(0, len(scores) - 1)
    asks = data.draw(st.dictionaries(seats, st.integers(1, 5)))
    verdicts = {seat: late(ask) for seat, ask in asks.items()}
    placed = rank_seats(scores, verdicts)
    well = [placed[seat] for seat in range(len(scores)) if seat not in verdicts]
    assert min(placed) == 1
    assert all(placed[seat] > max(well, default=0) for seat in verdicts)
    assert all(sum(other < place for other in placed) == place - 1 for place in placed)
