"""What may be answered: options judge strangers' answers, list themselves, and draw."""

from __future__ import annotations

from itertools import chain, combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import Between, IllegalAnswerError, OneOf, Options, SomeOf, Text
from arena.rules import abbreviate, is_same

NAN = float("nan")
STRANGE: list[Any] = [
    True, False, 1.0, "1", None, [1], (1,), {}, {1}, b"1", 1 + 0j, NAN, float("inf"),
    0, 14, -1, 10**400, "x" * 10**6, "\ud800", object(), int, ((((1,),),),),
]  # fmt: skip
CARDS = st.lists(st.sampled_from("ABCDEFG"), max_size=7).map(tuple)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda some: st.lists(some) | st.lists(some).map(tuple) | st.dictionaries(st.text(), some),
)
OPTIONS: list[Any] = [
    OneOf(range(1, 14)), OneOf((False, True)), OneOf(("Pass", "BS")), OneOf(((1, 2), (3,))),
    SomeOf((1, 2, 3)), SomeOf(("A", "B", "B", "C"), 0, 3), Text("[a-z]{1,5}", "ann"),
    Between(0, 10**6), Between(-5, 99, 7),
]  # fmt: skip


@pytest.mark.parametrize("options", [OneOf(range(1, 14)), Between(1, 13)])
@pytest.mark.parametrize("answer", STRANGE, ids=lambda answer: abbreviate(answer)[:20])
def test_what_is_not_of_the_options_type_is_refused(answer: object, options: Any) -> None:
    """`True == 1` and `1.0 == 1`, but neither is the card 1; the refusal is short."""
    with pytest.raises(IllegalAnswerError) as refusal:
        options.read(answer)
    assert len(str(refusal.value)) < 1000


def test_a_huge_number_is_refused_as_any_other() -> None:
    """A number too long for Python to print is illegal, and no fault of the host."""
    for options in OPTIONS:
        for answer in (10**5000, (10**5000,)):
            with pytest.raises(IllegalAnswerError):
                options.read(answer)


class Array:
    """As arrays of some libraries: comparing gives an array, which has no truth."""

    def __eq__(self, other: object) -> Any:
        return self

    def __bool__(self) -> bool:
        raise ValueError("the truth of an array is ambiguous")

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_an_answer_that_cannot_be_compared_is_illegal(options: Options[Any]) -> None:
    """A Python bot may return an array: that is its own mistake."""
    for answer in (Array(), (Array(),)):
        with pytest.raises(IllegalAnswerError):
            options.read(answer)


def test_one_of_tells_its_own_choices_apart() -> None:
    """What is equal across types is not the same; a tuple is compared all the way down."""
    assert OneOf((False, True)).read(True) is True
    assert not any(is_same(True, other) for other in (1, 1.0, "True"))
    assert is_same((1, ("a",)), (1, ("a",)))
    assert not is_same((1, (True,)), (1, (1,)))
    assert not is_same((1, 2), (1,))
    with pytest.raises(IllegalAnswerError):
        OneOf(((1, 2),)).read((True, 2))


def test_one_of_is_the_hand_itself() -> None:
    """A hand of cards is its own options: a tuple that reads and draws."""
    hand: Any = OneOf((3, 5))
    assert hand == (3, 5)
    assert hand.read(5) == 5


@pytest.mark.parametrize(
    "cards",
    [(), ("A", "A"), ("A", "D"), "AB", ["A"], ("A", "B", "C"), (True,), (["A"],), None, {"A"}],
)
def test_some_of_refuses(cards: object) -> None:
    """Too few, too many, twice the same, not in hand, not a list: each is illegal."""
    with pytest.raises(IllegalAnswerError):
        SomeOf(("A", "B", "C"), most=2).read(cards)


def test_some_of_keeps_the_order_and_allows_equal_cards() -> None:
    """BS lays cards in order; a hand may hold two that are alike, and lay both."""
    assert SomeOf(("A", "B", "C")).read(("C", "A")) == ("C", "A")
    assert SomeOf(("A", "A", "B")).read(("A", "B", "A")) == ("A", "B", "A")
    with pytest.raises(IllegalAnswerError, match="twice"):
        SomeOf(("A", "A", "B")).read(("A", "A", "A"))


@pytest.mark.parametrize("bounds", [(1, 0), (3, 2), (4, 9)])
def test_some_of_nothing_refuses_everything(bounds: tuple[int, int]) -> None:
    """Where no number of cards will do, any answer is illegal."""
    options: SomeOf[str] = SomeOf(("A", "B", "C"), *bounds)
    assert len(options) == 0
    for answer in ((), ("A",), ("A", "B", "C")):
        with pytest.raises(IllegalAnswerError):
            options.read(answer)


