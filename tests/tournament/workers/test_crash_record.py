"""Who is set aside for killing workers: whoever was there each time, and nobody else ever."""

from __future__ import annotations

from itertools import combinations, count
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.workers.crash_record import CrashRecord


def tell(story: str) -> list[str]:
    """Return who is set aside after each event of a story.

    `ab` is a match that ends, `ab!` one that dies twice, `ab?` one that dies once, and `-` a worker
    that dies without a match.
    """
    record, numbers, culprits = CrashRecord(), count(), []
    for event in story.split():
        entrants = {*event.rstrip("!?-")}
        if event.endswith(("!", "?", "-")):
            record.count_death(entrants)
        else:
            record.count_end(entrants)
        if event.endswith("!"):
            record.count_crash((next(numbers), 0), entrants)
        culprits += [entrant for entrant, _ in record.pop_culprits()]
    return culprits


@pytest.mark.parametrize(
    ("story", "culprits"),
    [
        ("ka! bc kb! ac kc! ab", ["k"]),
        ("ka! bc ka! bc ka! bc", ["a", "k"]),  # the other has met nobody else, either
        ("ka! bc kb? ac kb! ac kc! ab", ["k"]),
        ("ka! bc kb! ac", []),
        ("ka! bc kb! ac kc!", []),  # until workers live without it
        ("ka! kb! kc! ab", []),  # workers did not live in between
        ("ka! ka kb! kb kc! kc", []),
        ("ka! bc kb! ac ab? kc! ab", []),
        ("ka! bc kb! ac ab! kc! ab", []),
        ("ka! bc kb! ac - kc! ab", []),
        ("ab! ab ab! ab ab! ab", []),  # a tournament of two
        ("ka! bc lb! ac kc! ab lc! ab", []),  # two killers in turn
    ],
)
def test_who_is_set_aside(story: str, culprits: list[str]) -> None:
    """An entrant is set aside for three matches if workers live without it, and none dies without it."""
    assert sorted(tell(story)) == culprits


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(1, 8))
def test_trouble_from_outside_sets_nobody_aside(seed: int, entrants: int, calm: int) -> None:
    """Nobody is set aside while all matches and starting workers die."""
    draw = Random(seed)
    pairs = ["".join(pair) for pair in combinations("abcdef"[:entrants], 2)]
    story: list[str] = []
    for _ in range(2):  # seconds of trouble, of which there may be more than one
        story += draw.choices(pairs, k=calm)
        story += [draw.choice(["-", draw.choice(pairs) + "!"]) for _ in range(draw.randrange(12))]
    assert tell(" ".join([*story, *pairs])) == []
