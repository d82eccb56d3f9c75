"""Actions by number, and masks."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from arena import Between, OneOf, Options, Question, SomeOf, Text
from arena.cards import build_deck
from arena_pettingzoo.encodings import Actions


def numbers(actions: Actions, options: Options[Any]) -> list[int]:
    return np.flatnonzero(actions.mask(Question(options))).tolist()


def test_an_action_is_the_number_of_an_answer() -> None:
    """In the order in which the game lists them."""
    actions = Actions(("pass", "call", ("AH", "KH")))
    assert [actions.answer(number) for number in range(3)] == ["pass", "call", ("AH", "KH")]
    assert numbers(actions, OneOf((("AH", "KH"), "pass"))) == [0, 2]


def test_true_is_no_one() -> None:
    """Answers that Python calls equal are kept apart by their types."""
    actions = Actions((True, 1, 1.0, (True,), (1,)))
    assert numbers(actions, OneOf((1,))) == [1]
    assert numbers(actions, OneOf((True, (1,)))) == [0, 4]


def test_who_is_not_asked_may_do_nothing() -> None:
    """All zeros."""
    assert Actions((1, 2)).mask(None).tolist() == [0, 0]


def test_several_cards_are_one_action() -> None:
    """Each choice of three of a hand of 13 is one of the 22,100 choices of three cards."""
    three = SomeOf(build_deck(), 3, 3)
    actions = Actions(three)
    assert len(actions) == 22_100
    hand = build_deck()[3::4]
    allowed = numbers(actions, SomeOf(hand, 3, 3))
    assert [actions.answer(number) for number in allowed] == [*combinations(hand, 3)]


def test_numbers_are_actions_in_their_order() -> None:
    """Of bids in steps of 50,000, the third is 100,000."""
    actions = Actions(Between(0, 1_000_000, 50_000))
    assert (len(actions), actions.answer(2)) == (21, 100_000)
    assert numbers(actions, Between(100_000, 200_000, 50_000)) == [2, 3, 4]


def test_an_answer_that_is_no_action_is_the_games_fault() -> None:
    """The line names the question and the answer."""
    with pytest.raises(
        ValueError, match=r"^Question: the answer \(<class 'int'>, 3\) is missing from"
    ):
        Actions((1, 2)).mask(Question(OneOf((2, 3))))


def test_what_cannot_be_listed_has_no_mask() -> None:
    """A free text is none of so many."""
    with pytest.raises(ValueError, match=r"^Question: the answers .* cannot be listed"):
        Actions(("a",)).mask(Question(Text("[a-z]+", "a")))


@pytest.mark.parametrize("action", [-1, 2])
def test_an_action_is_in_the_list(action: int) -> None:
    """A negative number does not count from the end."""
    with pytest.raises(ValueError, match=f"^action {action} is not one of 0 to 1$"):
        Actions((1, 2)).answer(action)