@given(CARDS, st.integers(0, 4), st.integers(0, 8))
def test_some_of_lists_as_itertools_does(cards: tuple[str, ...], least: int, most: int) -> None:
    """It counts and finds its items without listing them, each choice once, also of equal cards."""
    some = SomeOf(cards, least, most)
    sizes = range(least, min(most, len(cards)) + 1)
    together = sorted(cards, key=cards.index)
    every = chain.from_iterable(combinations(together, size) for size in sizes)
    listed = [*dict.fromkeys(every)]
    assert list(some) == listed
    assert len(some) == len(listed)
    assert [some[at] for at in range(len(some))] == listed
    assert [some[~at] for at in range(len(some))] == listed[::-1]
    for outside in (len(listed), ~len(listed)):
        with pytest.raises(IndexError):
            some[outside]


def test_some_of_a_whole_deck_is_lazy() -> None:
    """Of 52 cards there are 2^52 choices, any of which is found at once."""
    deck = SomeOf(tuple(range(52)))
    assert len(deck) == 2**52 - 1
    assert deck[2**51] in deck
    assert deck[-1] == tuple(range(52))
    two_decks = SomeOf((*range(52), *range(52)))
    assert two_decks[-1] == tuple(sorted((*range(52), *range(52))))


@given(CARDS.filter(bool), st.randoms(use_true_random=False))
def test_some_of_contains_what_it_reads(cards: tuple[str, ...], random: Random) -> None:
    """Each item is read as itself, in any order of its cards."""
    some: Any = SomeOf(cards)
    item = some[random.randrange(len(some))]
    turned = tuple(random.sample(item, len(item)))
    assert some.read(turned) == turned
    assert turned in some
    assert "A" not in some
    assert ("Z",) not in some


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
@given(seed=st.integers())
def test_a_draw_is_legal_and_determined(options: Options[Any], seed: int) -> None:
    """What is drawn is read as itself; the same generator draws the same."""
    drawn = options.draw(Random(seed))
    assert is_same(options.read(drawn), drawn)
    assert options.draw(Random(seed)) == drawn


def test_a_draw_of_some_is_any_number_of_any() -> None:
    """Every choice can be drawn, and how many are drawn first, evenly."""
    random, options = Random(7), SomeOf(("A", "B", "C"))
    drawn = [options.draw(random) for _ in range(3000)]
    assert {tuple(sorted(some)) for some in drawn} == set(options)
    assert all(800 < [*map(len, drawn)].count(size) < 1200 for size in (1, 2, 3))


@given(st.integers(-20, 20), st.integers(0, 30), st.integers(1, 9))
def test_numbers_are_those_of_a_range(low: int, more: int, step: int) -> None:
    """They are listed, contained and read as in Python's range, whose last one is the limit."""
    numbers: Any = Between(low, low + more, step)
    expected = range(low, low + more + 1, step)
    assert [*numbers] == [*expected]
    assert numbers.high == numbers[-1] == expected[-1]
    assert numbers == Between(low, numbers.high, step)
    for number in range(low - step, low + more + step + 1):
        assert (number in numbers) == (number in expected)
        if number not in expected:
            with pytest.raises(IllegalAnswerError, match=f"^{number} is not a whole number from"):
                numbers.read(number)


@pytest.mark.parametrize(
    ("limits", "mistake"),
    [
        ((5, 3), "contains no number"), ((0, 3, 0), "its step must be at least 1"),
        ((0, 7.5), "7.5 is not a whole number"), ((True, 3), "True is not a whole number"),
        ((0, 2**53), f"is not a whole number from .* to {2**53 - 1}$"),
    ],
)  # fmt: skip
def test_limits_that_cannot_be_are_refused(limits: Any, mistake: str) -> None:
    """When the rules write them, before anybody is asked."""
    with pytest.raises(ValueError, match=mistake):
        Between(*limits)


def test_a_text_matches_as_a_whole() -> None:
    """A pattern holds from the first character to the last; a newline is no end."""
    options = Text("[a-z]+", "ann")
    assert options.read("bob") == "bob"
    for answer in ("ann\n", "\nann", "Ann", "", None, b"ann", ["ann"], 5):
        with pytest.raises(IllegalAnswerError):
            options.read(answer)


@given(ANYTHING)
def test_any_answer_is_read_or_illegal(answer: object) -> None:
    """Whatever comes, options give it back or raise IllegalAnswerError, and never anything else."""
    for options in OPTIONS:
        try:
            assert is_same(options.read(answer), answer)
        except IllegalAnswerError as problem:
            assert str(problem)  # noqa: PT017  # either will do


def test_brief_is_short() -> None:
    """What a stranger made long is cut where it is shown."""
    for value in ("x" * 10**6, ("x" * 1000,) * 50, [0] * 10**6, {"a": "b" * 10**6}):
        assert len(abbreviate(value)) < 6000
