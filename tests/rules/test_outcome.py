"""Places: by score, and behind all others those who earned a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.rules import Fault, Sides, Verdict, is_decided, rank_sides, seat_alone
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
    assert rank_sides(seat_alone(len(scores)), scores, verdicts) == expected


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=6), st.data())
def test_nobody_gains_by_failing(scores: list[int], data: st.DataObject) -> None:
    """With a verdict nobody comes before one without, whatever the scores."""
    seats = st.integers(0, len(scores) - 1)
    asks = data.draw(st.dictionaries(seats, st.integers(1, 5)))
    verdicts = {seat: late(ask) for seat, ask in asks.items()}
    placed = rank_sides(seat_alone(len(scores)), scores, verdicts)
    well = [placed[seat] for seat in range(len(scores)) if seat not in verdicts]
    assert min(placed) == 1
    assert all(placed[seat] > max(well, default=0) for seat in verdicts)
    assert all(sum(other < place for other in placed) == place - 1 for place in placed)


PAIRS = ((0, 2), (1, 3))
TOGETHER = ((0, 1, 2),)


@pytest.mark.parametrize(
    ("sides", "scores", "verdicts", "everybody_lost", "expected"),
    [
        (PAIRS, (7, 9, 7, 9), {}, False, (2, 1)),
        (PAIRS, (7, 0, 0, 6), {}, False, (1, 2)),  # the mean counts
        (((0,), (1, 2, 3)), (1, 0, 0, 0), {}, False, (1, 2)),
        (((0,), (1, 2, 3)), (0, 0.1, 0.1, 0.1), {}, False, (2, 1)),
        (PAIRS, (7, 9, 7, 9), {3: late(2)}, False, (1, 2)),  # for its partner, too
        (PAIRS, (7, 9, 7, 9), {0: late(5), 2: late(1), 3: late(2)}, False, (2, 1)),
        (PAIRS, (7, 9, 7, 9), {}, True, (2, 2)),
        (PAIRS, (7, 9, 7, 9), {1: late(1)}, True, (2, 3)),
        (TOGETHER, (4, 4, 4), {}, False, (1,)),
        (TOGETHER, (4, 4, 4), {}, True, (2,)),
        (TOGETHER, (4, 4, 4), {2: late(1)}, False, (2,)),
    ],
)
def test_places_of_teams(
    sides: Sides,
    scores: tuple[int, ...],
    verdicts: Mapping[int, Verdict],
    everybody_lost: bool,
    expected: tuple[int, ...],
) -> None:
    """A team has the mean score of its seats and their first verdict; the game may be first."""
    placed = rank_sides(sides, scores, verdicts, everybody_lost=everybody_lost)
    assert placed == expected


@pytest.mark.parametrize(
    ("sides", "failed", "expected"),
    [
        (seat_alone(2), {0}, True),
        (seat_alone(3), {0}, False),
        (seat_alone(3), {0, 2}, True),
        (seat_alone(1), {0}, True),
        (PAIRS, {3}, True),
        (TOGETHER, {}, False),
        (TOGETHER, {1}, True),
    ],
)
def test_matches_are_decided_by_sides(sides: Sides, failed: set[int], expected: bool) -> None:
    """A match goes on while two sides have nobody who failed, or a side that is alone has not."""
    assert is_decided(sides, failed) is expected
