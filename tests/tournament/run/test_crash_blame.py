"""Who kills workers is told; who sits beside it never is."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.run.crash_blame import find_killer

FIELD = "abcdefgh"


def tables(*some: str) -> list[frozenset[str]]:
    """Return tables at which these sat."""
    return [frozenset(names) for names in some]


@pytest.mark.parametrize(
    ("some", "field", "one"),
    [
        ([], "abcd", None),
        (["ab"], "ab", None),
        (["ab", "ab"], "abcd", None),
        (["ab", "ac"], "abcd", None),
        (["ab", "ac"], "abc", "a"),  # nobody else is there
        (["ab", "ac", "bc"], "abc", None),
        (["ab", "ac", "ad"], "abcde", "a"),
        (["ab", "ac", "ad"], "bcde", None),  # it takes part no more
        (["ab", "cd", "ef"], "abcdef", None),
        (["ab", "ac", "ad", "ef", "eg", "eh"], FIELD, "a"),
        (["abc", "abd", "abe"], "abcdef", None),  # two sat at each
        (["abc", "ade", "afg"], FIELD, "a"),
        (["abc", "abd", "acd"], "abcd", "a"),
    ],
)
def test_who_is_told(some: list[str], field: str, one: str | None) -> None:
    """It takes three tables, or all that there are, and nobody else who explains them."""
    assert find_killer(tables(*some), field, field) == one


@given(st.data(), st.integers(3, 8), st.integers(1, 2))
def test_an_innocent_is_never_told(data: st.DataObject, entrants: int, killers: int) -> None:
    """Whatever killers do among themselves and to others, while they are fewer than the others."""
    field = FIELD[:entrants]
    guilty = {*field[: min(killers, (entrants - 1) // 2)]}
    deadly = [{*pair} for pair in combinations(field, 2) if guilty & {*pair}]
    some = data.draw(st.lists(st.sampled_from(deadly), unique_by=frozenset, max_size=20))
    found = find_killer([frozenset(pair) for pair in some], field, field)
    assert found is None or found in guilty


@pytest.mark.parametrize("two", [*permutations("abcd", 2)])
def test_two_killers_are_both_told(two: tuple[str, str]) -> None:
    """One after the other, where they kill whoever they meet in a field of eight."""
    deadly = [frozenset(pair) for pair in combinations(FIELD, 2) if {*two} & {*pair}]
    first = find_killer(deadly, FIELD, FIELD)
    assert first in two
    rest = [pair for pair in deadly if first not in pair]
    assert find_killer(rest, FIELD.replace(str(first), ""), FIELD) == ({*two} - {first}).pop()


def test_one_enemy_and_two_enemies_frame_nobody() -> None:
    """An opponent that kills only beside a victim, in a field of four, is met by the others, too."""
    assert find_killer(tables("av"), "avbc", "avbc") is None
    assert find_killer(tables("av", "bv"), "avbc", "avbc") is None


def test_who_never_ends_a_match_is_no_witness() -> None:
    """Three that always kill have met one innocent before anybody else: it is not told."""
    deadly = tables("av", "bv", "cv")
    assert find_killer(deadly, FIELD + "v", FIELD + "v") == "v"
    assert find_killer(deadly, FIELD + "v", "vdefgh") is None
    assert find_killer([*deadly, *tables("ad", "ae", "af")], FIELD + "v", "vdefgh") == "a"
